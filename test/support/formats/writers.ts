import avro from 'avsc';
import protobuf from 'protobufjs';
import { avroSchema } from '../../../src/adapters/registry/avro.js';
import { protobufSchema } from '../../../src/adapters/registry/protobuf.js';
import { ExposureColumns, InteractionColumns } from '../../../src/events/columns.js';
import { Decoder, type DecoderOptions } from '../../../src/events/decode.js';
import { type Schema, SchemaTable } from '../../../src/events/formats/schema.js';
import { Interner } from '../../../src/state/ids/interner.js';

/** A frame of an id before a payload. */
export function framed(id: number, ...payload: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(id, 1);
  return Buffer.concat([head, ...payload]);
}

/** Writes with avsc, and is read by what is made of the same schema. */
export function avroOf(schema: object): { schema: Schema; write: (value: unknown) => Buffer } {
  const type = avro.Type.forSchema(schema as avro.Schema);
  const root = avroSchema(JSON.stringify(schema), []);
  return { schema: { type: 'avro', root }, write: (value) => type.toBuffer(value) };
}

/** Writes the first message with protobufjs; behind the index that stands for it. */
export function protobufOf(text: string): { schema: Schema; write: (value: object) => Buffer } {
  const messages = protobufSchema(text, []);
  const root = protobuf.parse(text, new protobuf.Root(), { keepCase: true }).root;
  const timestamp = protobuf.common.get('google/protobuf/timestamp.proto');
  if (text.includes('timestamp.proto')) root.addJSON(timestamp!.nested!);
  const type = root.lookupType(messages[0]!.message.name);
  const write = (value: object) =>
    Buffer.concat([Buffer.of(0), type.encode(type.fromObject(value)).finish()]);
  return { schema: { type: 'protobuf', messages }, write };
}

/** Everything that one event became, or why it did not. */
export class Decoded {
  readonly tables = { users: new Interner(), items: new Interner(), models: new Interner() };
  readonly batch = { interactions: new InteractionColumns(), exposures: new ExposureColumns() };
  readonly schemas = new SchemaTable();
  readonly decoder: Decoder;

  constructor(
    options: Partial<DecoderOptions> = {},
    format: 'auto' | 'avro' | 'protobuf' = 'auto',
  ) {
    const formats = { exposures: format, interactions: format };
    const framed = { formats, schemas: this.schemas };
    this.decoder = new Decoder({ maxFutureMs: 60_000, framed, ...options });
  }

  read(
    role: 'exposures' | 'interactions',
    bytes: Uint8Array,
    header?: Uint8Array,
  ): { code: number; row: object | undefined } {
    const { interactions, exposures } = this.batch;
    interactions.clear();
    exposures.clear();
    const { length } = bytes;
    const reference = Number.POSITIVE_INFINITY;
    const { tables, batch, decoder } = this;
    const code = decoder.decode(bytes, 0, length, role, reference, tables, batch, header);
    if (code !== 0) return { code, row: undefined };
    return { code, row: role === 'interactions' ? this.#interaction() : this.#exposure() };
  }

  #interaction() {
    const { ts, value, user, item, flags, idHigh, idLow, exposureHigh, action } =
      this.batch.interactions;
    const { users, items } = this.tables;
    return {
      ts: ts[0],
      value: value[0],
      user: text(users, user[0]!),
      item: text(items, item[0]!),
      flags: flags[0],
      id: [idHigh[0], idLow[0]],
      exposure: exposureHigh[0],
      action: action[0],
    };
  }

  #exposure() {
    const { exposures: from } = this.batch;
    const { users, items, models } = this.tables;
    const length = from.listStart[1]!;
    return {
      ts: from.ts[0],
      user: text(users, from.user[0]!),
      model: text(models, from.model[0]!),
      flags: from.flags[0],
      id: [from.idHigh[0], from.idLow[0]],
      candidates: from.candidates[0],
      items: Array.from(from.items.subarray(0, length), (item) => text(items, item)),
      propensities: Array.from(from.propensities.subarray(0, length)),
      request: [from.requests.requestHigh[0], from.requests.share[0], from.requests.depth[0]],
    };
  }
}

function text(table: Interner, id: number): string {
  return table.text(id);
}
