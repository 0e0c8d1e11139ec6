import { Type } from 'typebox';
import {
  RATING_ESTIMATORS,
  RATING_PROPENSITIES,
} from '../../../../estimators/ratings/window/rating-options.js';
import { RATING_METRICS } from '../../../../gains/rating-metrics.js';
import { AggregationName, Cutoff } from '../estimate.js';
import { MaybeNumber } from '../number.js';

const RatingEstimator = Type.Enum([...RATING_ESTIMATORS], { description: 'Estimator' });

const number = {
  model: Type.String(),
  metric: Type.Enum([...RATING_METRICS], { description: 'Metric of ratings' }),
  k: Cutoff,
  estimator: RatingEstimator,
  aggregation: AggregationName,
  value: MaybeNumber(),
  stdErr: MaybeNumber('Standard error, clustered by user; with that of the propensities'),
  lower: MaybeNumber('95 % interval'),
  upper: MaybeNumber('95 % interval'),
  users: Type.Number({ description: 'Users that carry weight' }),
  ess: MaybeNumber('Kish effective sample size over users'),
};

/** All that ratings say of a window. */
export const RatingsReport = Type.Object(
  {
    estimates: Type.Array(
      Type.Object({
        ...number,
        events: Type.Number({ description: 'Rated pairs that it rests on' }),
        clippingBias: Type.Optional(MaybeNumber('Of ips: clipped minus unclipped')),
      }),
    ),
    differences: Type.Array(
      Type.Object({
        ...number,
        reference: Type.String({ description: 'Model whose value is subtracted' }),
      }),
    ),
    calibration: Type.Array(
      Type.Object({
        model: Type.String(),
        from: MaybeNumber('Least prediction of the bin; null: none'),
        to: MaybeNumber('Its end; null: none'),
        rows: Type.Number(),
        predicted: MaybeNumber('Mean prediction'),
        rated: MaybeNumber('Mean rating of those who rated'),
        corrected: MaybeNumber('The same, corrected: Σ(Y/P) / Σ(1/P)'),
      }),
      { description: 'What users gave, by fifths of what each model predicted' },
    ),
    models: Type.Array(
      Type.Object({
        model: Type.String(),
        predicted: Type.Number({ description: 'Rated pairs with a prediction' }),
        unpredicted: Type.Number({ description: 'Rated pairs without one: in no error' }),
      }),
    ),
    counts: Type.Object({
      rated: Type.Number({ description: 'Pairs that users chose to rate' }),
      random: Type.Number({ description: 'Pairs that randomised traffic had them rate' }),
      users: Type.Number({ description: 'Users who chose to rate' }),
      offScale: Type.Number({ description: 'Interactions whose value is no rating' }),
    }),
    propensity: Type.Object({
      source: Type.Enum([...RATING_PROPENSITIES]),
      pairs: Type.Number({ description: 'Users who rated, by items of the catalogue' }),
      weightShare: MaybeNumber('Sum of the weights over these pairs: 1 if they are right'),
      without: Type.Number({ description: 'Rated pairs without a propensity' }),
      byRating: Type.Array(
        Type.Object({
          rating: Type.Number(),
          chosen: Type.Number(),
          random: Type.Number(),
          propensity: MaybeNumber('null: nobody chose to give it'),
        }),
      ),
    }),
    refusals: Type.Array(
      Type.Object({
        estimator: RatingEstimator,
        model: Type.Optional(Type.String()),
        reason: Type.String(),
      }),
    ),
  },
  { description: 'What ratings say; only if metrics of ratings are asked for' },
);
