import { type Static, Type } from 'typebox';
import { WITHHELD_REASONS } from '../../estimators/feedback/verdict.js';
import { METRICS } from '../../estimators/metrics/registry.js';
import { AGGREGATIONS } from '../../estimators/names.js';
import { ESTIMATORS } from '../../estimators/rules/registry.js';
import { FEATURE_ESTIMATORS } from '../../features/names.js';
import { Num, type Wire } from '../../rows/row.js';

export const MetricName = Type.Enum([...METRICS], { description: 'Name of the metric' });
export const EstimatorName = Type.Enum([...ESTIMATORS], { description: 'Name of the estimator' });
export const AggregationName = Type.Enum([...AGGREGATIONS], {
  description: 'user: mean over users; pooled: over all events',
});
export const Cutoff = Type.Union([Type.Integer(), Type.Null()], {
  description: 'Cut-off k of the metric; null: the metric has none',
});

const Withheld = Type.Union([Type.Enum([...WITHHELD_REASONS]), Type.Null()], {
  description:
    'Why the estimate is not reported and its numbers are null; null if it is reported. Absent if estimates.feedback is ignore',
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
  gammaStdErr: Num('Part of the standard error that comes from fitting γ'),
  numerator: Num(),
  denominator: Num(),
  guarantees: Type.Array(
    Type.Object({
      name: Type.String(),
      lower: Num(),
      upper: Num(),
    }),
  ),
  samplingStdErr: Type.Optional(Num('Standard error that drawing one test set would add')),
  withheld: Type.Optional(Withheld),
  caused: Type.Optional(Num('Share of the weight on pairs driven by served lists')),
  own: Type.Optional(Num('Share of the weight on pairs driven by the model’s own lists')),
  other: Type.Optional(Num('The estimate without pairs driven by the model’s own lists')),
  isDoubtful: Type.Optional(
    Type.Boolean({
      description:
        'Whether the estimate is reported although served lists drive enough of it to distort it',
    }),
  ),
  objection: Type.Optional(
    Type.Enum([...WITHHELD_REASONS], {
      description:
        'Reason for which the estimate would not be reported, if estimates.feedback were withhold',
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
  isDoubtful: Type.Optional(
    Type.Boolean({ description: 'Whether the estimate of either model is doubtful' }),
  ),
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
  events: Num('Kish effective sample size by events'),
  users: Num('Kish effective sample size by users'),
  largestShare: Num('Share of the weight on the heaviest event'),
});

const Reason = Type.Object({
  code: Type.String({
    description: 'Code of the reason; the findings of the window explain it',
  }),
  consequence: Type.Enum(['refused', 'lower_bound', 'no_verdict', 'caution']),
  figures: Type.Record(Type.String(), Num()),
  remedy: Type.String({ description: 'What to do about it' }),
});

/** Schema of a model's reward per request. */
export const V1Value = Type.Object(
  {
    model: Type.String(),
    metric: Type.Enum(['value']),
    k: Type.Null(),
    estimator: Type.Enum([...FEATURE_ESTIMATORS], { description: 'Name of the estimator' }),
    aggregation: Type.Enum(['request']),
    value: Num('Expected reward per request'),
    stdErr: Num('Standard error, clustered by groups of users'),
    lower: Num('95 % interval'),
    upper: Num('95 % interval'),
    bound: Num('Upper bound, if a largest reward is configured'),
    coverage: Num('Overlap: share of the examination probability on items that some arm serves'),
    requests: Type.Number(),
    ess: Num('Effective number of rewards'),
    withheld: Type.Union([Type.String(), Type.Null()], {
      description: 'First reason why the value is not reported; null if it is reported',
    }),
    isRefused: Type.Boolean(),
    decides: Type.Boolean({ description: 'Whether you can base a decision on the value' }),
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
      description: 'Estimator of the model’s value; on_policy if the model was served',
    }),
    referenceEstimator: Type.Enum([...FEATURE_ESTIMATORS], {
      description: 'Estimator of the control’s value',
    }),
    aggregation: Type.Enum(['request']),
    value: Num('Expected reward per request minus the control’s'),
    stdErr: Num('Standard error, paired by groups of users'),
    lower: Num('95 % interval, valid for this window alone'),
    upper: Num(
      '95 % interval; also null if the served lists overlap too little with the model’s lists',
    ),
    ess: Num('Effective number of rewards, the smaller of the two models’'),
    withheld: Type.Union([Type.String(), Type.Null()], {
      description:
        'Why the difference is not reported: a reason of the model, or else of the control',
    }),
    decides: Type.Boolean({ description: 'Whether you can base a decision on both values' }),
    proved: Type.Union([Type.Enum(['better', 'worse']), Type.Null()], {
      description:
        'Whether the model is significantly better or worse, by a test that is valid for one look at this window',
    }),
  },
  { description: 'Reward per request of a model minus the control’s, over the same requests' },
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
  users: Type.Number({ description: 'Users to whom a list was served' }),
  ess: Num('Kish effective sample size over users, weighted by the rewards of their lists'),
});
export type V1OnPolicy = Wire<Static<typeof V1OnPolicy>>;

export const SampleRatio = Type.Object(
  {
    chiSquare: Num('Chi-square statistic; null: an arm with a share of 0 was served'),
    freedom: Type.Number({ description: 'Degrees of freedom' }),
    p: Num(
      'p-value of the sample ratio mismatch; below 0.001, rewards per request are not reported',
    ),
  },
  { description: 'Test of whether arms were served in their configured shares' },
);
