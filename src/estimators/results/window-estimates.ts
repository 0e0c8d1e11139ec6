import { type Static, Type } from 'typebox';
import { type Memory, Num } from '../../rows/row.js';
import type { CauseByArms } from '../feedback/cause-by-arms.js';
import type { FeedbackMode } from '../feedback/feedback-mode.js';
import type { WeightSummary } from '../interventions/sample-distance.js';
import type { Aggregation, EstimatorName, InterventionName, Metric } from '../names.js';
import type {
  EffectiveSampleSize,
  EstimateDifference,
  EstimateRow,
  ModelSummary,
} from './estimate.js';
import type { ScaleReport } from './scale-report.js';
import type { SegmentNumbers, SegmentReport } from './segment-report.js';
import type { MeasureSensitivity } from './sensitivity.js';

/** Rows whose weight lies in [from, 2 from), relative to the mean weight; `from` is a power of 2. */
export const WeightBin = Type.Object({
  from: Type.Number({ description: 'Weight over the mean weight; the bin ends at its double' }),
  rows: Type.Number(),
  weightShare: Num('Share of all weight'),
});
export type WeightBin = Memory<Static<typeof WeightBin>>;

/** Which quantiles of weights are reported. */
export const WEIGHT_QUANTILES = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1] as const;

/** Quantile of weights relative to their mean; 1 is a neutral weight. */
export const WeightQuantile = Type.Object({
  quantile: Type.Number(),
  weight: Num(),
});
export type WeightQuantile = Memory<Static<typeof WeightQuantile>>;

/** All estimates of one window. */
export interface WindowEstimates {
  readonly results: readonly EstimateRow[];
  /** Each model's to the reference model's, in the order of `results`. */
  readonly differences: readonly EstimateDifference[];
  readonly effectiveSampleSizes: readonly EffectiveSampleSize[];
  readonly models: readonly ModelSummary[];
  /** Distinct pairs, positive ones, users and items among them; unranked rows of all models. */
  readonly counts: {
    readonly interactions: number;
    readonly positives: number;
    /** Positive interactions beyond the first of their pair. */
    readonly repeatedPositives: number;
    readonly users: number;
    readonly items: number;
    readonly unranked: number;
  };
  /** Estimators that were asked for and have no value here. */
  readonly refusals: readonly Refusal[];
  /** What each intervention makes of the window's rows. */
  readonly interventions: readonly InterventionSummary[];
  /** What the interventions give on sets that were drawn, if any are asked for. */
  readonly drawn: readonly DrawnEstimate[];
  /** Of the weights n^−β of the positive rows, which snips uses as they are. */
  readonly weightDistribution: readonly WeightBin[];
  /** Share of those weights on items that were counted once; where the window counts in them. */
  readonly singleCountShare?: number;
  /** Where absolute propensities come from; null if nothing needs them, or there are none. */
  readonly absoluteScale: ScaleReport | null;
  readonly randomized: RandomizedTraffic;
  /** The propensities compared with randomised traffic; empty if ure is not given. */
  readonly controlVariates: readonly ControlVariate[];
  /** How far each two estimators agree on the order of the models. */
  readonly agreements: readonly RankingAgreement[];
  /** What the choice of γ decides, by measure. */
  readonly sensitivity: readonly MeasureSensitivity[];
  /** By segment; only there where rows are divided by dimensions. */
  readonly segments?: SegmentReport;
  /** Only there if causes are followed. */
  readonly feedback?: FeedbackReport;
}

/** Estimate of an intervention on test sets that were drawn, beside its expected value. */
export interface DrawnEstimate
  extends Pick<EstimateRow, 'model' | 'metric' | 'k' | 'estimator' | 'form'> {
  /** Sets with a value. */
  readonly draws: number;
  readonly mean: number;
  /** Between sets; NaN of one. */
  readonly stdDev: number;
}

/** An estimator that was asked for and has no value in this window, and why. */
export interface Refusal {
  readonly estimator: EstimatorName;
  /** The metric that has no value; all, where it is not given. */
  readonly metric?: Metric;
  /** The form that has no value; both, where it is not given. */
  readonly aggregation?: Aggregation;
  readonly reason: string;
}

/** How far two estimators agree on the order of the models. */
export interface RankingAgreement {
  readonly metric: Metric;
  readonly k: number | null;
  readonly aggregation: Aggregation;
  readonly estimators: readonly [EstimatorName, EstimatorName];
  /** Kendall's τ-b; NaN where one of the two tells no models apart. */
  readonly tau: number;
  /** Pairs of models of which the first estimator prefers the first and the other the second. */
  readonly flips: readonly (readonly [string, string])[];
}

/** The randomised traffic of a window. */
export interface RandomizedTraffic {
  /** Interactions in the popularity horizon: what wtd takes its targets from. */
  readonly interactions: number;
  /** Users whom it reached in the window, by a list or an interaction. */
  readonly users: number;
  /** Items that its lists showed in the window; NaN where not all of its lists are logged. */
  readonly itemsShown: number;
  /** Pairs of the window with a positive interaction from it: what ure is measured on. */
  readonly positives: number;
  /** Users who have such a pair. */
  readonly usersWithPositive: number;
  /** Share of the users reached who have none, and so no part in ure; NaN where none was reached. */
  readonly withoutPositive: number;
}

/** Items of like popularity, among the users of one group. */
export interface ControlVariate {
  /** 0 the least active third of the users; null: all users. */
  readonly userGroup: number | null;
  /** 0 the least popular tenth of the items. */
  readonly decile: number;
  /** Positive rows of either kind. */
  readonly organic: number;
  readonly randomized: number;
  /** Shares of them in the group's: of the organic ones' weights, and of the randomised ones. */
  readonly weightShare: number;
  readonly randomizedShare: number;
  /** Their difference in standard errors; NaN where the group has too little of either. */
  readonly z: number;
}

/**
 * Concentration of the items of a set of rows: their number, of a sample the expected one, and the KL
 * divergence from the uniform distribution over the catalogue, in nats.
 */
export const ItemConcentration = Type.Object({
  rows: Num(),
  gini: Num(),
  kl: Num(),
});
export type ItemConcentration = Memory<Static<typeof ItemConcentration>>;

/**
 * Total variation distance of one side's margins from the intervention's target: before it, with
 * the weights themselves (as in a very small sample), and of the expected sample.
 */
export const MarginDistance = Type.Object({
  before: Num(),
  weights: Num(),
  sample: Num(),
});
export type MarginDistance = Memory<Static<typeof MarginDistance>>;

/** How an intervention changes the rows of a window. */
export interface InterventionSummary extends WeightSummary {
  readonly estimator: InterventionName;
  readonly userWeights: readonly WeightQuantile[];
  readonly itemWeights: readonly WeightQuantile[];
  /** From uniform over the users and items with a row; for wtd from randomised traffic's shares. */
  readonly margins: {
    readonly user: MarginDistance;
    readonly item: MarginDistance;
  };
  readonly before: ItemConcentration;
  readonly sample: ItemConcentration;
  /** Of wtd_ipf: components of the rows, and whether uniform margins were out of reach. */
  readonly raking?: {
    readonly components: number;
    readonly isDamped: boolean;
  };
}

/** The estimates on organic interactions alone. */
export interface UncausedEstimates {
  readonly results: readonly EstimateRow[];
  readonly differences: readonly EstimateDifference[];
  readonly effectiveSampleSizes: readonly EffectiveSampleSize[];
  /** By segment; only there where rows are divided. */
  readonly segments?: readonly SegmentNumbers[];
  /** Positive rows that no list caused, and users who have one. */
  readonly rows: number;
  readonly users: number;
}

/** Report on interactions driven by recommendations in a window's estimates. */
export interface FeedbackReport {
  readonly mode: FeedbackMode;
  /**
   * `named`: interactions name the lists that led to them; `arms`: none does, or not all do, and
   * the share follows from which lists were served; `unknown`: neither.
   */
  readonly source: 'named' | 'arms' | 'unknown';
  /** Share of the positive organic rows that shown lists caused; NaN where it is unknown. */
  readonly caused: number;
  /**
   * It is at least and at most so much: named + (1 − named) · max(0, κ̂ ± 2 standard errors). NaN
   * where it is unknown; `lower` is `caused` where names count as complete.
   */
  readonly lower: number;
  readonly upper: number;
  /** Share of the positive organic rows that name a list; NaN without rows. */
  readonly named: number;
  /**
   * Share of the rows without a list id that lists caused, estimated from which lists were served.
   */
  readonly arms: CauseByArms | null;
  /** Models whose lists were served to users with positive rows. */
  readonly served: readonly string[];
  /**
   * Of the models with an estimate that is withheld or doubtful, and of the reference model; null where
   * there are none such, and where everything is known to be caused.
   */
  readonly uncaused: UncausedEstimates | null;
}
