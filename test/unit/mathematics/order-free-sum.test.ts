import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OrderFreeSum } from '../../../src/estimators/interventions/intervention-summary.js';

it('OrderFreeSum gives the same bits in any order, within 1e-12 of the plain sum', () => {
  const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 300 });
  fc.assert(
    fc.property(values, fc.infiniteStream(fc.nat()), (given, places) => {
      const sum = new OrderFreeSum();
      const other = new OrderFreeSum();
      const left = [...given];
      for (const value of given) sum.add(value);
      while (left.length > 0) {
        const [value] = left.splice(places.next().value % left.length, 1);
        other.add(value!);
      }
      expect(other.value).toBe(sum.value);
      const plain = given.reduce((all, value) => all + value, 0);
      expect(Math.abs(sum.value - plain)).toBeLessThan(1e-12);
    }),
  );
});
