import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clippedRating } from '../../../../src/features/ratings/sample/rating-clipping.js';
import { doublyRobustRating } from '../../../../src/features/ratings/sample/rating-doubly-robust.js';
import { ipsRating } from '../../../../src/features/ratings/sample/rating-ips.js';
import { naiveRating } from '../../../../src/features/ratings/sample/rating-naive.js';
import { snipsRating } from '../../../../src/features/ratings/sample/rating-snips.js';

const DELTA = [1, 4];
const PROPENSITY = [0.5, 0.02];
const PAIRS = 60;

describe('clipped weights', () => {
  it('give two ratings the values and the bias that follow by hand', () => {
    const { plain, selfNormalised, bias, weightShare } = clippedRating(
      DELTA,
      PROPENSITY,
      PAIRS,
      20,
    );
    expect(plain).toBeCloseTo(1.366667, 6);
    expect(selfNormalised).toBeCloseTo(3.727273, 6);
    expect(bias).toBeCloseTo(-2, 12);
    expect(weightShare).toBeCloseTo(22 / 60, 12);
  });

  it('change nothing where the most is no less than any', () => {
    const { plain, selfNormalised, bias } = clippedRating(DELTA, PROPENSITY, PAIRS, 50);
    expect(plain).toBeCloseTo(ipsRating(DELTA, PROPENSITY, PAIRS), 12);
    expect(selfNormalised).toBeCloseTo(snipsRating(DELTA, PROPENSITY), 12);
    expect([plain, selfNormalised]).toEqual([
      expect.closeTo(3.366667, 6),
      expect.closeTo(3.884615, 6),
    ]);
    expect(bias).toBeCloseTo(0, 12);
  });
});

describe('the doubly robust mean', () => {
  it('is 1 for two observed pairs of four, and 7/6 self-normalised', () => {
    const { plain, selfNormalised } = doublyRobustRating([1, 1, 2, 2], [0, 2], [2, 1], [0.5, 0.25]);
    expect(plain).toBeCloseTo(1, 12);
    expect(selfNormalised).toBeCloseTo(1.166667, 6);
  });

  it('is ips and snips where all that is predicted is 0', () => {
    const found = doublyRobustRating(new Float64Array(PAIRS), [3, 40], DELTA, PROPENSITY);
    expect(found.plain).toBeCloseTo(ipsRating(DELTA, PROPENSITY, PAIRS), 12);
    expect(found.selfNormalised).toBeCloseTo(snipsRating(DELTA, PROPENSITY), 12);
  });

  it('is snips where one error is predicted for all, self-normalised', () => {
    const found = doublyRobustRating(new Float64Array(PAIRS).fill(2.5), [3, 40], DELTA, PROPENSITY);
    expect(found.selfNormalised).toBeCloseTo(snipsRating(DELTA, PROPENSITY), 12);
  });

  it('is the plain mean where all is observed, whatever is predicted', () => {
    const numbers = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), {
      minLength: 3,
      maxLength: 3,
    });
    fc.assert(
      fc.property(numbers, numbers, (predicted, delta) => {
        const { plain, selfNormalised } = doublyRobustRating(
          predicted,
          [0, 1, 2],
          delta,
          [1, 1, 1],
        );
        expect(plain).toBeCloseTo(naiveRating(delta), 10);
        expect(selfNormalised).toBeCloseTo(plain, 10);
      }),
    );
  });

  it('refuses places outside of the pairs and propensities outside (0, 1]', () => {
    expect(() => doublyRobustRating([1], [1], [2], [0.5])).toThrow(/place 1 of 1/);
    expect(() => doublyRobustRating([1], [0], [2], [0])).toThrow(/propensity 0$/);
    expect(() => doublyRobustRating([1], [0], [2, 3], [0.5])).toThrow(/2 ratings need/);
  });
});
