import { Type } from 'typebox';
import {
  AggregationName,
  BaselineRow,
  Cutoff,
  DifferenceRow,
  EstimateRow,
  EstimatorName,
  MetricName,
  ModelSummary,
  SampleSize,
} from './estimate.js';
import { Findings } from './finding.js';
import { ByName, EventTime, MaybeNumber } from './number.js';

export const WeightBin = Type.Object({
  from: Type.Number({ description: 'Weight over the mean weight; the bin ends at its double' }),
  rows: Type.Number(),
  weightShare: MaybeNumber('Share of all weight'),
});

const Quantiles = Type.Array(Type.Object({ quantile: Type.Number(), weight: MaybeNumber() }));
const Margin = Type.Object({
  before: MaybeNumber(),
  weights: MaybeNumber(),
  sample: MaybeNumber(),
});
const Items = Type.Object({ rows: MaybeNumber(), gini: MaybeNumber(), kl: MaybeNumber() });

const Intervention = Type.Object({
  estimator: EstimatorName,
  rows: Type.Number(),
  expected: MaybeNumber('Rows of a drawn test set'),
  ess: MaybeNumber(),
  largestShare: MaybeNumber(),
  distance: MaybeNumber('Total variation of the sample from its weights'),
  userWeights: Quantiles,
  itemWeights: Quantiles,
  margins: Type.Object({ user: Margin, item: Margin }),
  before: Items,
  sample: Items,
});

const Agreement = Type.Object({
  metric: MetricName,
  k: Cutoff,
  aggregation: AggregationName,
  estimators: Type.Array(EstimatorName, { minItems: 2, maxItems: 2 }),
  tau: MaybeNumber("Kendall's τ between the two orders of the models"),
  flips: Type.Array(Type.Array(Type.String(), { minItems: 2, maxItems: 2 })),
});

export const WindowCounts = Type.Object({
  interactions: Type.Number({ description: 'Distinct pairs' }),
  positives: Type.Number(),
  users: Type.Number(),
  items: Type.Number(),
  unranked: Type.Number(),
});

export const WindowSnapshot = Type.Object({
  name: Type.String({ description: 'As configured, e.g. 1h' }),
  from: EventTime('First instant'),
  to: EventTime('End'),
  counts: WindowCounts,
  results: Type.Array(EstimateRow),
  differences: Type.Array(DifferenceRow),
  againstBaseline: Type.Array(BaselineRow),
  effectiveSampleSizes: Type.Array(SampleSize),
  models: Type.Array(ModelSummary),
  averageRecommendationPopularity: ByName(MaybeNumber()),
  averageInteractionPopularity: MaybeNumber(),
  refusals: Type.Array(Type.Object({ estimator: EstimatorName, reason: Type.String() })),
  interventions: Type.Array(Intervention),
  weightDistribution: Type.Array(WeightBin),
  randomized: Type.Object({
    interactions: Type.Number(),
    users: Type.Number(),
    positives: Type.Number(),
    usersWithPositive: Type.Number(),
    withoutPositive: MaybeNumber(),
  }),
  exponentTest: Type.Union([
    Type.Object({
      beta: MaybeNumber(),
      stdErr: MaybeNumber(),
      used: Type.Number(),
      deviation: MaybeNumber(),
      levels: Type.Number(),
      organic: Type.Number(),
      randomized: Type.Number(),
    }),
    Type.Null(),
  ]),
  agreements: Type.Array(Agreement),
  singleCountShare: Type.Optional(
    MaybeNumber('Share of the weight on items that were counted once'),
  ),
  findings: Findings,
});
