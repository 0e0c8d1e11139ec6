import { Type } from 'typebox';
import { ExponentTest } from '../../../estimators/diagnostics/exponent-test.js';
import { FEEDBACK_MODES } from '../../../estimators/feedback/feedback-mode.js';
import { ModelSummary } from '../../../estimators/results/estimate.js';
import { SENSITIVITY } from '../../../estimators/results/sensitivity.js';
import {
  ItemConcentration,
  MarginDistance,
  WeightBin,
  WeightQuantile,
} from '../../../estimators/results/window-estimates.js';
import { FEATURE_SCHEMAS } from '../../../features/schemas.js';
import { Num } from '../../../rows/row.js';
import {
  AggregationName,
  BaselineRow,
  Cutoff,
  EstimatorName,
  MetricName,
  SampleSize,
  V1Difference,
  V1Estimate,
} from '../../json/v1-schema.js';
import { Findings, Trust } from './finding.js';
import { ByName, EventTime } from './number.js';

const Quantiles = Type.Array(WeightQuantile);

const Intervention = Type.Object({
  estimator: EstimatorName,
  rows: Type.Number(),
  expected: Num('Rows of a drawn test set'),
  ess: Num(),
  largestShare: Num(),
  distance: Num('Total variation of the sample from its weights'),
  userWeights: Quantiles,
  itemWeights: Quantiles,
  margins: Type.Object({ user: MarginDistance, item: MarginDistance }),
  before: ItemConcentration,
  sample: ItemConcentration,
});

const Agreement = Type.Object({
  metric: MetricName,
  k: Cutoff,
  aggregation: AggregationName,
  estimators: Type.Array(EstimatorName, { minItems: 2, maxItems: 2 }),
  tau: Num("Kendall's τ between the two orders of the models"),
  flips: Type.Array(Type.Array(Type.String(), { minItems: 2, maxItems: 2 })),
});

/** What other values of γ would make of a measure. */
export const Sensitivity = Type.Object(
  {
    metric: MetricName,
    k: Cutoff,
    ...SENSITIVITY,
  },
  { description: 'What the choice of γ decides, by snips over all events' },
);

const Arm = Type.Object({
  model: Type.String(),
  shownRows: Type.Number({ description: 'Positive rows while its list was the one served' }),
  hiddenRows: Type.Number({ description: "Positive rows while another model's was" }),
  caused: Num('Share of them that its list caused'),
});

const Uncaused = Type.Object({
  results: Type.Array(V1Estimate),
  differences: Type.Array(V1Difference),
  effectiveSampleSizes: Type.Array(SampleSize),
  rows: Type.Number({ description: 'Positive pairs that no list caused' }),
  users: Type.Number({ description: 'Users who have one' }),
});

const FeedbackReport = Type.Object(
  {
    mode: Type.Enum([...FEEDBACK_MODES]),
    source: Type.Enum(['named', 'arms', 'unknown'], {
      description:
        'named: by the exposures that are named; arms: by which lists were served, as no names are given or not all',
    }),
    caused: Num('Share of the positive pairs that shown lists caused'),
    lower: Num('It is at least so much, by 2 standard errors of what is estimated of it'),
    upper: Num('It is at most so much'),
    named: Num('Share of the positive pairs that name a list'),
    arms: Type.Union(
      [
        Type.Object({
          caused: Num('Share of these pairs that lists caused'),
          stdErr: Num('Standard error, clustered by user'),
          arms: Type.Array(Arm),
        }),
        Type.Null(),
      ],
      { description: 'Of the pairs that name no list, by which lists were served' },
    ),
    served: Type.Array(Type.String(), {
      description: 'Models whose lists were served to users with positive pairs',
    }),
    uncaused: Type.Union([Uncaused, Type.Null()], {
      description:
        'The same of what users found by themselves, for models with an estimate that is withheld or doubtful, and the reference model',
    }),
  },
  { description: 'What shown lists caused; only if causes are followed' },
);

export const WindowCounts = Type.Object({
  interactions: Type.Number({ description: 'Distinct pairs' }),
  positives: Type.Number(),
  repeatedPositives: Type.Number({
    description: 'Positive interactions beyond the first of their pair',
  }),
  users: Type.Number(),
  items: Type.Number(),
  unranked: Type.Number(),
});

export const WindowSnapshot = Type.Object({
  name: Type.String({ description: 'As configured, e.g. 1h' }),
  from: EventTime('First instant'),
  to: EventTime('End; that of an earlier pane where the window is not computed with each'),
  isEarly: Type.Optional(
    Type.Literal(true, {
      description: 'Computed before its time, since the service has just started',
    }),
  ),
  counts: WindowCounts,
  results: Type.Array(V1Estimate),
  differences: Type.Array(V1Difference),
  againstBaseline: Type.Array(BaselineRow),
  referenceAway: Type.Optional(
    Type.String({ description: 'The model to compare with, if no list is of it' }),
  ),
  effectiveSampleSizes: Type.Array(SampleSize),
  models: Type.Array(ModelSummary),
  averageRecommendationPopularity: ByName(Num()),
  averageInteractionPopularity: Num(),
  refusals: Type.Array(Type.Object({ estimator: EstimatorName, reason: Type.String() })),
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
  singleCountShare: Type.Optional(Num('Share of the weight on items that were counted once')),
  findings: Findings,
  trust: Trust,
});
