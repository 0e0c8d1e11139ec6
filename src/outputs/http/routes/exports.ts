import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { UnskewError } from '../../../errors.js';
import type { NightOrder } from '../../../export/night-ports.js';
import type { NightlyStatus } from '../../../export/nightly.js';
import { MANIFEST, type SetStorage } from '../../../export/ports.js';
import { sendJson, sendProblem } from '../reply.js';
import {
  FILE_OF,
  FILE_TYPES,
  LIST,
  MANIFEST_OF,
  OTHER_TYPE,
  type SetOrder,
  START,
} from './set-descriptions.js';
import { strictly } from './strictly.js';

/** What the routes of the sets need. */
export interface ExportRoutes {
  readonly storage: SetStorage;
  status(): NightlyStatus;
  /** @throws UnskewError SET if a run is under way. */
  startNow(order: NightOrder): Promise<void>;
  /** The order of a run by hand; what is not given is as for a night that is due now. */
  orderOf(given: {
    readonly name?: string;
    readonly from?: number;
    readonly to?: number;
  }): NightOrder;
}

/** The report brings its own style and nothing else. */
const REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** `/api/v1/exports`: the sets, a run by hand, and the files of a set. */
export function exportRoutes(routes: ExportRoutes) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/api/v1/exports', { schema: LIST }, async (_request, reply) => {
      const names = await routes.storage.list();
      const { place } = routes.storage;
      return sendJson(reply, { place, ...routes.status(), sets: names.reverse() });
    });
    app.post<{ Body: SetOrder }>('/api/v1/exports', {
      schema: START,
      validatorCompiler: strictly,
      handler: ({ body }, reply) => start(routes, body, reply),
    });
    app.get<{ Params: { name: string } }>('/api/v1/exports/:name', {
      schema: MANIFEST_OF,
      handler: ({ params }, reply) => download(routes.storage, params.name, MANIFEST, reply),
    });
    app.get<{ Params: { name: string; file: string } }>('/api/v1/exports/:name/:file', {
      schema: FILE_OF,
      handler: ({ params }, reply) => download(routes.storage, params.name, params.file, reply),
    });
  };
}

async function start(
  routes: ExportRoutes,
  given: SetOrder,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const order = routes.orderOf(given);
  if (order.from >= order.to) return sendProblem(reply, 400, 'from has to be before to');
  try {
    await routes.startNow(order);
  } catch (error) {
    if (error instanceof UnskewError && error.code === 'SET') {
      return sendProblem(reply, 409, error.message);
    }
    throw error;
  }
  const location = `/api/v1/exports/${order.name}`;
  return sendJson(reply.code(202).header('location', location), order);
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
    return sendProblem(reply, 404, `there is no ${file} of a complete set ${name}`);
  }
  const ending = file.slice(file.lastIndexOf('.') + 1);
  reply.type(FILE_TYPES[ending] ?? OTHER_TYPE);
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
