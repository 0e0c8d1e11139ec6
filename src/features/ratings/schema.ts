import { Type } from 'typebox';
import { RATING_METRICS } from '../../estimators/metrics/rating-metrics.js';
import { AggregationName, Cutoff } from '../../outputs/json/v1-schema.js';
import { Num } from '../../rows/row.js';
import { RATING_ESTIMATORS, RATING_PROPENSITIES } from './rating-options.js';

const RatingEstimator = Type.Enum([...RATING_ESTIMATORS], { description: 'Estimator' });

const number = {
  model: Type.String(),
  metric: Type.Enum([...RATING_METRICS], { description: 'Metric of ratings' }),
  k: Cutoff,
  estimator: RatingEstimator,
  aggregation: AggregationName,
  value: Num(),
  stdErr: Num('Standard error, clustered by user, including the error of the propensities'),
  lower: Num('Lower end of the 95 % interval'),
  upper: Num('Upper end of the 95 % interval'),
  users: Type.Number({ description: 'Users with a weight above 0' }),
  ess: Num('Kish effective sample size over users'),
};

/** JSON schema of facts about the propensities file that ratings are weighted by. */
const PropensityFile = Type.Object(
  {
    kind: Type.Enum(['nb', 'lr']),
    version: Type.String({ description: 'Hash of the file’s content' }),
    date: Type.String({ description: 'Time of the newest rating that the file was learned from' }),
    ageMs: Type.Number({ description: 'End of the window minus `date`, ms' }),
    unknown: Type.Object(
      {
        users: Type.Number(),
        items: Type.Number(),
        values: Type.Number(),
      },
      { description: 'Rated pairs that the file does not cover, by what is missing in the file' },
    ),
    drift: Type.Union([
      Type.Null(),
      Type.Object({
        of: Type.Enum(['items', 'values']),
        ratings: Type.Number(),
        distance: Num(
          'Share of the ratings that would need another item or value to match the file',
        ),
        byChance: Num('Bound below which `distance` stays by chance alone in 999 of 1,000 windows'),
      }),
    ]),
    comparison: Type.Union([
      Type.Null(),
      Type.Object({
        with: Type.Enum(['nb', 'lr']),
        largestRatio: Num('Largest ratio between the two weights of one rating'),
        // A tuple type would be written as JSON Schema from before 2020, which OpenAPI 3.1 does not
        // support.
        means: Type.Unsafe<readonly [number, number]>(
          Type.Array(Num(), {
            minItems: 2,
            maxItems: 2,
            description: 'Mean rating with this kind of propensities, and with the other kind',
          }),
        ),
        margin: Num('2 standard errors of the difference between the two means'),
        doDisagree: Type.Boolean(),
      }),
    ]),
  },
  { description: 'Propensities file; absent if propensities do not come from a file' },
);

/** JSON schema of all results on the ratings of a window. */
export const RatingsReport = Type.Object(
  {
    estimates: Type.Array(
      Type.Object({
        ...number,
        events: Type.Number({ description: 'Rated pairs used' }),
        clippingBias: Type.Optional(
          Num('For ips: value with clipped weights minus value with unclipped weights'),
        ),
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
        from: Num('Lower end of the bin; also null if it has none'),
        to: Num('Upper end of the bin; also null if it has none'),
        rows: Type.Number(),
        predicted: Num('Mean prediction'),
        rated: Num('Mean rating of those who rated'),
        corrected: Num('Mean rating Y corrected by propensities P: Σ(Y/P) / Σ(1/P)'),
      }),
      { description: 'Predicted and given ratings, by fifths of each model’s predictions' },
    ),
    models: Type.Array(
      Type.Object({
        model: Type.String(),
        predicted: Type.Number({ description: 'Rated pairs with a prediction' }),
        unpredicted: Type.Number({
          description: 'Rated pairs without a prediction, which no error includes',
        }),
      }),
    ),
    counts: Type.Object({
      rated: Type.Number({ description: 'Pairs that users chose to rate' }),
      random: Type.Number({ description: 'Rated pairs from randomised traffic' }),
      users: Type.Number({ description: 'Users who chose to rate' }),
      offScale: Type.Number({ description: 'Interactions whose value is not a rating' }),
    }),
    propensity: Type.Object({
      source: Type.Enum([...RATING_PROPENSITIES]),
      pairs: Type.Number({
        description: 'Number of all pairs: users who rated × items of the catalogue',
      }),
      weightShare: Num(
        'Sum of the weights divided by `pairs`; near 1 if the propensities are right',
      ),
      without: Type.Number({ description: 'Rated pairs without a propensity' }),
      file: Type.Optional(PropensityFile),
      byRating: Type.Array(
        Type.Object({
          rating: Type.Number(),
          chosen: Type.Number(),
          random: Type.Number(),
          propensity: Num(
            'Probability that a pair with this rating is rated; also null if no user chose to give it',
          ),
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
  { description: 'Results on ratings; only if rating metrics are computed' },
);
