import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdTally } from '../../../../src/state/counts/sampled-out.js';

it('an id tally counts like a Map for any ids', () => {
  const someIds = fc.array(fc.oneof(fc.nat(40), fc.nat(2 ** 31 - 2)), { maxLength: 400 });
  fc.assert(
    fc.property(someIds, someIds, (added, together) => {
      const tally = new IdTally();
      const wanted = new Map<number, number>();
      for (const id of added) {
        tally.add(id);
        wanted.set(id, (wanted.get(id) ?? 0) + 1);
      }
      tally.addAll({
        ids: Int32Array.from(together),
        counts: new Uint8Array(together.length).fill(3),
      });
      for (const id of together) wanted.set(id, (wanted.get(id) ?? 0) + 3);
      const { ids, counts } = tally.counts();
      expect(new Map([...ids].map((id, j) => [id, counts[j]]))).toEqual(wanted);
      expect(tally.size).toBe(wanted.size);
    }),
    { numRuns: 200 },
  );
});
