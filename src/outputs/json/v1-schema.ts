import { type Static, Type } from 'typebox';
import { WITHHELD_REASONS } from '../../estimators/feedback/verdict.js';
import { METRICS } from '../../estimators/metrics/registry.js';
import { AGGREGATIONS } from '../../estimators/names.js';
import { ESTIMATORS } from '../../estimators/rules/registry.js';
import { FEATURE_ESTIMATORS } from '../../features/names.js';
import { MaybeNumber } from '../http/schema/number.js';

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
  value: MaybeNumber(),
  stdErr: MaybeNumber('Standard error, clustered by user'),
  lower: MaybeNumber('95 % interval'),
  upper: MaybeNumber('95 % interval'),
  users: Type.Number({ description: 'Users that carry weight' }),
  ess: MaybeNumber('Kish effective sample size over users'),
};

export const V1Estimate = Type.Object({
  ...Identity,
  ...Interval,
  events: Type.Number({ description: 'Rows that were evaluated' }),
  gammaSlope: MaybeNumber('∂value/∂γ'),
  gammaStdErr: MaybeNumber('Share of a fitted γ in the error'),
  numerator: MaybeNumber(),
  denominator: MaybeNumber(),
  guarantees: Type.Array(
    Type.Object({ name: Type.String(), lower: MaybeNumber(), upper: MaybeNumber() }),
  ),
  samplingStdErr: Type.Optional(MaybeNumber('What the drawing of one test set would add')),
  withheld: Type.Optional(Withheld),
  caused: Type.Optional(MaybeNumber('Share of the weights on pairs that shown lists caused')),
  own: Type.Optional(MaybeNumber('The same of pairs that the lists of the model itself caused')),
  other: Type.Optional(MaybeNumber('The estimate without the pairs that its own lists caused')),
  isDoubtful: Type.Optional(
    Type.Boolean({ description: 'Given, but more of it is caused by lists than should be' }),
  ),
  objection: Type.Optional(
    Type.Enum([...WITHHELD_REASONS], {
      description: 'Given, since a caution is all that is asked for: why it would be withheld',
    }),
  ),
  uncorrected: Type.Optional(MaybeNumber('Of a corrected mean over users: without the correction')),
  withinUserEss: Type.Optional(
    MaybeNumber('Of a corrected mean over users: the median effective number of rows of a user'),
  ),
});

export type V1Estimate = Static<typeof V1Estimate>;

export const V1Difference = Type.Object({
  ...Identity,
  ...Interval,
  reference: Type.String({ description: 'Model whose value is subtracted' }),
  gammaStdErr: MaybeNumber(),
  withheld: Type.Optional(Withheld),
  isDoubtful: Type.Optional(Type.Boolean({ description: 'Either side is' })),
});

export type V1Difference = Static<typeof V1Difference>;

export const BaselineRow = Type.Object({ ...Identity, difference: MaybeNumber() });

export const TruthRow = Type.Object({
  model: Type.String(),
  metric: MetricName,
  k: Cutoff,
  aggregation: AggregationName,
  value: MaybeNumber(),
});
export type TruthRow = Static<typeof TruthRow>;

export const SampleSize = Type.Object({
  model: Type.String(),
  estimator: EstimatorName,
  events: MaybeNumber('Kish size by event'),
  users: MaybeNumber('Kish size by user'),
  largestShare: MaybeNumber('Share of the largest single weight'),
});

export const ModelSummary = Type.Object({
  model: Type.String(),
  users: Type.Number(),
  events: Type.Number(),
  unranked: Type.Number({ description: 'Positive pairs without a list of this model' }),
  singletonUserRatio: MaybeNumber('Share of users with exactly one event'),
});

const Reason = Type.Object({
  code: Type.String({
    description: 'From a closed list; the findings of the window say what it means',
  }),
  consequence: Type.Enum(['refused', 'lower_bound', 'no_verdict', 'caution']),
  figures: Type.Record(Type.String(), MaybeNumber()),
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
    value: MaybeNumber('Expected reward of a request'),
    stdErr: MaybeNumber('Standard error, clustered by groups of users'),
    lower: MaybeNumber('95 % interval'),
    upper: MaybeNumber('95 % interval'),
    bound: MaybeNumber('Upper bound, where a largest reward is configured'),
    coverage: MaybeNumber('Share of the looks that go to items which some arm shows'),
    requests: Type.Number(),
    ess: MaybeNumber('Effective number of rewards'),
    withheld: Type.Union([Type.String(), Type.Null()], {
      description: 'The first reason for which it is not given; null if it is',
    }),
    isRefused: Type.Boolean(),
    decides: Type.Boolean({ description: 'Whether something may be decided on it' }),
    reasons: Type.Array(Reason),
  },
  { description: 'What a model’s lists are worth by requests, with all that speaks against it' },
);

export type V1Value = Static<typeof V1Value>;

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
    value: MaybeNumber('Expected reward of a request, minus the control’s'),
    stdErr: MaybeNumber('Standard error, paired by groups of users'),
    lower: MaybeNumber('95 % interval, for this window alone'),
    upper: MaybeNumber('null also if too little of the lists is supported'),
    ess: MaybeNumber('The lesser effective number of rewards'),
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

export type V1ValueDifference = Static<typeof V1ValueDifference>;

/** What shown lists of a model are worth. */
export const V1OnPolicy = Type.Object({
  model: Type.String(),
  value: MaybeNumber('Mean reward of a shown list'),
  stdErr: MaybeNumber('Standard error, clustered by user'),
  lower: MaybeNumber('95 % interval'),
  upper: MaybeNumber('95 % interval'),
  lists: Type.Number({ description: 'Lists that were shown' }),
  users: Type.Number({ description: 'Users who were shown one' }),
  ess: MaybeNumber('Kish effective sample size over users, by what their lists gained'),
});
export type V1OnPolicy = Static<typeof V1OnPolicy>;

export const SampleRatio = Type.Object(
  {
    chiSquare: MaybeNumber('null: an arm was served that never should be'),
    freedom: Type.Number({ description: 'Degrees of freedom' }),
    p: MaybeNumber('Chance of so large a mismatch; values are refused below .001'),
  },
  { description: 'Whether arms were served as often as their shares say' },
);
