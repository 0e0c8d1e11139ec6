import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { UnskewError } from '../../../errors.js';
import type { NightOrder } from '../../../export/night-ports.js';
import type { NightlyStatus } from '../../../export/nightly.js';
import { MANIFEST, type SetStorage } from '../../../export/ports.js';
import { Num } from '../../../rows/row.js';
import { problemAnswers, sendJson, sendProblem, strictly } from '../answers.js';
import { EventTime } from '../schema/number.js';

/** Name of a test set. It is valid in folders and buckets, and does not begin with a dot. */
const Name = Type.String({ pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$' });
const Time = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 8_640_000_000_000_000,
    description,
  });

const SetName = Type.Object({ name: Name });
const SetFileName = Type.Object({
  name: Name,
  file: Name,
});

/** Order for a test set, given by hand. Missing fields are as for the next nightly set. */
const SetOrder = Type.Object(
  {
    name: Type.Optional(Name),
    from: Type.Optional(Time('Start of the range in event time, ms, inclusive')),
    to: Type.Optional(Time('End of the range in event time, ms, exclusive')),
  },
  { additionalProperties: false },
);
export type SetOrder = Static<typeof SetOrder>;

const OrderedSet = Type.Object({
  name: Type.String(),
  from: EventTime('Start of the range'),
  to: EventTime('End of the range, exclusive'),
});

const SetList = Type.Object({
  place: Type.String({ description: 'Folder or bucket of the sets' }),
  sets: Type.Array(Type.String(), { description: 'Names of the complete sets, newest first' }),
  running: Type.Union([Type.Object({}), Type.Null()], { description: 'The run in progress' }),
  next: Num('When the next run is due, ms; null without a schedule'),
  overdue: Num('Due time of the oldest missing set, ms; null if none is missing'),
  lastMade: Num('Due time of the newest scheduled set, ms'),
  lastError: Type.Union([Type.String(), Type.Null()]),
});

/**
 * Manifest of a test set. Its fields depend on its version, so the schema allows any JSON object.
 */
const Manifest = Type.Object({});

/** Content types of the files of a test set, by file extension. */
export const FILE_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  html: 'text/html; charset=utf-8',
};
export const OTHER_TYPE = 'application/octet-stream';

const tags = ['sets'];
export const LIST = {
  summary: 'Complete test sets, and the run in progress',
  tags,
  response: { 200: json(SetList, 'Names of the sets, newest first') },
};
export const START = {
  summary: 'Start making a test set',
  tags,
  body: SetOrder,
  response: {
    202: json(OrderedSet, 'Started; the Location header is the address of the finished set'),
    ...problemAnswers(400, 403, 409, 413, 415),
  },
};
export const MANIFEST_OF = {
  summary: 'Manifest of a test set',
  tags,
  params: SetName,
  response: {
    200: json(Manifest, 'The manifest, as it was written'),
    ...problemAnswers(400, 404),
  },
};
export const FILE_OF = {
  summary: 'File of a test set',
  tags,
  params: SetFileName,
  response: {
    200: {
      description: 'Content of the file',
      content: fileContents(),
    },
    ...problemAnswers(400, 404),
  },
};

/**
 * Describe the content types of the files for the API description. JSON is described as an object,
 * since the manifest is one of the files; all others as text.
 */
function fileContents(): Record<string, unknown> {
  const types = [...Object.values(FILE_TYPES), OTHER_TYPE].map((type) => type.split(';', 1)[0]!);
  return Object.fromEntries(
    types.map((type) => [
      type,
      { schema: type.endsWith('/json') ? Type.Object({}) : Type.String() },
    ]),
  );
}

function json(schema: TSchema, description: string) {
  return {
    description,
    content: { 'application/json': { schema } },
  };
}

/** Functions that the routes for test sets need. */
export interface ExportRoutes {
  readonly storage: SetStorage;
  status(): NightlyStatus;
  /** Start making a test set. @throws UnskewError SET if one is being made. */
  startNow(order: NightOrder): Promise<void>;
  /** Complete an order that was given by hand. Missing fields are as for the next nightly set. */
  orderOf(given: {
    readonly name?: string;
    readonly from?: number;
    readonly to?: number;
  }): NightOrder;
}

/** Content security policy of a report: it has inline styles and loads nothing. */
const REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** Create the routes under `/api/v1/exports`: list test sets, make one now, download its files. */
export function exportRoutes(routes: ExportRoutes) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/api/v1/exports', { schema: LIST }, async (_request, reply) => {
      const names = await routes.storage.list();
      const { place } = routes.storage;
      return sendJson(reply, {
        place,
        ...routes.status(),
        sets: names.reverse(),
      });
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
    app.get<{
      Params: {
        name: string;
        file: string;
      };
    }>('/api/v1/exports/:name/:file', {
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
  if (order.from >= order.to) return sendProblem(reply, 400, 'from must be before to');
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

/**
 * Send a file of a test set. The response starts only after the first bytes have been read, so that
 * a missing file gives a 404 instead of a broken download.
 */
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
    return sendProblem(reply, 404, `there is no complete set ${name} with a file ${file}`);
  }
  const ending = file.slice(file.lastIndexOf('.') + 1);
  reply.type(FILE_TYPES[ending] ?? OTHER_TYPE);
  if (ending === 'html') {
    reply.header('content-security-policy', REPORT_POLICY);
  } else {
    reply.header('content-disposition', `attachment; filename="${file}"`);
  }
  return reply.send(Readable.from(following(first, parts)));
}

async function* following(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncIterable<Uint8Array> {
  try {
    for (let part = first; !part.done; part = await rest.next()) {
      yield part.value;
    }
  } finally {
    await rest.return?.();
  }
}
