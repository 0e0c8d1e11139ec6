import { type Static, type TSchema, Type } from 'typebox';
import { Num } from '../../../rows/row.js';
import { problemAnswers } from '../answers.js';
import { EventTime } from '../schema/number.js';

/** As a name in a folder and in a bucket; nothing that begins with a dot. */
const Name = Type.String({ pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$' });
const Time = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000, description });

const SetName = Type.Object({ name: Name });
const SetFileName = Type.Object({ name: Name, file: Name });

/** A run by hand; what is left out is as for a night that is due now. */
const SetOrder = Type.Object(
  {
    name: Type.Optional(Name),
    from: Type.Optional(Time('Event time from this on, ms')),
    to: Type.Optional(Time('Event time before this, ms')),
  },
  { additionalProperties: false },
);
export type SetOrder = Static<typeof SetOrder>;

const OrderedSet = Type.Object({
  name: Type.String(),
  from: EventTime('Begin'),
  to: EventTime('End, exclusive'),
});

const SetList = Type.Object({
  place: Type.String({ description: 'Folder or bucket' }),
  sets: Type.Array(Type.String(), { description: 'Names of the complete sets, the newest first' }),
  running: Type.Union([Type.Object({}), Type.Null()], { description: 'The run that is under way' }),
  next: Num('When the next run is due, ms; null without a schedule'),
  overdue: Num('The oldest due time whose set is not there, ms'),
  lastMade: Num('The newest night whose set is there, ms'),
  lastError: Type.Union([Type.String(), Type.Null()]),
});

/** Only that it is JSON is said here: what a manifest holds is its own version's matter. */
const Manifest = Type.Object({});

/** What the files of a set are, by the ends of their names. */
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
  summary: 'The complete sets, and what is under way',
  tags,
  response: { 200: json(SetList, 'Names, the newest first') },
};
export const START = {
  summary: 'Starts the making of a set',
  tags,
  body: SetOrder,
  response: {
    202: json(OrderedSet, 'It is begun; Location is where it will be'),
    ...problemAnswers(400, 403, 409, 413, 415),
  },
};
export const MANIFEST_OF = {
  summary: 'The manifest of a set',
  tags,
  params: SetName,
  response: { 200: json(Manifest, 'As it was written'), ...problemAnswers(400, 404) },
};
export const FILE_OF = {
  summary: 'A file of a set',
  tags,
  params: SetFileName,
  response: {
    200: { description: 'Its bytes', content: fileContents() },
    ...problemAnswers(400, 404),
  },
};

/** A manifest is a file too, and in the API's description JSON is not text. */
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
  return { description, content: { 'application/json': { schema } } };
}
