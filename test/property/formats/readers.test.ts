import avro from 'avsc';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { avroSchema } from '../../../src/adapters/registry/avro.js';
import { protobufSchema } from '../../../src/adapters/registry/protobuf.js';
import { avroReader } from '../../../src/events/formats/avro-walker.js';
import { Cursor } from '../../../src/events/formats/cursor.js';
import { wantedOf } from '../../../src/events/formats/plan.js';
import { protobufReader } from '../../../src/events/formats/protobuf-reader.js';

// Schemas and values at random; what avsc and protobufjs write and read is the oracle.

const PRIMITIVES = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'];

let names = 0;
const name = () => `n${names++}`;

/** A schema of at most this depth. */
function schemaOf(depth: number): fc.Arbitrary<unknown> {
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(...PRIMITIVES),
    fc.constant(0).map(() => ({ type: 'enum', name: name(), symbols: ['A', 'B', 'C'] })),
    fc.nat(9).map((size) => ({ type: 'fixed', name: name(), size: size + 1 })),
  );
  if (depth === 0) return leaf;
  const inner = schemaOf(depth - 1);
  return fc.oneof(
    leaf,
    inner.map((items) => ({ type: 'array', items })),
    inner.map((values) => ({ type: 'map', values })),
    fc.constantFrom('string', 'long', 'boolean').map((type) => ['null', type]),
    fc.array(inner, { minLength: 0, maxLength: 5 }).map((types) => ({
      type: 'record',
      name: name(),
      fields: types.map((type, n) => ({ name: `f${n}`, type })),
    })),
  );
}

/** As plain values: avsc has classes for records. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, plain(of)]));
}

function cursorOf(bytes: Uint8Array): Cursor {
  const cursor = new Cursor();
  // Amid other bytes, as in a fetch.
  const around = Buffer.concat([Buffer.of(1, 2, 3), bytes, Buffer.of(255, 255)]);
  cursor.load(around, 3, 3 + bytes.length);
  return cursor;
}

describe('the Avro reader', () => {
  it('reads and skips values of any schema like avsc', () => {
    fc.assert(
      fc.property(schemaOf(3), (schema) => {
        const type = avro.Type.forSchema(schema as avro.Schema);
        const bytes = type.toBuffer(type.random());
        const node = avroSchema(JSON.stringify(schema), []);
        const cursor = cursorOf(bytes);
        expect(plain(avroReader(node)(cursor))).toEqual(plain(type.fromBuffer(bytes)));
        expect(cursor.at).toBe(3 + bytes.length);
        const skipped = cursorOf(bytes);
        avroReader(
          { kind: 'record', fields: [{ name: 'x', aliases: [], type: node }] },
          wantedOf([]),
        )(skipped);
        expect(skipped.at).toBe(3 + bytes.length);
      }),
    );
  });

  it('reads 64-bit integers exactly', () => {
    const node = avroSchema('"long"', []);
    const type = avro.Type.forSchema('long');
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (long) => {
        const found = avroReader(node)(cursorOf(zigzagBytes(long)));
        expect(BigInt(found as number)).toBe(long);
        // Beyond it the library doubles a number that is rounded then.
        if (Number.isSafeInteger(2 * Number(long) - 1)) {
          expect(zigzagBytes(long)).toEqual(type.toBuffer(Number(long)));
        }
      }),
    );
  });
});

function zigzagBytes(long: bigint): Buffer {
  let rest = BigInt.asUintN(64, (long << 1n) ^ (long >> 63n));
  const bytes: number[] = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

const PROTO = `syntax = "proto3"; package t;
  message All {
    message In { string s = 1; All deeper = 2; }
    enum Kind { NONE = 0; ONE = 1; TWO = 2; }
    double d = 1; float f = 2; int32 i32 = 3; int64 i64 = 4; uint32 u32 = 5; uint64 u64 = 6;
    sint32 s32 = 7; sint64 s64 = 8; fixed32 x32 = 9; fixed64 x64 = 10; sfixed32 y32 = 11;
    sfixed64 y64 = 12; bool b = 13; string s = 14; bytes z = 15; Kind kind = 16; In in = 17;
    repeated string names = 18; repeated int32 packed = 19; repeated double loose = 20 [packed = false];
    map<string, int64> counts = 21; map<int32, In> places = 22; repeated Kind kinds = 23;
    oneof which { string left = 24; In right = 25; } optional int32 maybe = 26;
    optional string perhaps = 27; repeated In ins = 1000;
  }`;

const int32 = fc.integer();
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const safe = fc.maxSafeInteger();
const safeUnsigned = fc.maxSafeNat();
const float = fc.float({ noNaN: true });

function messageOf(depth: number): fc.Arbitrary<Record<string, unknown>> {
  const text = fc.string({ maxLength: 40, unit: 'binary' });
  const inner =
    depth === 0
      ? fc.record({ s: text }, { requiredKeys: [] })
      : fc.record({ s: text, deeper: messageOf(depth - 1) }, { requiredKeys: [] });
  const kind = fc.integer({ min: 0, max: 2 });
  return fc.record(
    {
      d: fc.double({ noNaN: true }),
      f: float,
      i32: int32,
      i64: safe,
      u32: uint32,
      u64: safeUnsigned,
      s32: int32,
      s64: safe,
      x32: uint32,
      x64: safeUnsigned,
      y32: int32,
      y64: safe,
      b: fc.boolean(),
      s: text,
      z: fc.uint8Array(),
      kind,
      in: inner,
      names: fc.array(text),
      packed: fc.array(int32),
      loose: fc.array(fc.double({ noNaN: true })),
      counts: fc.dictionary(fc.string({ minLength: 1 }), safe),
      places: fc.dictionary(int32.map(String), inner),
      kinds: fc.array(kind),
      left: text,
      maybe: int32,
      perhaps: text,
      ins: fc.array(inner, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  );
}

/** As a reader of Protobuf has it, without empty texts where these say nothing. */
function expected(type: protobuf.Type, value: Record<string, unknown>): unknown {
  const decoded = type.decode(type.encode(type.fromObject(value)).finish());
  const all = type.toObject(decoded, { longs: Number, enums: String, arrays: true });
  return withDefaults(type, all);
}

function withDefaults(type: protobuf.Type, value: Record<string, unknown>): unknown {
  const made: Record<string, unknown> = {};
  for (const field of type.fieldsArray) {
    field.resolve();
    const { name: key, resolvedType } = field;
    const found = value[key];
    const inner = (each: unknown) =>
      resolvedType instanceof protobuf.Type
        ? withDefaults(resolvedType, each as Record<string, unknown>)
        : plain(each);
    if (field.map) {
      if (found !== undefined && Object.keys(found as object).length > 0) {
        const entries = Object.entries(found as object);
        made[key] = Object.fromEntries(entries.map(([of, each]) => [of, inner(each)]));
      }
    } else if (field.repeated) made[key] = ((found ?? []) as unknown[]).map(inner);
    else if (found !== undefined) made[key] = inner(found);
    else if (field.partOf || resolvedType instanceof protobuf.Type) continue;
    else if (resolvedType instanceof protobuf.Enum) made[key] = 'NONE';
    else if (field.type === 'bool') made[key] = false;
    else if (field.type !== 'string' && field.type !== 'bytes') made[key] = 0;
  }
  return made;
}

describe('the Protobuf reader', () => {
  const root = protobuf.parse(PROTO, new protobuf.Root(), { keepCase: true }).root;
  const type = root.resolveAll().lookupType('t.All');
  const [tree] = protobufSchema(PROTO, []);

  it('reads any message like protobufjs', () => {
    const read = protobufReader(tree!.message);
    fc.assert(
      fc.property(messageOf(1), (value) => {
        const bytes = type.encode(type.fromObject(value)).finish();
        expect(plain(read(cursorOf(bytes)))).toEqual(expected(type, value));
      }),
    );
  });

  it('reads requested fields as in the whole message', () => {
    const parts = [['i64'], ['in', 's'], ['ins', '*', 's'], ['counts', 'a'], ['packed'], ['right']];
    const read = protobufReader(tree!.message, wantedOf(parts));
    fc.assert(
      fc.property(messageOf(1), (value) => {
        const bytes = type.encode(type.fromObject(value)).finish();
        const found = read(cursorOf(bytes)) as Record<string, unknown>;
        const whole = protobufReader(tree!.message)(cursorOf(bytes)) as Record<string, unknown>;
        expect(found['i64']).toEqual(whole['i64']);
        expect(found['packed']).toEqual(whole['packed']);
        const text = (of: unknown) => (of as { s?: string } | undefined)?.s;
        expect(text(found['in'])).toEqual(text(whole['in']));
        const list = (of: unknown) => (of as unknown[]).map(text);
        expect(list(found['ins'])).toEqual(list(whole['ins']));
        expect(found['d']).toBeUndefined();
      }),
    );
  });

  it('merges repeated occurrences of a message and takes the last of a number', () => {
    const read = protobufReader(tree!.message);
    const halves = [
      { in: { s: 'a', deeper: { i32: 7 } }, i32: 1 },
      { in: { s: 'b' }, i32: 2 },
    ];
    const bytes = halves.map((half) => type.encode(type.fromObject(half)).finish());
    const found = plain(read(cursorOf(Buffer.concat(bytes)))) as { in: object; i32: number };
    expect(found.i32).toBe(2);
    expect(found.in).toMatchObject({ s: 'b', deeper: { i32: 7 } });
  });
});
