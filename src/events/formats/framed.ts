import type { EventParser, EventRole } from '../decoding/parse.js';
import { FIELDS } from '../field.js';
import { ID_FIELDS, idText, type Tokens } from '../mapping/field-source.js';
import { avroReader } from './avro-reader.js';
import { Cursor, PayloadFault } from './cursor.js';
import { type Frame, frameOf } from './frame.js';
import { protobufReader } from './protobuf-reader.js';
import type { ProtobufMessage, ProtobufTree, Schema } from './schema.js';
import type { SchemaTable } from './schema-table.js';
import { type Wanted, wantedOf } from './wanted.js';

/** How the values of a topic are written; `auto`: as each record's frame says, and JSON without one. */
export const FORMATS = ['json', 'avro', 'protobuf', 'json_schema', 'auto'] as const;
export type Format = (typeof FORMATS)[number];

export type Formats = Readonly<Record<'exposures' | 'interactions', Format>>;

/** The text of an event that a frame stood before, or the code of a fault. */
export type Unframed = { readonly jsonFrom: number } | number;

type Read = (at: Cursor) => unknown;

/**
 * Reads events whose bytes name their schema: the frame is taken off, the payload read by a reader
 * that was made once for its schema, and what comes out judged as an event of JSON is.
 */
export class FramedEvents {
  readonly #formats: Formats;
  readonly #schemas: SchemaTable;
  readonly #parser: EventParser;
  readonly #isMapped: boolean;
  readonly #wanted: Wanted;
  readonly #cursor = new Cursor();
  readonly #readers = new WeakMap<object, Read>();

  /** @param places  where a mapping looks; undefined for canonical events */
  constructor(
    formats: Formats,
    schemas: SchemaTable,
    parser: EventParser,
    places: readonly Tokens[] | undefined,
  ) {
    this.#formats = formats;
    this.#schemas = schemas;
    this.#parser = parser;
    this.#isMapped = places !== undefined;
    this.#wanted = wantedOf(places ?? FIELDS.map((name) => [name]));
  }

  /** Whether records of this kind may be framed. */
  reads(role: EventRole): boolean {
    return role !== 'mixed' && this.#formats[role] !== 'json';
  }

  /** @returns 0 with the draft filled, the code of a fault, `IGNORED`, or where JSON begins */
  read(
    bytes: Uint8Array,
    start: number,
    end: number,
    role: 'exposures' | 'interactions',
    latestTs: number,
    header: Uint8Array | undefined,
  ): Unframed {
    const format = this.#formats[role];
    const frame = frameOf(bytes, start, end, header);
    if (frame === undefined) {
      if (format === 'auto') return { jsonFrom: start };
      return this.#parser.fail('not_framed', NOT_FRAMED);
    }
    const schema = this.#schemas.get(frame.key);
    if (schema === undefined) {
      return this.#parser.fail('unknown_schema', `the registry has no schema of ${frame.key}`);
    }
    if (schema.type === 'unreadable') {
      return this.#parser.fail('unknown_schema', `the schema of ${frame.key}: ${schema.why}`);
    }
    if (format !== 'auto' && format !== schema.type) {
      const found = `the schema of ${frame.key} is ${schema.type}, expected ${format}`;
      return this.#parser.fail('unknown_schema', found);
    }
    if (schema.type === 'json_schema') return { jsonFrom: frame.start };
    let event: unknown;
    try {
      event = this.#value(schema, frame, bytes, end);
    } catch (error) {
      if (!(error instanceof PayloadFault)) throw error;
      return this.#parser.fail(error.reason, `${frame.key}: ${error.message}`);
    }
    if (typeof event !== 'object' || event === null || Array.isArray(event)) {
      return this.#parser.fail('not_an_object', `${frame.key}: the schema is of no record`);
    }
    const fields = event as Record<string, unknown>;
    if (!this.#isMapped) asCanonical(fields, schema.type === 'protobuf');
    return this.#parser.judge(fields, role, latestTs);
  }

  #value(
    schema: Extract<Schema, { type: 'avro' | 'protobuf' }>,
    frame: Frame,
    bytes: Uint8Array,
    end: number,
  ): unknown {
    const at = this.#cursor;
    at.load(bytes, frame.start, end);
    if (schema.type === 'avro') {
      const value = this.#reader(schema.root, () => avroReader(schema.root, this.#wanted))(at);
      if (at.at !== end) throw new PayloadFault(`${end - at.at} bytes behind the value`);
      return value;
    }
    const message = this.#messageOf(schema.messages, frame, bytes, end);
    return this.#reader(message, () => protobufReader(message, this.#wanted))(at);
  }

  /** Which message of its file it is: indexes from the outermost inwards, before the payload. */
  #messageOf(
    messages: readonly ProtobufTree[],
    { start, indexes }: Frame,
    bytes: Uint8Array,
    end: number,
  ): ProtobufMessage {
    const at = this.#cursor;
    if (indexes !== undefined) at.load(indexes, 0, indexes.length);
    const count = zigzag32(at);
    if (count < 0 || count > MOST_INDEXES) throw new PayloadFault(`${count} indexes of a message`);
    // None stands for the first message, which most files have alone.
    let tree: ProtobufTree | undefined = messages[count === 0 ? 0 : zigzag32(at)];
    for (let n = 1; n < count; n++) tree = tree?.nested[zigzag32(at)];
    if (tree === undefined) throw new PayloadFault('the file has no such message');
    if (indexes !== undefined) at.load(bytes, start, end);
    return tree.message;
  }

  #reader(of: object, make: () => Read): Read {
    let reader = this.#readers.get(of);
    if (reader === undefined) {
      reader = make();
      this.#readers.set(of, reader);
    }
    return reader;
  }
}

const MOST_INDEXES = 32;
const NOT_FRAMED =
  'expected a frame that names a schema: a byte 0 and an id, or a byte 1 and a GUID';

function zigzag32(at: Cursor): number {
  const value = at.varint32();
  return (value >>> 1) ^ -(value & 1);
}

/** Ids may be integers here, which JSON does not allow them to be. */
function asCanonical(event: Record<string, unknown>, isProtobuf: boolean): void {
  for (const name of ID_FIELDS) event[name] = idText(event[name]);
  const { items } = event;
  if (Array.isArray(items)) event['items'] = items.map(idText);
  if (!isProtobuf) return;
  // Without presence these are 0, and lists empty, where the writer said nothing.
  for (const name of ['candidates', 'depth']) if (event[name] === 0) event[name] = undefined;
  for (const name of ['scores', 'propensities']) {
    const list = event[name];
    if (Array.isArray(list) && list.length === 0) event[name] = undefined;
  }
}
