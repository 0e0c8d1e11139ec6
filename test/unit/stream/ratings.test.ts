import { describe, expect, it } from 'vitest';
import type { RatingOptions } from '../../../src/features/ratings/rating-options.js';
import type { RatingsReport } from '../../../src/features/ratings/rating-report.js';
import { ratingsOf } from '../../support/rating-events.js';

const ASKED: RatingOptions = {
  metrics: ['mae', 'rmse', 'accuracy', 'cg', 'rating_dcg'],
  ks: [2],
  estimators: ['naive', 'snips'],
  propensity: 'nb',
  smoothing: 1,
  isCatalogueKnown: true,
  scale: { lowest: 1, highest: 5, step: 1 },
};
const LOG = {
  chosen: [
    [5, 4, 0, 5, 0],
    [0, 5, 2, 0, 4],
    [3, 0, 5, 0, 5],
  ],
  random: [
    [0, 0, 1, 0, 2],
    [1, 0, 0, 3, 0],
    [0, 4, 0, 5, 0],
  ],
  models: { fours: () => 4, own: (user: number, item: number) => 1 + ((user + 2 * item) % 5) },
};
const naive = ({ estimates }: RatingsReport, model: string, metric: string) =>
  estimates.find(
    (row) =>
      row.model === model &&
      row.metric === metric &&
      row.estimator === 'naive' &&
      row.form === 'pooled',
  ) ?? expect.fail(`${metric} of ${model} is missing`);

describe('ratings of a log', () => {
  it('have the errors that were computed by hand', async () => {
    const report = await ratingsOf(LOG, ASKED);
    // 5 4 5 5 2 4 3 5 5 against 4.
    expect(naive(report, 'fours', 'mae').value).toBeCloseTo(8 / 9, 12);
    expect(naive(report, 'fours', 'rmse').value).toBeCloseTo(Math.sqrt(10 / 9), 12);
    expect(naive(report, 'fours', 'accuracy').value).toBeCloseTo(2 / 9, 12);
    // Of five items the first two are rated 5 and 4, 5, and 3: 5 / 2 each, over nine pairs.
    expect(naive(report, 'fours', 'cg').value).toBeCloseTo((2.5 * 17) / 9, 12);
    expect(report.counts).toEqual({ rated: 9, random: 6, users: 3, offScale: 0 });
  });
});
