import { describe, expect, it } from 'vitest';
import {
  cumulativeRatingGain,
  ratingAccuracy,
} from '../../../src/estimators/metrics/rating-metrics.js';

const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;

describe('the accuracy of a predicted rating', () => {
  it('is 1 only for an exact prediction', () => {
    expect([4, 4.0001, 5].map((predicted) => ratingAccuracy(4, predicted))).toEqual([1, 0, 0]);
  });
});

describe('gains of recommending rated items', () => {
  const ratings = [5, 1, 4, 2, 3];

  it('average over all items to the mean rating of the recommended set', () => {
    const gains = ratings.map((rating, item) => cumulativeRatingGain(rating, item < 2, 5, 2));
    expect(mean(gains)).toBeCloseTo(3, 12);
  });
});
