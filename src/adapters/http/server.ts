import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { UnskewError } from '../../errors.js';
import type { Snapshot } from '../../stream/snapshot.js';
import { PAGE_HTML, PAGE_ICON } from './page.js';
import { PAGE_SCRIPT } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';
import { PROBLEM_TYPE, problem } from './problem.js';

/** One thing that has to hold for the service to be alive or ready. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

export interface ServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly exporter: { readonly contentType: string; metrics(): Promise<string> };
  latest(): Snapshot | undefined;
  /** Whether another worker of the group has the estimates. */
  isElsewhere?(): boolean;
  health(): readonly Check[];
  readiness(): readonly Check[];
  readonly log: { error(fields: object, message: string): void };
}

export interface HttpServer {
  /** e.g. `http://127.0.0.1:9464`. */
  readonly address: string;
  close(): Promise<void>;
}

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** Serves metrics, health, the API and the page; rejects with LISTEN where the address is not to be had. */
export async function createServer(options: ServerOptions): Promise<HttpServer> {
  const app = fastify({
    // A browser or a scraper that keeps its connection must not keep the process alive.
    forceCloseConnections: true,
    frameworkErrors: (error, _request, reply) => answerError(options, error, reply),
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(SECURITY_HEADERS).header('cache-control', 'no-store');
  });
  app.setErrorHandler<FastifyError>((error, _request, reply) => answerError(options, error, reply));
  app.setNotFoundHandler((request, reply) =>
    sendProblem(reply, 404, `nothing is at ${request.method} ${request.url.split('?', 1)[0]}`),
  );
  addMonitoring(app, options);
  addApi(app, options);
  addPage(app);
  return { address: await listen(app, options), close: () => app.close() };
}

function addMonitoring(app: FastifyInstance, { exporter, health, readiness }: ServerOptions): void {
  app.get('/metrics', async (_request, reply) => {
    const text = await exporter.metrics();
    return reply.type(exporter.contentType).send(text);
  });
  app.get('/healthz', (_request, reply) => sendChecks(reply, health()));
  app.get('/readyz', (_request, reply) => sendChecks(reply, readiness()));
}

function addApi(app: FastifyInstance, { latest, isElsewhere }: ServerOptions): void {
  let written: { readonly snapshot: Snapshot; readonly json: string } | undefined;
  app.get('/api/v1/estimates', (_request, reply) => {
    if (isElsewhere?.()) {
      return sendProblem(reply, 503, 'the worker that has partition 0 gives the estimates of all');
    }
    const snapshot = latest();
    if (snapshot === undefined) {
      return sendProblem(reply, 404, 'no pane has closed yet; estimates come with the first one');
    }
    // Snapshots are immutable and asked for by every open page: each is written once.
    if (written?.snapshot !== snapshot) written = { snapshot, json: JSON.stringify(snapshot) };
    return reply.type('application/json; charset=utf-8').send(written.json);
  });
}

function addPage(app: FastifyInstance): void {
  const files: readonly [path: string, type: string, body: string][] = [
    ['/', 'text/html; charset=utf-8', PAGE_HTML],
    ['/page.css', 'text/css; charset=utf-8', PAGE_STYLE],
    ['/page.js', 'text/javascript; charset=utf-8', PAGE_SCRIPT],
    ['/icon.svg', 'image/svg+xml', PAGE_ICON],
  ];
  for (const [path, type, body] of files)
    app.get(path, (_request, reply) => reply.type(type).send(body));
}

function sendChecks(reply: FastifyReply, checks: readonly Check[]): FastifyReply {
  const ok = checks.every((check) => check.ok);
  return reply.code(ok ? 200 : 503).send({ ok, checks });
}

function sendProblem(reply: FastifyReply, status: number, detail?: string): FastifyReply {
  return reply
    .code(status)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problem(status, detail)));
}

/** What the client did wrong is told; what went wrong here is logged and not told. */
function answerError(options: ServerOptions, error: FastifyError, reply: FastifyReply): void {
  const status = error.statusCode ?? 500;
  if (status < 500) {
    sendProblem(reply, status, error.message);
    return;
  }
  options.log.error({ err: error }, 'a request failed');
  sendProblem(reply, 500);
}

async function listen(app: FastifyInstance, { host, port }: ServerOptions): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    await app.close();
    const code = (error as NodeJS.ErrnoException).code;
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: 'the port is taken',
      EADDRNOTAVAIL: 'the address is not of this machine',
      EACCES: 'the port needs rights that this process does not have',
      ENOTFOUND: 'the host name is not known',
    };
    const reason = reasons[code ?? ''] ?? (error as Error).message;
    throw new UnskewError('LISTEN', `cannot listen on ${host}:${port}: ${reason}`, {
      cause: error,
    });
  }
}
