import { describe, expect, it } from 'vitest';
import {
  absoluteRatingError,
  ratingAccuracy,
  squaredRatingError,
} from '../../../src/estimators/metrics/rating-error.js';
import {
  cumulativeRatingGain,
  discountedRatingGain,
  precisionRatingGain,
} from '../../../src/estimators/metrics/rating-gain.js';

const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;

describe('errors of a predicted rating', () => {
  it('does not tell too high from too low', () => {
    expect([2.5, 5.5].map((predicted) => absoluteRatingError(4, predicted))).toEqual([1.5, 1.5]);
    expect([2.5, 5.5].map((predicted) => squaredRatingError(4, predicted))).toEqual([2.25, 2.25]);
  });

  it('counts as accurate what is predicted exactly', () => {
    expect([4, 4.0001, 5].map((predicted) => ratingAccuracy(4, predicted))).toEqual([1, 0, 0]);
  });
});

describe('gains of recommending rated items', () => {
  const ratings = [5, 1, 4, 2, 3];

  it('averages over all items to the mean rating of the recommended set', () => {
    const gains = ratings.map((rating, item) => cumulativeRatingGain(rating, item < 2, 5, 2));
    expect(mean(gains)).toBeCloseTo(3, 12);
  });

  it('averages over all items to the discounted sum of ratings in the order of the ranking', () => {
    const dcg = 5 + 1 / Math.log2(3) + 4 / 2 + 2 / Math.log2(5) + 3 / Math.log2(6);
    expect(mean(ratings.map((rating, z) => discountedRatingGain(rating, z, 5)))).toBeCloseTo(dcg);
    const cut = mean(ratings.map((rating, z) => discountedRatingGain(rating, z, 5, 1)));
    expect(cut).toBeCloseTo(5, 12);
  });

  it('comes to 12.90 for fifty items rated 1, as the paper prints for ROTATE', () => {
    const gains = Array.from({ length: 1683 }, (_, z) => discountedRatingGain(1, z, 1683, 50));
    expect(mean(gains).toFixed(2)).toBe('12.90');
  });

  it('averages over all items to the precision of the first K', () => {
    const relevant = [1, 0, 1, 1, 1];
    expect(mean(relevant.map((rating, z) => precisionRatingGain(rating, z, 5, 3)))).toBeCloseTo(
      2 / 3,
      12,
    );
  });
});
