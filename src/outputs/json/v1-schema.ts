import { type Static, Type } from 'typebox';
import { WITHHELD_REASONS } from '../../estimators/feedback/verdict.js';
import { METRICS } from '../../estimators/metrics/registry.js';
import { AGGREGATIONS } from '../../estimators/names.js';
import { ESTIMATORS } from '../../estimators/rules/registry.js';
import { FEATURE_ESTIMATORS } from '../../features/names.js';
import { Num, type Wire } from '../../rows/row.js';

export const MetricName = Type.Enum([...METRICS], { description: 'Metric' });
export const EstimatorName = Type.Enum([...ESTIMATORS], { description: 'Estimator' });
export const AggregationName = Type.Enum([...AGGREGATIONS], {
  description: 'user: mean over users; pooled: over all events',
});
export const Cutoff = Type.Union([Type.Integer(), Type.Null()], {
  description: 'Cut-off; null: none',
});

const Withheld = Type.Union([Type.Enum([...WITHHELD_REASONS]), Type.Null()], {
  description: 'Why the numbers are null; null if they are given. Only if causes are followed',
});

/** What every number of a window is told apart by. */
const Identity = {
  model: Type.String(),
  metric: MetricName,
  k: Cutoff,
  estimator: EstimatorName,
  aggregation: AggregationName,
};

const Interval = {
  value: Num(),
  stdErr: Num('Standard error, clustered by user'),
  lower: Num('95 % interval'),
  upper: Num('95 % interval'),
  users: Type.Number({ description: 'Users that carry weight' }),
  ess: Num('Kish effective sample size over users'),
};

export const V1Estimate = Type.Object({
  ...Identity,
  ...Interval,
  events: Type.Number({ description: 'Rows that were evaluated' }),
  gammaSlope: Num('∂value/∂γ'),
  gammaStdErr: Num('Share of a fitted γ in the error'),
  numerator: Num(),
  denominator: Num(),
  guarantees: Type.Array(
    Type.Object({
      name: Type.String(),
      lower: Num(),
      upper: Num(),
    }),
  ),
  samplingStdErr: Type.Optional(Num('What the drawing of one test set would add')),
  withheld: Type.Optional(Withheld),
  caused: Type.Optional(Num('Share of the weights on pairs that shown lists caused')),
  own: Type.Optional(Num('The same of pairs that the lists of the model itself caused')),
  other: Type.Optional(Num('The estimate without the pairs that its own lists caused')),
  isDoubtful: Type.Optional(
    Type.Boolean({ description: 'Given, but more of it is caused by lists than should be' }),
  ),
  objection: Type.Optional(
    Type.Enum([...WITHHELD_REASONS], {
      description: 'Given, since a caution is all that is asked for: why it would be withheld',
    }),
  ),
  uncorrected: Type.Optional(Num('Of a corrected mean over users: without the correction')),
  withinUserEss: Type.Optional(
    Num('Of a corrected mean over users: the median effective number of rows of a user'),
  ),
});

export type V1Estimate = Wire<Static<typeof V1Estimate>>;

export const V1Difference = Type.Object({
  ...Identity,
  ...Interval,
  reference: Type.String({ description: 'Model whose value is subtracted' }),
  gammaStdErr: Num(),
  withheld: Type.Optional(Withheld),
  isDoubtful: Type.Optional(Type.Boolean({ description: 'Either side is' })),
});

export type V1Difference = Wire<Static<typeof V1Difference>>;

export const BaselineRow = Type.Object({
  ...Identity,
  difference: Num(),
});

export const TruthRow = Type.Object({
  model: Type.String(),
  metric: MetricName,
  k: Cutoff,
  aggregation: AggregationName,
  value: Num(),
});
export type TruthRow = Wire<Static<typeof TruthRow>>;

export const SampleSize = Type.Object({
  model: Type.String(),
  estimator: EstimatorName,
  events: Num('Kish size by event'),
  users: Num('Kish size by user'),
  largestShare: Num('Share of the largest single weight'),
});

const Reason = Type.Object({
  code: Type.String({
    description: 'From a closed list; the findings of the window say what it means',
  }),
  consequence: Type.Enum(['refused', 'lower_bound', 'no_verdict', 'caution']),
  figures: Type.Record(Type.String(), Num()),
  remedy: Type.String({ description: 'What would lift it' }),
});

/** What a model's lists are worth by requests. */
export const V1Value = Type.Object(
  {
    model: Type.String(),
    metric: Type.Enum(['value']),
    k: Type.Null(),
    estimator: Type.Enum([...FEATURE_ESTIMATORS], { description: 'Form of the estimate' }),
    aggregation: Type.Enum(['request']),
    value: Num('Expected reward of a request'),
    stdErr: Num('Standard error, clustered by groups of users'),
    lower: Num('95 % interval'),
    upper: Num('95 % interval'),
    bound: Num('Upper bound, where a largest reward is configured'),
    coverage: Num('Share of the looks that go to items which some arm shows'),
    requests: Type.Number(),
    ess: Num('Effective number of rewards'),
    withheld: Type.Union([Type.String(), Type.Null()], {
      description: 'The first reason for which it is not given; null if it is',
    }),
    isRefused: Type.Boolean(),
    decides: Type.Boolean({ description: 'Whether something may be decided on it' }),
    reasons: Type.Array(Reason),
  },
  { description: 'What a model’s lists are worth by requests, with all that speaks against it' },
);

export type V1Value = Wire<Static<typeof V1Value>>;

/** How much more a model's lists are worth than the control's. */
export const V1ValueDifference = Type.Object(
  {
    model: Type.String(),
    reference: Type.String({ description: 'The control: the model whose value is subtracted' }),
    metric: Type.Enum(['value']),
    k: Type.Null(),
    estimator: Type.Enum([...FEATURE_ESTIMATORS], {
      description: 'on_policy of a model that was served',
    }),
    referenceEstimator: Type.Enum([...FEATURE_ESTIMATORS], {
      description: 'The same of the control',
    }),
    aggregation: Type.Enum(['request']),
    value: Num('Expected reward of a request, minus the control’s'),
    stdErr: Num('Standard error, paired by groups of users'),
    lower: Num('95 % interval, for this window alone'),
    upper: Num('null also if too little of the lists is supported'),
    ess: Num('The lesser effective number of rewards'),
    withheld: Type.Union([Type.String(), Type.Null()], {
      description: 'Why it is not given: a reason of the model, or else of the control',
    }),
    decides: Type.Boolean({ description: 'Whether something may be decided on both values' }),
    proved: Type.Union([Type.Enum(['better', 'worse']), Type.Null()], {
      description: 'By the intervals of the two values, in this window; no verdict over many looks',
    }),
  },
  { description: 'A value minus the control’s, over the same requests' },
);

export type V1ValueDifference = Wire<Static<typeof V1ValueDifference>>;

/** What shown lists of a model are worth. */
export const V1OnPolicy = Type.Object({
  model: Type.String(),
  value: Num('Mean reward of a shown list'),
  stdErr: Num('Standard error, clustered by user'),
  lower: Num('95 % interval'),
  upper: Num('95 % interval'),
  lists: Type.Number({ description: 'Lists that were shown' }),
  users: Type.Number({ description: 'Users who were shown one' }),
  ess: Num('Kish effective sample size over users, by what their lists gained'),
});
export type V1OnPolicy = Wire<Static<typeof V1OnPolicy>>;

export const SampleRatio = Type.Object(
  {
    chiSquare: Num('null: an arm was served that never should be'),
    freedom: Type.Number({ description: 'Degrees of freedom' }),
    p: Num('Chance of so large a mismatch; values are refused below .001'),
  },
  { description: 'Whether arms were served as often as their shares say' },
);
