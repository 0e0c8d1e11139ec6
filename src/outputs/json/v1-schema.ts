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
  description:
    'Why the numbers are null; null if they are reported. Only if estimates.feedback is not ignore',
});

/** Schema fields that identify a number of a window. */
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
  users: Type.Number({ description: 'Users with a weight above 0' }),
  ess: Num('Kish effective sample size over users'),
};

export const V1Estimate = Type.Object({
  ...Identity,
  ...Interval,
  events: Type.Number({ description: 'Evaluated rows' }),
  gammaSlope: Num('∂value/∂γ'),
  gammaStdErr: Num('Part of the error that comes from fitting γ'),
  numerator: Num(),
  denominator: Num(),
  guarantees: Type.Array(
    Type.Object({
      name: Type.String(),
      lower: Num(),
      upper: Num(),
    }),
  ),
  samplingStdErr: Type.Optional(Num('Error that drawing one test set would add')),
  withheld: Type.Optional(Withheld),
  caused: Type.Optional(Num('Share of the weight on pairs driven by served lists')),
  own: Type.Optional(Num('Share of the weight on pairs driven by the model’s own lists')),
  other: Type.Optional(Num('The estimate without pairs driven by its own lists')),
  isDoubtful: Type.Optional(
    Type.Boolean({ description: 'Reported, but lists drive more of it than they should' }),
  ),
  objection: Type.Optional(
    Type.Enum([...WITHHELD_REASONS], {
      description: 'Reported only because estimates.feedback is caution: why it would not be',
    }),
  ),
  uncorrected: Type.Optional(Num('For a corrected mean over users: the value without correction')),
  withinUserEss: Type.Optional(
    Num('For a corrected mean over users: the median effective number of rows per user'),
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
    description: 'Code from a closed list; the findings of the window explain it',
  }),
  consequence: Type.Enum(['refused', 'lower_bound', 'no_verdict', 'caution']),
  figures: Type.Record(Type.String(), Num()),
  remedy: Type.String({ description: 'What would make it go away' }),
});

/** Schema of a model's reward per request. */
export const V1Value = Type.Object(
  {
    model: Type.String(),
    metric: Type.Enum(['value']),
    k: Type.Null(),
    estimator: Type.Enum([...FEATURE_ESTIMATORS], { description: 'Form of the estimate' }),
    aggregation: Type.Enum(['request']),
    value: Num('Expected reward per request'),
    stdErr: Num('Standard error, clustered by groups of users'),
    lower: Num('95 % interval'),
    upper: Num('95 % interval'),
    bound: Num('Upper bound, where a largest reward is configured'),
    coverage: Num('Share of the examination probability that falls on items some arm shows'),
    requests: Type.Number(),
    ess: Num('Effective number of rewards'),
    withheld: Type.Union([Type.String(), Type.Null()], {
      description: 'The first reason why it is not reported; null if it is reported',
    }),
    isRefused: Type.Boolean(),
    decides: Type.Boolean({ description: 'Whether a decision may rest on it' }),
    reasons: Type.Array(Reason),
  },
  { description: 'Reward per request of a model’s lists, with all cautions' },
);

export type V1Value = Wire<Static<typeof V1Value>>;

/** Schema of a difference in reward per request between a model and the control. */
export const V1ValueDifference = Type.Object(
  {
    model: Type.String(),
    reference: Type.String({ description: 'The control: the model whose value is subtracted' }),
    metric: Type.Enum(['value']),
    k: Type.Null(),
    estimator: Type.Enum([...FEATURE_ESTIMATORS], {
      description: 'on_policy if the model was served',
    }),
    referenceEstimator: Type.Enum([...FEATURE_ESTIMATORS], {
      description: 'The same for the control',
    }),
    aggregation: Type.Enum(['request']),
    value: Num('Expected reward per request minus the control’s'),
    stdErr: Num('Standard error, paired by groups of users'),
    lower: Num('95 % interval, for this window alone'),
    upper: Num('Null also if served lists overlap too little with the lists'),
    ess: Num('The lesser effective number of rewards'),
    withheld: Type.Union([Type.String(), Type.Null()], {
      description: 'Why it is not reported: a reason of the model, or else of the control',
    }),
    decides: Type.Boolean({ description: 'Whether a decision may rest on both values' }),
    proved: Type.Union([Type.Enum(['better', 'worse']), Type.Null()], {
      description:
        'From the intervals of the two values in this window; not a verdict over many looks',
    }),
  },
  { description: 'Difference of a value from the control’s, over the same requests' },
);

export type V1ValueDifference = Wire<Static<typeof V1ValueDifference>>;

/** Schema of the mean reward of a model's served lists. */
export const V1OnPolicy = Type.Object({
  model: Type.String(),
  value: Num('Mean reward per served list'),
  stdErr: Num('Standard error, clustered by user'),
  lower: Num('95 % interval'),
  upper: Num('95 % interval'),
  lists: Type.Number({ description: 'Served lists' }),
  users: Type.Number({ description: 'Users who were served one' }),
  ess: Num('Kish effective sample size over users, by what their lists gained'),
});
export type V1OnPolicy = Wire<Static<typeof V1OnPolicy>>;

export const SampleRatio = Type.Object(
  {
    chiSquare: Num('null: an arm was served that has a share of 0'),
    freedom: Type.Number({ description: 'Degrees of freedom' }),
    p: Num('p-value of the mismatch; values are not reported below 0.001'),
  },
  { description: 'Whether arms were served as often as their shares say' },
);
