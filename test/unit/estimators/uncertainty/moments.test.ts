import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Denominators, RatioMoments } from '../../../../src/estimators/uncertainty/moments.js';
import { summary } from '../../../oracle/evaluated.js';

type Users = { numerator: number; denominator: number }[];

function addAll(moments: RatioMoments, users: Users): void {
  const denominators = new Denominators(Math.max(1, users.length));
  users.forEach((user, u) => {
    denominators.values[u] = user.denominator;
  });
  denominators.settle(users.length);
  const numerators = Float64Array.from(users, (user) => user.numerator);
  const total = numerators.reduce((a, b) => a + b, 0);
  const withHits = users.flatMap(({ numerator }, u) => (numerator === 0 ? [] : [u]));
  moments.add(numerators, total, denominators, Int32Array.from(withHits));
}

const user = fc
  .record({
    ratio: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
    denominator: fc.double({ min: 0.1, max: 100, noNaN: true }),
  })
  .map(({ ratio, denominator }) => ({ numerator: ratio * denominator, denominator }));
const users = fc.array(user, { minLength: 2, maxLength: 30 });

describe('RatioMoments', () => {
  it('gives the clustered standard error by definition, in one piece or in many', () => {
    fc.assert(
      fc.property(users, fc.integer({ min: 1, max: 7 }), (all, step) => {
        const moments = new RatioMoments();
        for (let from = 0; from < all.length; from += step)
          addAll(moments, all.slice(from, from + step));
        const expected = summary(all);
        expect(moments.ratio).toBeCloseTo(expected.value, 12);
        expect(moments.stdErr(all.length)).toBeCloseTo(expected.stdErr, 12);
        expect(moments.denominator ** 2 / moments.squaredDenominator).toBeCloseTo(expected.ess, 8);
      }),
    );
  });

  it('keeps the error of a constant ratio at rounding level', () => {
    fc.assert(
      fc.property(users, fc.double({ min: 0, max: 1, noNaN: true }), (all, constant) => {
        const moments = new RatioMoments();
        for (const { denominator } of all) {
          addAll(moments, [{ numerator: constant * denominator, denominator }]);
        }
        // Before the jackknife's factor, which one user with nearly all the weight makes large.
        expect(Math.sqrt(moments.spread)).toBeLessThan(2e-15);
      }),
    );
  });

  it('ignores users without weight and gives no error for a single user', () => {
    const moments = new RatioMoments();
    addAll(moments, [{ numerator: 0, denominator: 0 }]);
    expect(moments.ratio).toBeNaN();
    addAll(moments, [{ numerator: 1, denominator: 2 }]);
    expect(moments.ratio).toBe(0.5);
    expect(moments.stdErr(1)).toBeNaN();
  });
});
