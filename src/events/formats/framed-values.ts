import type { FaultReason } from '../fault.js';
import { avroReader } from './avro-walker.js';
import { Cursor, PayloadFault } from './cursor.js';
import { type Format, type Frame, frameOf } from './frame.js';
import type { Wanted } from './plan.js';
import { protobufReader } from './protobuf-reader.js';
import type { ProtobufMessage, ProtobufTree, Schema, SchemaTable } from './schema.js';

export type Readable = Extract<Schema, { type: 'avro' | 'protobuf' }>;

/**
 * A record without its frame, in one of three forms: a payload with its schema and frame, the start
 * of its JSON, or a fault.
 */
export type Opened =
  | {
      readonly is: 'framed';
      readonly schema: Readable;
      readonly frame: Frame;
    }
  | {
      readonly is: 'json';
      readonly from: number;
    }
  | {
      readonly is: 'fault';
      readonly reason: FaultReason;
      readonly detail: string;
    };

type Read = (at: Cursor) => unknown;

const MOST_INDEXES = 32;
const NOT_FRAMED =
  'expected a frame that names a schema: a byte 0 and an id, or a byte 1 and a GUID';

/** Removes frames of records, and reads their payloads as JavaScript values. */
export class FramedValues {
  readonly #schemas: SchemaTable;
  readonly #wanted: Wanted;
  readonly #cursor: Cursor;
  readonly #readers = new WeakMap<object, Read>();

  /** @param wanted parts to read; all others are skipped */
  constructor(schemas: SchemaTable, wanted: Wanted, cursor = new Cursor()) {
    this.#schemas = schemas;
    this.#wanted = wanted;
    this.#cursor = cursor;
  }

  /** Read the frame of a record, and find its schema. */
  open(
    bytes: Uint8Array,
    start: number,
    end: number,
    header: Uint8Array | undefined,
    format: Format,
  ): Opened {
    if (format === 'json') {
      return {
        is: 'json',
        from: start,
      };
    }
    const frame = frameOf(bytes, start, end, header);
    if (frame === undefined) {
      if (format === 'auto') {
        return {
          is: 'json',
          from: start,
        };
      }
      return {
        is: 'fault',
        reason: 'not_framed',
        detail: NOT_FRAMED,
      };
    }
    const schema = this.#schemas.get(frame.key);
    if (schema === undefined) return unknownSchema(`the registry has no schema with ${frame.key}`);
    if (schema.type === 'unreadable') {
      return unknownSchema(`cannot use the schema with ${frame.key}: ${schema.why}`);
    }
    if (format !== 'auto' && format !== schema.type) {
      return unknownSchema(`the schema with ${frame.key} is ${schema.type}, expected ${format}`);
    }
    if (schema.type === 'json_schema') {
      return {
        is: 'json',
        from: frame.start,
      };
    }
    return {
      is: 'framed',
      schema,
      frame,
    };
  }

  /** Read the wanted parts of a payload. @throws PayloadFault if the bytes do not fit the schema */
  value(schema: Readable, frame: Frame, bytes: Uint8Array, end: number): unknown {
    const at = this.#cursor;
    at.load(bytes, frame.start, end);
    if (schema.type === 'avro') {
      const value = this.#reader(schema.root, () => avroReader(schema.root, this.#wanted))(at);
      if (at.at !== end) throw new PayloadFault(`there are ${end - at.at} bytes after the value`);
      return value;
    }
    const message = this.messageOf(schema.messages, frame, bytes, end);
    return this.#reader(message, () => protobufReader(message, this.#wanted))(at);
  }

  /**
   * Read the indexes that select the message type in a Protobuf schema, and leave the cursor at the
   * payload. The first index selects an outermost type; each further one selects a type declared in
   * the one before.
   */
  messageOf(
    messages: readonly ProtobufTree[],
    { start, indexes }: Frame,
    bytes: Uint8Array,
    end: number,
  ): ProtobufMessage {
    const at = this.#cursor;
    if (indexes !== undefined) {
      at.load(indexes, 0, indexes.length);
    }
    const count = zigzag32(at);
    if (count < 0 || count > MOST_INDEXES)
      throw new PayloadFault(`the message has ${count} indexes, expected 0 to ${MOST_INDEXES}`);
    // A count of 0 means the first message, which is the only one of most files.
    let tree: ProtobufTree | undefined = messages[count === 0 ? 0 : zigzag32(at)];
    for (let n = 1; n < count; n++) {
      tree = tree?.nested[zigzag32(at)];
    }
    if (tree === undefined) throw new PayloadFault('the schema has no message with these indexes');
    if (indexes !== undefined) {
      at.load(bytes, start, end);
    }
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

function unknownSchema(detail: string): Opened {
  return {
    is: 'fault',
    reason: 'unknown_schema',
    detail,
  };
}

function zigzag32(at: Cursor): number {
  const value = at.varint32();
  return (value >>> 1) ^ -(value & 1);
}
