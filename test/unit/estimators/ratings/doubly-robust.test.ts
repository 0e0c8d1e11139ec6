import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { naiveRating } from '../../../../src/estimators/mean-rating.js';
import { doublyRobustRating } from '../../../../src/features/ratings/rating-doubly-robust.js';

describe('the doubly robust mean', () => {
  it('is 1 for two observed pairs of four, and 7/6 self-normalised', () => {
    const { plain, selfNormalised } = doublyRobustRating([1, 1, 2, 2], [0, 2], [2, 1], [0.5, 0.25]);
    expect(plain).toBeCloseTo(1, 12);
    expect(selfNormalised).toBeCloseTo(1.166667, 6);
  });

  it('is the plain mean if all ratings are observed, whatever is predicted', () => {
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

  it('rejects positions outside of the pairs and propensities outside (0, 1]', () => {
    expect(() => doublyRobustRating([1], [1], [2], [0.5])).toThrow(/below 1 .* not index 1/);
    expect(() => doublyRobustRating([1], [0], [2], [0])).toThrow(/propensity 0$/);
    expect(() => doublyRobustRating([1], [0], [2, 3], [0.5])).toThrow(/2 ratings need/);
  });
});
