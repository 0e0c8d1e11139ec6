import { type Static, Type } from 'typebox';
import { ExponentTest } from '../../../estimators/diagnostics/exponent-test.js';
import { HeavyUsers } from '../../../estimators/diagnostics/heavy-users.js';
import { FEEDBACK_MODES } from '../../../estimators/feedback/feedback-mode.js';
import { CALIBRATION_STATUSES } from '../../../estimators/propensity/calibration.js';
import { GAMMA_FITS, GAMMA_STATUSES } from '../../../estimators/propensity/gamma.js';
import { GAMMA_INTERVAL_STATUSES } from '../../../estimators/propensity/gamma-interval.js';
import { GAMMA_SOURCES, USED_GAMMA_SOURCES } from '../../../estimators/propensity/gamma-source.js';
import { ModelSummary } from '../../../estimators/results/estimate.js';
import { SENSITIVITY } from '../../../estimators/results/sensitivity.js';
import {
  ItemConcentration,
  MarginDistance,
  WeightBin,
  WeightQuantile,
} from '../../../estimators/results/window-estimates.js';
import { Alarm, Notice } from '../../../features/alarm.js';
import { FEATURE_SCHEMAS, SNAPSHOT_SCHEMAS } from '../../../features/schemas.js';
import { Num, type Wire } from '../../../rows/row.js';
import {
  AggregationName,
  BaselineRow,
  Cutoff,
  EstimatorName,
  MetricName,
  SampleSize,
  TruthRow,
  V1Difference,
  V1Estimate,
} from '../../json/v1-schema.js';
import { Findings, Trust } from './finding.js';
import { ByName, EventTime } from './number.js';

const Quantiles = Type.Array(WeightQuantile);

const Intervention = Type.Object({
  estimator: EstimatorName,
  rows: Type.Number(),
  expected: Num('Expected number of rows in a drawn test set'),
  ess: Num(),
  largestShare: Num(),
  distance: Num('Total variation distance between the expected test set and the weights'),
  userWeights: Quantiles,
  itemWeights: Quantiles,
  margins: Type.Object({
    user: MarginDistance,
    item: MarginDistance,
  }),
  before: ItemConcentration,
  sample: ItemConcentration,
});

const Agreement = Type.Object({
  metric: MetricName,
  k: Cutoff,
  aggregation: AggregationName,
  estimators: Type.Array(EstimatorName, {
    minItems: 2,
    maxItems: 2,
  }),
  tau: Num("Kendall's τ between the two orders of the models"),
  flips: Type.Array(
    Type.Array(Type.String(), {
      minItems: 2,
      maxItems: 2,
    }),
  ),
});

/** Schema of how much the estimates of a metric change with γ. */
export const Sensitivity = Type.Object(
  {
    metric: MetricName,
    k: Cutoff,
    ...SENSITIVITY,
  },
  { description: 'How results depend on γ, by snips over all events' },
);

const Arm = Type.Object({
  model: Type.String(),
  shownRows: Type.Number({
    description: "Positive rows without a list id, of users who were last served this model's list",
  }),
  hiddenRows: Type.Number({
    description:
      "Positive rows without a list id, of users who were last served another model's list",
  }),
  caused: Num('Share of `shownRows` that the model’s list drove'),
});

const Uncaused = Type.Object({
  results: Type.Array(V1Estimate),
  differences: Type.Array(V1Difference),
  effectiveSampleSizes: Type.Array(SampleSize),
  rows: Type.Number({ description: 'Organic positive pairs' }),
  users: Type.Number({ description: 'Users with such a pair' }),
});

const FeedbackReport = Type.Object(
  {
    mode: Type.Enum([...FEEDBACK_MODES]),
    source: Type.Enum(['named', 'arms', 'unknown'], {
      description:
        'named: computed from the list ids of interactions; arms: computed from which lists were served, because some interactions give no list id',
    }),
    caused: Num('Share of the positive pairs driven by served lists'),
    lower: Num('Lower bound of `caused`: 2 standard errors below the estimate'),
    upper: Num('Upper bound of `caused`: 2 standard errors above the estimate'),
    named: Num('Share of the positive pairs whose interaction gives a list id'),
    arms: Type.Union(
      [
        Type.Object({
          caused: Num('Share of the pairs without a list id that served lists drove'),
          stdErr: Num('Standard error, clustered by user'),
          arms: Type.Array(Arm),
        }),
        Type.Null(),
      ],
      { description: 'Evidence from which lists were served, for the pairs without a list id' },
    ),
    served: Type.Array(Type.String(), {
      description: 'Models whose lists were served to users with positive pairs',
    }),
    uncaused: Type.Union([Uncaused, Type.Null()], {
      description:
        'Estimates from organic interactions, for the reference model and for models whose estimate is not reported or doubtful',
    }),
  },
  { description: 'Interactions driven by served lists; only if estimates.feedback is not ignore' },
);

export const WindowCounts = Type.Object({
  interactions: Type.Number({ description: 'Distinct pairs of user and item' }),
  positives: Type.Number(),
  repeatedPositives: Type.Number({
    description: 'Positive interactions that repeat an earlier one of the same pair',
  }),
  users: Type.Number(),
  items: Type.Number(),
  unranked: Type.Number(),
});

export const WindowSnapshot = Type.Object({
  name: Type.String({ description: 'Window as configured, e.g. 1h' }),
  from: EventTime('Start of the window'),
  to: EventTime('End of the window; before paneEnd if the window is not computed for every pane'),
  isEarly: Type.Optional(
    Type.Literal(true, {
      description: 'Computed early, because the service has just started',
    }),
  ),
  counts: WindowCounts,
  results: Type.Array(V1Estimate),
  differences: Type.Array(V1Difference),
  againstBaseline: Type.Array(BaselineRow),
  referenceAway: Type.Optional(
    Type.String({
      description: 'Reference model (comparisons.control), if it has no lists in the window',
    }),
  ),
  effectiveSampleSizes: Type.Array(SampleSize),
  models: Type.Array(ModelSummary),
  averageRecommendationPopularity: ByName(Num()),
  averageInteractionPopularity: Num(),
  refusals: Type.Array(
    Type.Object({
      estimator: EstimatorName,
      reason: Type.String(),
    }),
  ),
  interventions: Type.Array(Intervention),
  weightDistribution: Type.Array(WeightBin),
  randomized: Type.Object({
    interactions: Type.Number(),
    users: Type.Number(),
    positives: Type.Number(),
    usersWithPositive: Type.Number(),
    withoutPositive: Num(),
  }),
  exponentTest: Type.Union([ExponentTest, Type.Null()]),
  agreements: Type.Array(Agreement),
  sensitivity: Type.Array(Sensitivity),
  feedback: Type.Optional(FeedbackReport),
  ...FEATURE_SCHEMAS,
  singleCountShare: Type.Optional(Num('Share of the weight on items with one interaction')),
  findings: Findings,
  trust: Trust,
});

const GammaFit = Type.Object({
  ols: Type.Object({
    gamma: Num(),
    stdErr: Num(),
    r2: Num(),
    intercept: Num('Intercept a of ln f(n) = a + γ ln n'),
  }),
  poisson: Type.Object({
    gamma: Num(),
    stdErr: Num(),
    dispersion: Num(),
    intercept: Num(),
  }),
  levels: Type.Number({ description: 'Popularity levels used in the fit' }),
  zeroLevels: Type.Number({ description: 'Levels without exposures' }),
  status: Type.Enum([...GAMMA_STATUSES]),
  curve: Type.Array(
    Type.Object({
      level: Type.Number(),
      exposuresPerItem: Num(),
    }),
    {
      description:
        'f(n): exposures per item by popularity n, on log2 bins; level is the lower end of the bin',
    },
  ),
});

const FittedExponent = Type.Object({
  gamma: Num(),
  stdErr: Num(),
  lower: Num(),
  upper: Num(),
});

const GammaEvidence = Type.Object(
  {
    calibration: Type.Object({
      status: Type.Enum([...CALIBRATION_STATUSES]),
      beta: Num('β estimated from randomised traffic'),
      stdErr: Num(),
      lower: Num(),
      upper: Num(),
      items: Type.Number(),
      organic: Type.Number(),
      randomized: Type.Number(),
    }),
    exposures: Type.Object({
      status: Type.Enum([...GAMMA_INTERVAL_STATUSES]),
      split: FittedExponent,
      poisson: FittedExponent,
      lower: Num('Lower end of the union of both intervals'),
      upper: Num(),
    }),
    asking: Type.Optional(
      Type.Object({
        source: Type.Enum([...GAMMA_SOURCES]),
        ticks: Type.Number(),
      }),
    ),
  },
  { description: 'Evidence by which γ was chosen; only with `gamma: auto`' },
);

export const PropensityFigures = Type.Object({
  gamma: Type.Number({ description: 'γ used by the estimates' }),
  gammaStdErr: Num(),
  beta: Type.Number({ description: 'Exponent β = (γ + 1) / 2 of the propensities n^β' }),
  source: Type.Enum([...USED_GAMMA_SOURCES]),
  fit: Type.Enum([...GAMMA_FITS]),
  fits: ByName(GammaFit),
  auto: Type.Optional(GammaEvidence),
});
export type PropensityFigures = Wire<Static<typeof PropensityFigures>>;

export const PropensityReport = Type.Object({
  paneEnd: EventTime('End of the newest pane'),
  propensity: PropensityFigures,
  windows: Type.Array(
    Type.Object({
      name: Type.String(),
      weightDistribution: Type.Array(WeightBin),
    }),
  ),
});

export const Concentration = Type.Object({
  total: Type.Number(),
  gini: Num(),
  hhi: Num(),
  coverage: Num('Share of the catalogue with at least one count'),
  entropy: Num('Shannon entropy of the counts over items, in nats'),
  topShare: Num('Share of the counts on the most popular 1 % of the catalogue'),
  averagePopularity: Num('Mean popularity of the counted items'),
});

/** Schema of the concentration of interactions, and of each model's exposures. */
export const ConcentrationReport = Type.Object({
  interactions: Concentration,
  exposures: ByName(Concentration),
});
export type ConcentrationReport = Wire<Static<typeof ConcentrationReport>>;

export const LorenzReport = Type.Object(
  {
    interactions: Type.Array(Num()),
    exposures: ByName(Type.Array(Num())),
  },
  {
    description:
      'Lorenz curves: cumulative share of the counts at 0, 1, …, 100 % of the catalogue, least popular items first; empty without counts',
  },
);

export const PopularityReport = Type.Object({
  paneEnd: EventTime('End of the newest pane'),
  catalogueSize: Type.Number(),
  popularity: ConcentrationReport,
  lorenz: LorenzReport,
  windows: Type.Array(
    Type.Object({
      name: Type.String(),
      averageRecommendationPopularity: ByName(Num()),
      averageInteractionPopularity: Num(),
    }),
  ),
});

export const Sampling = Type.Object({
  ratio: Type.Number({ description: 'Share of users that the estimates use; 1: all' }),
});

const SpreadUsers = Type.Object({
  users: Type.Number({ description: 'Sampled users' }),
  several: Type.Number({ description: 'Sampled users who are seen in several partitions' }),
});

const UserPartitions = Type.Object(
  {
    exposures: SpreadUsers,
    interactions: SpreadUsers,
    both: SpreadUsers,
    movedAt: Num(
      'Event time at which users moved to other partitions all at once, ms; null: they did not',
    ),
  },
  { description: 'Users who are seen in several partitions; absent if there are none' },
);

export const SnapshotReport = Type.Object({
  paneEnd: EventTime('End of the newest closed pane'),
  models: Type.Array(Type.String()),
  catalogueSize: Type.Number(),
  baseline: Type.Union([Type.String(), Type.Null()]),
  propensity: PropensityFigures,
  popularity: ConcentrationReport,
  lorenz: LorenzReport,
  windows: Type.Array(WindowSnapshot),
  sampling: Sampling,
  popularitySince: Type.Optional(
    EventTime('Start of the period whose interactions are counted as popularity'),
  ),
  homes: Type.Optional(UserPartitions),
  heavyUsers: Type.Optional(HeavyUsers),
  alarms: Type.Optional(Type.Array(Alarm)),
  notices: Type.Optional(
    Type.Array(Notice, { description: 'Notices that are not alarms, such as a new model' }),
  ),
  ...SNAPSHOT_SCHEMAS,
  truth: Type.Optional(Type.Array(TruthRow)),
});
export type SnapshotReport = Wire<Static<typeof SnapshotReport>>;
