import fc from 'fast-check';
import { expect, it } from 'vitest';
import { numberOf, packIds } from '../../../../src/estimators/propensity/packed-ids.js';

it('ids that are packed have the numbers that a map of them has, whatever is asked for', () => {
  const id = fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }), fc.string({ minLength: 600 }));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 30 }), fc.array(id, { maxLength: 9 }), (ids, others) => {
      const packed = packIds(ids);
      const numbers = new Map(ids.map((each, number) => [each, number]));
      for (const each of [...ids, ...others]) {
        expect(numberOf(packed, each)).toBe(numbers.get(each) ?? -1);
      }
    }),
  );
});

it('two ids of one hash keep a number each', () => {
  const packed = packIds(['a', 'b']);
  packed.high.fill(packed.high[packed.number.indexOf(0)]!);
  packed.low.fill(packed.low[packed.number.indexOf(0)]!);
  expect(numberOf(packed, 'a')).toBe(0);
});
