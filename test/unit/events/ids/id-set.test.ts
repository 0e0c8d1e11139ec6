import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdSet } from '../../../../src/events/id-set.js';

describe('an IdSet', () => {
  it('tells new from repeated as a Set of pairs would', () => {
    const half = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer());
    fc.assert(
      fc.property(fc.array(fc.tuple(half, half), { maxLength: 200 }), (pairs) => {
        const set = new IdSet(1000);
        const seen = new Set<string>();
        for (const [high, low] of pairs) {
          const isNew = !seen.has(`${high} ${low}`);
          expect(set.has(high, low)).toBe(!isNew);
          expect(set.add(high, low)).toBe(isNew ? 'new' : 'repeated');
          seen.add(`${high} ${low}`);
        }
      }),
    );
  });

  it('says of a batch what it says of one id after another', () => {
    const half = fc.integer({ min: -2, max: 2 });
    fc.assert(
      fc.property(fc.array(fc.array(fc.tuple(half, half)), { maxLength: 5 }), (batches) => {
        const [one, all] = [new IdSet(), new IdSet()];
        for (const batch of batches) {
          const expected = batch.map(([high, low]) => (one.add(high, low) === 'repeated' ? 1 : 0));
          const repeated = new Uint8Array(batch.length).fill(7);
          const [high, low] = [0, 1].map((n) => Int32Array.from(batch, (pair) => pair[n]!));
          const count = all.addAll(high!, low!, batch.length, repeated);
          expect([...repeated]).toEqual(expected);
          expect(count).toBe(expected.filter((is) => is === 1).length);
        }
      }),
    );
  });

  it('keeps its members through growth', () => {
    const set = new IdSet(1e6);
    const outcomes = Array.from({ length: 100_000 }, (_, i) =>
      set.add(i % 50_000, Math.imul(i % 50_000, 7919)),
    );
    expect(outcomes.lastIndexOf('new')).toBe(49_999);
    expect(outcomes.indexOf('repeated')).toBe(50_000);
  });

  it('takes no more than it may, and still knows what it has', () => {
    const set = new IdSet(2);
    const outcomes = [1, 2, 3, 1, 3].map((low) => set.add(9, low));
    expect(outcomes).toEqual(['new', 'new', 'no-room', 'repeated', 'no-room']);
  });
});
