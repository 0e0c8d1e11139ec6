import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { UnskewError } from '../../../errors.js';
import type { NightOrder } from '../../../export/nights/night-ports.js';
import type { NightlyStatus } from '../../../export/nights/nightly.js';
import { MANIFEST, type SetStorage } from '../../../export/ports.js';
import { PROBLEM_TYPE, problem } from '../problem.js';

/** What the routes of the sets need. */
export interface ExportRoutes {
  readonly storage: SetStorage;
  status(): NightlyStatus;
  /** @throws UnskewError SET where a run is under way. */
  startNow(order: NightOrder): Promise<void>;
  /** The order of a run by hand; what is not given is as for a night that is due now. */
  orderOf(given: {
    readonly name?: string;
    readonly from?: number;
    readonly to?: number;
  }): NightOrder;
}

const NAME = '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$';
const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  html: 'text/html; charset=utf-8',
};
/** The report brings its own style and nothing else. */
const REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

const START = {
  type: 'object',
  // Not `additionalProperties`: the server would take what is unknown away and go on.
  propertyNames: { enum: ['name', 'from', 'to'] },
  properties: {
    name: { type: 'string', pattern: NAME },
    from: { type: 'integer' },
    to: { type: 'integer' },
  },
};
const ONE = { type: 'object', properties: { name: { type: 'string', pattern: NAME } } };
const FILE = {
  type: 'object',
  properties: { name: ONE.properties.name, file: { type: 'string', pattern: NAME } },
};

/** `/api/v1/exports`: the sets, a run by hand, and the files of a set. */
export function exportRoutes(routes: ExportRoutes) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/api/v1/exports', async () => {
      const names = await routes.storage.list();
      return { place: routes.storage.place, ...routes.status(), sets: names.reverse() };
    });
    app.post('/api/v1/exports', { schema: { body: START } }, async (request, reply) => {
      const order = routes.orderOf(request.body as { name?: string; from?: number; to?: number });
      if (order.from >= order.to) return refuse(reply, 400, 'from has to be before to');
      try {
        await routes.startNow(order);
      } catch (error) {
        if (error instanceof UnskewError && error.code === 'SET') {
          return refuse(reply, 409, error.message);
        }
        throw error;
      }
      const location = `/api/v1/exports/${order.name}`;
      return reply.code(202).header('location', location).send(order);
    });
    app.get('/api/v1/exports/:name', { schema: { params: ONE } }, (request, reply) => {
      const { name } = request.params as { name: string };
      return download(routes.storage, name, MANIFEST, reply);
    });
    app.get('/api/v1/exports/:name/:file', { schema: { params: FILE } }, (request, reply) => {
      const { name, file } = request.params as { name: string; file: string };
      return download(routes.storage, name, file, reply);
    });
  };
}

/** The first bytes are waited for, so that a file that is not there is a 404 and no broken answer. */
async function download(
  storage: SetStorage,
  name: string,
  file: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const parts = storage.read(name, file)[Symbol.asyncIterator]();
  let first: IteratorResult<Uint8Array>;
  try {
    first = await parts.next();
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    return refuse(reply, 404, `there is no ${file} of a complete set ${name}`);
  }
  const ending = file.slice(file.lastIndexOf('.') + 1);
  reply.type(TYPES[ending] ?? 'application/octet-stream');
  if (ending === 'html') reply.header('content-security-policy', REPORT_POLICY);
  else reply.header('content-disposition', `attachment; filename="${file}"`);
  return reply.send(Readable.from(following(first, parts)));
}

async function* following(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncIterable<Uint8Array> {
  try {
    for (let part = first; !part.done; part = await rest.next()) yield part.value;
  } finally {
    await rest.return?.();
  }
}

function refuse(reply: FastifyReply, status: number, detail: string): FastifyReply {
  return reply
    .code(status)
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problem(status, detail)));
}
