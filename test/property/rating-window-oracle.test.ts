import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RATING_METRICS } from '../../src/estimators/metrics/rating-metrics.js';
import { jackknifeFactor } from '../../src/estimators/uncertainty/moments.js';
import { estimateRatings } from '../../src/features/ratings/estimate-ratings.js';
import type { RatingOptions } from '../../src/features/ratings/rating-options.js';
import { type PlainRating, ratingValue, squaredInfluences } from '../oracle/rating-window.js';
import { ratedPartOf } from '../support/rating-parts.js';

const MODELS = ['a', 'b'];
const USERS = 6;
const ITEMS = 40;
const VALUES = 3;
const SCALE = { lowest: 1, highest: VALUES, step: 1 };

const perModel = <T>(each: fc.Arbitrary<T>) => fc.tuple(each, each).map((all) => [...all]);
const rating: fc.Arbitrary<PlainRating> = fc.record({
  user: fc.nat(USERS - 1),
  rating: fc.integer({ min: 1, max: VALUES }),
  isRandom: fc.boolean(),
  propensity: fc.constantFrom(0, 0.125, 0.5, 1),
  learned: fc.constantFrom(0, 0.1, 0.25, 1),
  scores: perModel(fc.constantFrom(0.25, 1, 1.5, 2.75, 4, Number.NaN)),
  ranks: perModel(fc.constantFrom(1, 2, 3, 9, Number.POSITIVE_INFINITY, Number.NaN)),
});
const options: fc.Arbitrary<RatingOptions> = fc.record({
  metrics: fc.constant(RATING_METRICS),
  ks: fc.constant([2]),
  estimators: fc.constant(['naive', 'snips', 'ips'] as const),
  scale: fc.constant(SCALE),
  propensity: fc.constantFrom('nb' as const, 'logged' as const, 'file' as const),
  smoothing: fc.constantFrom(0, 1),
  maxWeight: fc.constantFrom(undefined, 5),
  isCatalogueKnown: fc.constant(true),
});

function reportOf(ratings: readonly PlainRating[], options: RatingOptions) {
  const asked = { models: MODELS, items: ITEMS, options };
  return estimateRatings(ratedPartOf(ratings), asked);
}

describe('metrics of ratings in a window', () => {
  it('equal their definitions over single ratings, and so do their errors', () => {
    let seen = 0;
    let corrected = 0;
    fc.assert(
      fc.property(fc.array(rating, { minLength: 8, maxLength: 40 }), options, (ratings, asked) => {
        const all = { ratings, users: USERS, items: ITEMS, values: VALUES };
        const report = reportOf(ratings, asked);
        const { propensity, smoothing, maxWeight = Number.POSITIVE_INFINITY } = asked;
        for (const row of report.estimates) {
          const form = { ...row, aggregation: row.form, propensity, smoothing, maxWeight };
          const model = MODELS.indexOf(row.model);
          const readValue = (copies?: readonly number[]) => ratingValue(all, model, form, copies);
          expect(row.value).toBeCloseTo(readValue(), 9);
          seen++;
          if (row.estimator !== 'naive') corrected++;
          // Where P is about to reach 1 or its clip, it has no slope; at 0 a root has none.
          if (isAtEdge(report, maxWeight) || (row.metric === 'rmse' && row.value < 1e-6)) continue;
          const squares = squaredInfluences(readValue, USERS);
          const factor = jackknifeFactor(row.counts.users, row.ess);
          if (Number.isNaN(factor)) expect(row.stdErr).toBeNaN();
          else expect(row.stdErr).toBeCloseTo(Math.sqrt(squares * factor), 5);
        }
      }),
    );
    expect(corrected).toBeGreaterThan(100);
    expect(seen).toBeGreaterThan(500);
  });
});

function isAtEdge({ propensity }: ReturnType<typeof reportOf>, maxWeight: number): boolean {
  return propensity.byRating.some(
    ({ propensity: p }) => Math.abs(p - 1) < 1e-3 || Math.abs(1 / p - maxWeight) < 1e-3,
  );
}
