import { describe, expect, it } from 'vitest';
import { FAULT_REASONS } from '../../../src/events/fault.js';
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

describe('records that were damaged', () => {
  it('are decoded alike by the fast way and by the general one', () => {
    const random = generator(5);
    const [avro, proto] = [avroOf(SHOWN), protobufOf(CLICKED)];
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

  it('are each accepted or counted under a reason, and memory stays where it was', () => {
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
