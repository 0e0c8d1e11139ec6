import type {
  PropensityFileReport,
  RatingsReport,
} from '../../src/features/ratings/rating-report.js';
import { ratingDifferenceOf, ratingOf } from './rows.js';

const OF_A = { model: 'a', metric: 'mae', k: null, aggregation: 'pooled' } as const;

/** Model a's mean error: .5 of those who rated, .75 corrected; .125 more than b's. */
export function ratingsReportOf(own: Partial<RatingsReport> = {}): RatingsReport {
  const spread = { stdErr: 0.0625, lower: 0.375, upper: 0.875, users: 8, ess: 7 };
  return {
    estimates: [
      ratingOf({ ...OF_A, ...spread, estimator: 'naive', value: 0.5, events: 20 }),
      ratingOf({ ...OF_A, ...spread, estimator: 'snips', value: 0.75, events: 20 }),
    ],
    differences: [
      ratingDifferenceOf({ ...OF_A, ...spread, estimator: 'snips', value: 0.125, reference: 'b' }),
    ],
    calibration: [
      { model: 'a', from: -Infinity, to: 3, rows: 20, predicted: 2.5, rated: 3.5, corrected: 2.25 },
    ],
    models: [{ model: 'a', predicted: 20, unpredicted: 4 }],
    counts: { rated: 24, random: 10, users: 8, offScale: 3 },
    propensity: { source: 'nb', pairs: 800, weightShare: 1, without: 0, byRating: [] },
    refusals: [],
    ...own,
  };
}

/** A regression of a day ago, whose margins have drifted by an eighth beyond chance. */
export function fileReportOf(own: Partial<PropensityFileReport> = {}): PropensityFileReport {
  return {
    kind: 'lr',
    version: '0123456789abcdef',
    date: '2026-01-01T00:00:00.000Z',
    ageMs: 86_400_000,
    unknown: { users: 3, items: 2, values: 1 },
    drift: { of: 'items', ratings: 24, distance: 0.25, byChance: 0.125 },
    comparison: null,
    ...own,
  };
}
