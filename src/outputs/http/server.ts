import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import fastifyStatic from '@fastify/static';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastify from 'fastify';
import { packageFolder } from '../../adapters/files/package-folder.js';
import { UnskewError } from '../../errors.js';
import { FEATURE_ROUTES } from '../../features/routes.js';
import type { AskedLookup } from '../../stream/flow.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { History } from '../history/history.js';
import { sendElsewhere, sendProblem } from './answers.js';
import { addDocs } from './docs.js';
import { addGuard, type GuardOptions } from './guard.js';
import { type ExportRoutes, exportRoutes } from './routes/exports.js';
import { addHistoryRoutes } from './routes/history-routes.js';
import { addLookupRoutes } from './routes/lookup-routes.js';
import { addMarkRoutes, type MarkRoutes } from './routes/mark-routes.js';
import { addServiceRoutes, type Check } from './routes/service-routes.js';
import { addCountRoutes, addEstimateRoute } from './routes/snapshot-routes.js';
import { addStreamRoute, TickStream } from './routes/tick-stream.js';
import type { LiveState, QualityReport } from './schema/live-state.js';

/** Folder of the built page. */
const BUILT_PAGE = join(packageFolder(), 'dist/page');

/** Serve the files of the page, compressed if the browser accepts that. */
async function addPage(app: FastifyInstance, dir = BUILT_PAGE): Promise<void> {
  if (!existsSync(join(dir, 'index.html'))) {
    const detail = 'the page is not built: run npm run build';
    app.get('/', { schema: { hide: true } }, (_request, reply) => sendProblem(reply, 503, detail));
    return;
  }
  await app.register(fastifyStatic, {
    root: dir,
    wildcard: false,
    preCompressed: true,
    // File names do not contain a version, so the browser has to revalidate its copies.
    cacheControl: false,
    setHeaders: (reply) => {
      reply.setHeader('cache-control', 'no-cache');
    },
    globIgnore: ['**/*.br', '**/*.gz', '**/*.map'],
    schemaHide: true,
  });
}

/** Methods that each path supports, for the `Allow` header of 405 responses. */
class RouteMethods {
  readonly #routes = new Map<
    string,
    {
      readonly pattern: RegExp;
      readonly methods: Set<string>;
    }
  >();

  /** @param app server on which no routes are registered yet */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      const route = this.#routes.get(url) ?? {
        pattern: patternOf(url),
        methods: new Set(),
      };
      for (const one of [method].flat()) {
        route.methods.add(one);
      }
      this.#routes.set(url, route);
    });
  }

  /** List the methods of a path in alphabetical order; empty if no route matches the path. */
  at(path: string): string[] {
    const found = [...this.#routes.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  }
}

/**
 * Convert a route pattern of fastify, such as `/items/:id` or `/static/*`, to a regular expression.
 */
function patternOf(url: string): RegExp {
  const literal = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`);
}

export interface ServerOptions extends Omit<Partial<GuardOptions>, 'host'> {
  readonly host: string;
  /** Maximum number of open event streams per client address. */
  readonly streamsPerAddress: number;
  /** Port to listen on; 0 for any free port. */
  readonly port: number;
  readonly version: string;
  readonly exporter: {
    readonly contentType: string;
    metrics(): Promise<string>;
  };
  readonly history: History;
  /** Names of the configured windows. */
  readonly windows: readonly string[];
  latest(): Snapshot | undefined;
  /** Whether another process of the group shows the numbers. */
  isElsewhere?(): boolean;
  quality(): QualityReport;
  /** State of the service, which readers should see before any number. */
  state(): LiveState;
  /** Lookups of the newest snapshot; undefined until they are possible. */
  lookup(): AskedLookup | undefined;
  readonly marks: MarkRoutes;
  /** Routes for exported test sets; undefined if none are exported. */
  readonly exports?: ExportRoutes | undefined;
  health(): readonly Check[];
  readiness(): readonly Check[];
  readonly log: FaultLog;
}

export interface HttpServer {
  /** Base URL, e.g. `http://127.0.0.1:9464`. */
  readonly address: string;
  /** Send a new snapshot to all readers of the stream. */
  publish(snapshot: Snapshot): void;
  /** Send the state to all readers of the stream if it has changed. */
  publishState(state: LiveState): void;
  /**
   * Disconnect all readers of the stream. When they reconnect, they learn which process shows the
   * numbers.
   */
  endStreams(): void;
  close(): Promise<void>;
}

/** Maximum size of a request body, bytes. Requests carry queries and marks, not documents. */
const MAX_BODY_BYTES = 64 * 1024;
/** Maximum length of a path parameter: an id of 512 bytes, each percent-encoded. */
const MAX_PARAMETER_LENGTH = 3 * 512;
/** Time within which a request must have arrived completely, ms. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Create a server for metrics, health, the API and the page. Rejects with LISTEN if the address is
 * not available.
 */
export async function createServer(options: ServerOptions): Promise<HttpServer> {
  const app = fastify({
    // A browser or a scraper that keeps its connection must not keep the process alive.
    forceCloseConnections: true,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    // Reject a misspelt query instead of ignoring it.
    ajv: {
      customOptions: {
        removeAdditional: false,
        coerceTypes: true,
      },
    },
    frameworkErrors: (error, _request, reply) => answerError(options.log, error, reply),
  });
  // Every response is already text. Compiling a serialiser for each schema would take half of the
  // start time.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler<FastifyError>((error, _request, reply) =>
    answerError(options.log, error, reply),
  );
  const stream = new TickStream(options);
  const { host, hosts = [], token, rateLimit = 0 } = options;
  await addGuard(app, {
    host,
    hosts,
    token,
    rateLimit,
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  const methods = new RouteMethods(app);
  // This hook runs before the body is read: an unknown path or method does not need its body.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    answerNowhere(request, reply, methods);
  });
  app.setNotFoundHandler((request, reply) => answerNowhere(request, reply, methods));
  await app.register(compress, {
    threshold: 1024,
    encodings: ['br', 'gzip'],
    ...COMPRESSION,
  });
  await addDocs(app, {
    version: options.version,
    hasToken: token !== undefined,
  });
  addServiceRoutes(app, options);
  await app.register(async (api) => addApi(api, options, stream), { prefix: '/api/v1' });
  // Marks are available from every worker, whereas numbers are only where the ticks are computed.
  await app.register(async (api) => addMarkRoutes(api, options.marks), { prefix: '/api/v1' });
  await addPage(app);
  if (options.exports !== undefined) {
    await app.register(exportRoutes(options.exports));
  }
  return {
    address: await listen(app, options),
    publish: (snapshot) => stream.publish(snapshot),
    publishState: (state) => stream.publishState(state),
    endStreams: () => stream.close(),
    close: () => {
      stream.close();
      return app.close();
    },
  };
}

/** Compression settings. Responses change with every tick, so speed matters more than size. */
const COMPRESSION = {
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  zlibOptions: { level: 4 },
};

function addApi(api: FastifyInstance, options: ServerOptions, stream: TickStream): void {
  api.addHook('onRequest', async (_request, reply) => {
    if (options.isElsewhere?.()) return sendElsewhere(reply);
  });
  addEstimateRoute(api, () => options.latest(), options.windows);
  for (const add of FEATURE_ROUTES.estimates) {
    add(api, options);
  }
  addCountRoutes(api, () => options.latest());
  for (const add of FEATURE_ROUTES.numbers) {
    add(api, options);
  }
  addHistoryRoutes(api, options.history, options.windows);
  for (const add of FEATURE_ROUTES.history) {
    add(api, options);
  }
  addLookupRoutes(api, options);
  for (const add of FEATURE_ROUTES.lookup) {
    add(api, options);
  }
  addStreamRoute(api, stream, () => options.latest());
}

/** Start listening. @returns base URL. Rejects with LISTEN if the address is not available. */
export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<ServerOptions, 'host' | 'port'>,
): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    await app.close();
    const code = (error as NodeJS.ErrnoException).code;
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: 'the port is in use',
      EADDRNOTAVAIL: 'this machine does not have that address',
      EACCES: 'this process is not permitted to use that port',
      ENOTFOUND: 'the host name cannot be resolved',
    };
    const reason = reasons[code ?? ''] ?? (error as Error).message;
    throw new UnskewError('LISTEN', `cannot listen on ${host}:${port}: ${reason}`, {
      cause: error,
    });
  }
}

interface FaultLog {
  error(fields: object, message: string): void;
}

/** Respond to a request without a route: 404, or 405 if the path supports other methods. */
function answerNowhere(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
  methods: RouteMethods,
): FastifyReply {
  const [path] = url.split('?', 1);
  const allowed = methods.at(path!);
  if (allowed.length === 0 || allowed.includes(method)) {
    return sendProblem(reply, 404, `there is no route ${method} ${path}`);
  }
  reply.header('allow', allowed.join(', '));
  return sendProblem(reply, 405, `${path} takes ${allowed.join(' and ')}`);
}

/** Respond to an error: client errors are explained; errors of the service are only logged. */
function answerError(log: FaultLog, error: FastifyError, reply: FastifyReply): void {
  const status = error.statusCode ?? 500;
  if (status < 500) {
    const values: unknown = error.validation?.[0]?.params['allowedValues'];
    const allowed = Array.isArray(values) ? `: ${values.join(', ')}` : '';
    sendProblem(reply, status, error.message + allowed);
    return;
  }
  log.error({ err: error }, 'a request failed');
  sendProblem(reply, 500);
}
