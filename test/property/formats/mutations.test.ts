import { describe, expect, it } from 'vitest';
import { FAULT_REASONS } from '../../../src/events/fault.js';
import type { Mapping } from '../../../src/events/mapping/mapping.js';
import { generator } from '../../bench/decode.js';
import { CLICKED, clicked, SHOWN, SHOWN_MAPPING, shown } from '../../support/formats/shop.js';
import { avroOf, Decoded, framed, protobufOf } from '../../support/formats/writers.js';
import { mutated } from '../../support/mutation.js';
import { repetitions } from '../../support/repetitions.js';

const RECORDS = repetitions(2_000, 100_000);
const MIB = 1024 * 1024;

/** The same mapping, said so that each field is looked for the general way. */
const GENERAL = Object.fromEntries(
  Object.entries(SHOWN_MAPPING).map(([kind, fields]) => [
    kind,
    Object.fromEntries(
      Object.entries(fields).map(([name, place]) => [
        name,
        typeof place === 'string' ? [place, place] : place,
      ]),
    ),
  ]),
) as typeof SHOWN_MAPPING;

describe('damaged records', () => {
  it('are decoded alike by the fast and the general path', () => {
    const random = generator(5);
    const avro = avroOf(SHOWN);
    const proto = protobufOf(CLICKED);
    const [fast, general] = [SHOWN_MAPPING, GENERAL].map((mapping) => {
      const decoded = new Decoded({ mapping });
      decoded.schemas.add('id 1', avro.schema);
      decoded.schemas.add('id 2', proto.schema);
      return decoded;
    }) as [Decoded, Decoded];
    let accepted = 0;
    for (let n = 0; n < RECORDS; n++) {
      const [role, bytes, other] =
        n % 2 === 0
          ? (['exposures', framed(1, avro.write(shown(n).value)), 'x'] as const)
          : (['interactions', framed(2, proto.write(clicked(n).value)), 'y'] as const);
      // Later bytes more than the frame's.
      const head = bytes.subarray(0, 6);
      const rest = mutated(bytes.subarray(6), Buffer.from(other), random);
      const damaged = n % 10 === 0 ? bytes : Buffer.concat([head, rest]);
      const found = fast.read(role, damaged);
      expect(found).toEqual(general.read(role, damaged));
      if (found.code === 0) accepted++;
    }
    expect(accepted).toBeGreaterThan(RECORDS / 10);
    expect(accepted).toBeLessThan(RECORDS);
  });

  it('with lists of strings of any length are decoded alike by both paths', () => {
    const random = generator(7);
    const upTo = (most: number) => Math.floor(random() ** 3 * (most + 1));
    const text = (name: string) => ({ name, type: 'string' });
    const items = { name: 'items', type: { type: 'array', items: 'string' } };
    const fields = [...['id', 'user', 'model'].map(text), { name: 'ts', type: 'long' }, items];
    const proto = (number: number) =>
      protobufOf(`syntax = "proto3"; message List { string id = 1; string user = 2;
        string model = 3; int64 ts = 4; repeated string items = ${number}; }`);
    const forms = [avroOf({ type: 'record', name: 'List', fields }), proto(5), proto(20)];
    const [fast, general] = ['/items', ['/items', '/items']].map((of) => {
      const places = { id: '/id', ts: '/ts', user: '/user', model: '/model', items: of };
      const decoded = new Decoded({ mapping: { exposure: places } as Mapping });
      for (const [n, { schema }] of forms.entries()) decoded.schemas.add(`id ${n}`, schema);
      return decoded;
    }) as [Decoded, Decoded];
    const codes = new Set<number>();
    for (let n = 0; n < RECORDS; n++) {
      const size = n % 500 === 0 ? 9_999 + ((n / 500) % 3) : upTo(150);
      const list = Array.from({ length: size }, (_, k) => {
        const tail = (n + k) % 50 === 0 ? 'é'.repeat(upTo(300)) : 'x'.repeat(upTo(90));
        return n % 20 === 0 && k > 0 ? tail : `${k}${tail}`;
      });
      const value = { id: `e${n}`, user: 'u', model: 'm', ts: 5, items: list };
      const of = n % forms.length;
      const bytes = framed(of, forms[of]!.write(value));
      const rest = mutated(bytes.subarray(6), Buffer.from('x'), random);
      const given = n % 3 === 0 ? Buffer.concat([bytes.subarray(0, 6), rest]) : bytes;
      const found = fast.read('exposures', given);
      expect(found).toEqual(general.read('exposures', given));
      codes.add(found.code);
    }
    const reasons = ['accepted', 'list_too_long', 'id_too_long'];
    expect([...codes].map((code) => FAULT_REASONS[code])).toEqual(
      expect.arrayContaining([...reasons, 'id_empty', 'invalid_utf8', 'schema_mismatch']),
    );
  });

  it('are each accepted or counted under a reason without growing memory', () => {
    const random = generator(11);
    const avro = avroOf(SHOWN);
    const proto = protobufOf(CLICKED);
    const decoded = new Decoded({ mapping: SHOWN_MAPPING });
    decoded.schemas.add('id 1', avro.schema);
    decoded.schemas.add('id 2', proto.schema);
    const whole = Array.from({ length: 40 }, (_, n) =>
      n % 2 === 0
        ? (['exposures', framed(1, avro.write(shown(n).value))] as const)
        : (['interactions', framed(2, proto.write(clicked(n).value))] as const),
    );
    const counts = new Map<string, number>();
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < RECORDS; n++) {
      const [role, bytes] = whole[n % whole.length]!;
      const { code } = decoded.read(
        role,
        mutated(bytes, whole[(n * 7) % whole.length]![1], random),
      );
      const reason = FAULT_REASONS[code];
      expect(reason).toBeTypeOf('string');
      counts.set(reason!, (counts.get(reason!) ?? 0) + 1);
    }
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBe(RECORDS);
    // Frames, payloads and rules of events have all been hit.
    for (const reason of ['accepted', 'schema_mismatch', 'unknown_schema', 'not_json']) {
      expect(counts.get(reason), reason).toBeGreaterThan(0);
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MIB);
  });
});
