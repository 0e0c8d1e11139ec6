import type { EventKind } from '../decoding/check.js';
import type { EventDraft } from '../decoding/draft.js';
import type { EventParser, EventRole } from '../decoding/parse.js';
import { isSound } from '../decoding/sound.js';
import { ACCEPTED } from '../fault.js';
import { FIELDS } from '../field.js';
import { ID_FIELDS, idText } from '../mapping/field-source.js';
import type { CompiledMapping } from '../mapping/mapping.js';
import { AvroReaders, avroReader } from './avro-reader.js';
import { avroWalk, type Walk } from './avro-walker.js';
import { Cursor, PayloadFault } from './cursor.js';
import { type Frame, frameOf } from './frame.js';
import { CANONICAL, type Plan, planOf, Unplanned } from './plan.js';
import { protobufReader } from './protobuf-reader.js';
import { protobufWalk } from './protobuf-walker.js';
import type { ProtobufMessage, ProtobufTree, Schema } from './schema.js';
import type { SchemaTable } from './schema-table.js';
import { EventSink } from './sink.js';
import { type Wanted, wantedOf } from './wanted.js';

/** How the values of a topic are written; `auto`: as each record's frame says, and JSON without one. */
export const FORMATS = ['json', 'avro', 'protobuf', 'json_schema', 'auto'] as const;
export type Format = (typeof FORMATS)[number];

export type Formats = Readonly<Record<'exposures' | 'interactions', Format>>;

/** The text of an event that a frame stood before, or the code of a fault. */
export type Unframed = { readonly jsonFrom: number } | number;

type Read = (at: Cursor) => unknown;

interface Last {
  readonly of: object | undefined;
  readonly walk: Walk | undefined;
}
type Readable = Extract<Schema, { type: 'avro' | 'protobuf' }>;

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
  readonly #sink: EventSink;
  /** Undefined where a mapping says more than where its fields stand. */
  readonly #plans: Readonly<Record<'exposures' | 'interactions', Plan | undefined>>;
  readonly #walks = {
    exposures: new WeakMap<object, Walk | 'none'>(),
    interactions: new WeakMap<object, Walk | 'none'>(),
  };

  /** A topic has few schemas: most records have that of the one before. */
  readonly #last: Record<'exposures' | 'interactions', Last> = {
    exposures: { of: undefined, walk: undefined },
    interactions: { of: undefined, walk: undefined },
  };

  constructor(
    formats: Formats,
    schemas: SchemaTable,
    parser: EventParser,
    draft: EventDraft,
    mapping: CompiledMapping | undefined,
  ) {
    const places = mapping?.places;
    const planFor = (kind: EventKind) => {
      const found = mapping === undefined ? CANONICAL : mapping.placesOf(kind);
      return found && planOf(found);
    };
    this.#plans = { exposures: planFor('exposure'), interactions: planFor('interaction') };
    this.#sink = new EventSink(draft);
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
      if (this.#walked(schema, frame, bytes, end, role, latestTs)) return ACCEPTED;
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

  /** The fast way: it gives what the general way gives, or it declines. */
  #walked(
    schema: Readable,
    frame: Frame,
    bytes: Uint8Array,
    end: number,
    role: 'exposures' | 'interactions',
    latestTs: number,
  ): boolean {
    const plan = this.#plans[role];
    if (plan === undefined) return false;
    const at = this.#cursor;
    let start: number;
    let walk: Walk | undefined;
    if (schema.type === 'avro') {
      start = frame.start;
      walk = this.#walk(role, schema.root, () => avroWalk(schema.root, plan, new AvroReaders()));
    } else {
      at.load(bytes, frame.start, end);
      const message = this.#messageOf(schema.messages, frame, bytes, end);
      start = at.at;
      walk = this.#walk(role, message, () => protobufWalk(message, plan));
    }
    if (walk === undefined) return false;
    const sink = this.#sink;
    const length = sink.load(bytes, start, end);
    at.load(sink.text.bytes, 0, length);
    try {
      walk(at, sink);
    } catch (error) {
      // Which fault it is, the general way says.
      if (error instanceof PayloadFault) return false;
      throw error;
    }
    if (sink.isDeclined || at.at !== length) return false;
    return isSound(sink.draft, sink, role, latestTs);
  }

  #walk(role: 'exposures' | 'interactions', of: object, make: () => Walk): Walk | undefined {
    const last = this.#last[role];
    if (last.of === of) return last.walk;
    const walk = this.#planned(role, of, make);
    this.#last[role] = { of, walk };
    return walk;
  }

  #planned(role: 'exposures' | 'interactions', of: object, make: () => Walk): Walk | undefined {
    const walks = this.#walks[role];
    const known = walks.get(of);
    if (known !== undefined) return known === 'none' ? undefined : known;
    let walk: Walk | undefined;
    try {
      walk = make();
    } catch (error) {
      // A schema that holds itself is read the general way too.
      if (!(error instanceof Unplanned || error instanceof RangeError)) throw error;
    }
    walks.set(of, walk ?? 'none');
    return walk;
  }

  #value(schema: Readable, frame: Frame, bytes: Uint8Array, end: number): unknown {
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
