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

/**
 * Bin of a weight histogram: the rows whose weight, divided by the mean weight, is in [from, 2
 * from). `from` is a power of 2.
 */
export const WeightBin = Type.Object({
  from: Type.Number({
    description:
      'Lower end of the bin, as weight divided by the mean weight; the bin ends at twice this',
  }),
  rows: Type.Number(),
  weightShare: Num('Share of the total weight'),
});
export type WeightBin = Memory<Static<typeof WeightBin>>;

/** Quantiles of a weight distribution that are reported. */
export const WEIGHT_QUANTILES = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1] as const;

/** A quantile of weights, divided by the mean weight; `weight` 1 is neutral. */
export const WeightQuantile = Type.Object({
  quantile: Type.Number(),
  weight: Num(),
});
export type WeightQuantile = Memory<Static<typeof WeightQuantile>>;

/** All estimates of one window. */
export interface WindowEstimates {
  readonly results: readonly EstimateRow[];
  /** Differences of each model to the reference model, in the order of `results`. */
  readonly differences: readonly EstimateDifference[];
  readonly effectiveSampleSizes: readonly EffectiveSampleSize[];
  readonly models: readonly ModelSummary[];
  /**
   * Counts of the window. `interactions`: distinct (user, item) pairs; `positives`, `users` and
   * `items`: the positive pairs, users and items among them. `unranked`: positive rows without a
   * list of a model, summed over models.
   */
  readonly counts: {
    readonly interactions: number;
    readonly positives: number;
    /** Further positive interactions of a user with the same item. */
    readonly repeatedPositives: number;
    readonly users: number;
    readonly items: number;
    readonly unranked: number;
  };
  /** Configured estimators without a value in this window. */
  readonly refusals: readonly Refusal[];
  /** How each intervention reweights the window's rows. */
  readonly interventions: readonly InterventionSummary[];
  /** Estimates of interventions on drawn test sets, if configured. */
  readonly drawn: readonly DrawnEstimate[];
  /** Distribution of the weights n^−β of the positive rows, which snips uses. */
  readonly weightDistribution: readonly WeightBin[];
  /**
   * Share of the weights n^−β on items that were counted once; undefined if the counts exclude the
   * window.
   */
  readonly singleCountShare?: number;
  /** Source of absolute propensities; null if they are not needed or not available. */
  readonly absoluteScale: ScaleReport | null;
  readonly randomized: RandomizedTraffic;
  /** Test of the propensities against randomised traffic; empty without ure. */
  readonly controlVariates: readonly ControlVariate[];
  /** Agreement of each pair of estimators on the order of the models. */
  readonly agreements: readonly RankingAgreement[];
  /** Sensitivity to γ, by measure. */
  readonly sensitivity: readonly MeasureSensitivity[];
  /** Estimates by segment; undefined without segment dimensions. */
  readonly segments?: SegmentReport;
  /** Interactions driven by recommendations; undefined if causes are not determined. */
  readonly feedback?: FeedbackReport;
}

/** Estimate of an intervention on drawn test sets, for comparison with its expected value. */
export interface DrawnEstimate
  extends Pick<EstimateRow, 'model' | 'metric' | 'k' | 'estimator' | 'form'> {
  /** Number of drawn sets with a value. */
  readonly draws: number;
  readonly mean: number;
  /** Standard deviation over drawn sets; NaN for one set. */
  readonly stdDev: number;
}

/** A configured estimator without a value in this window, and the reason. */
export interface Refusal {
  readonly estimator: EstimatorName;
  /** The metric without a value; undefined means all. */
  readonly metric?: Metric;
  /** The aggregation without a value; undefined means both. */
  readonly aggregation?: Aggregation;
  readonly reason: string;
}

/** Agreement of two estimators on the order of the models. */
export interface RankingAgreement {
  readonly metric: Metric;
  readonly k: number | null;
  readonly aggregation: Aggregation;
  readonly estimators: readonly [EstimatorName, EstimatorName];
  /** Kendall's τ-b; NaN if one of the two gives all models the same value. */
  readonly tau: number;
  /** Pairs of models that the two estimators order differently; the first estimator prefers the first model. */
  readonly flips: readonly (readonly [string, string])[];
}

/** The randomised traffic of a window. */
export interface RandomizedTraffic {
  /** Randomised interactions in the popularity horizon, from which wtd takes its target shares. */
  readonly interactions: number;
  /** Users in the window with a randomised list or interaction. */
  readonly users: number;
  /** Items shown by randomised lists in the window; NaN if some of these lists are not logged. */
  readonly itemsShown: number;
  /**
   * (user, item) pairs of the window with a positive randomised interaction; they are the rows of
   * ure.
   */
  readonly positives: number;
  /** Users with a positive randomised interaction in the window. */
  readonly usersWithPositive: number;
  /**
   * Share of the users reached by randomised traffic who have no positive randomised interaction,
   * so that ure leaves them out; NaN if no user was reached.
   */
  readonly withoutPositive: number;
}

/**
 * Comparison of weighted organic traffic with randomised traffic, for one popularity decile of
 * items and one activity group of users. See `controlVariates`.
 */
export interface ControlVariate {
  /** 0 for the least active third of the users; null for all users. */
  readonly userGroup: number | null;
  /** 0 for the least popular tenth of the items. */
  readonly decile: number;
  /**
   * Number of organic positive rows (`organic`), and of randomised positive rows (`randomized`).
   */
  readonly organic: number;
  readonly randomized: number;
  /**
   * Share of the decile in the group's organic weights 1 / P̂ (`weightShare`), and in the group's
   * randomised rows (`randomizedShare`).
   */
  readonly weightShare: number;
  readonly randomizedShare: number;
  /**
   * Difference of the two shares in standard errors; NaN if the group has too few rows of either
   * kind.
   */
  readonly z: number;
}

/**
 * Concentration of a set of rows on few items: the number of rows (for a sample, the expected
 * number), the Gini coefficient, and the KL divergence of the items' shares from a uniform
 * distribution over the catalogue, in nats.
 */
export const ItemConcentration = Type.Object({
  rows: Num(),
  gini: Num(),
  kl: Num(),
});
export type ItemConcentration = Memory<Static<typeof ItemConcentration>>;

/**
 * Total variation distance between the distribution of rows over users (or over items) and the
 * intervention's target distribution. `before`: without the intervention; `weights`: under its
 * weights, as in a very small sample; `sample`: in the expected sample.
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
  /**
   * Distance of the rows' distribution over users, and over items, from the target: uniform over
   * the users and items with a row; for wtd the shares in randomised traffic.
   */
  readonly margins: {
    readonly user: MarginDistance;
    readonly item: MarginDistance;
  };
  readonly before: ItemConcentration;
  readonly sample: ItemConcentration;
  /**
   * For wtd_ipf: number of connected components of the graph of users and items, and whether raking
   * could not reach uniform margins.
   */
  readonly raking?: {
    readonly components: number;
    readonly isDamped: boolean;
  };
}

/** Estimates over organic interactions alone. */
export interface UncausedEstimates {
  readonly results: readonly EstimateRow[];
  readonly differences: readonly EstimateDifference[];
  readonly effectiveSampleSizes: readonly EffectiveSampleSize[];
  /** Estimates by segment; undefined without segment dimensions. */
  readonly segments?: readonly SegmentNumbers[];
  /** Number of positive rows that no list caused (`rows`), and number of their users (`users`). */
  readonly rows: number;
  readonly users: number;
}

/** Report on interactions driven by recommendations in a window's estimates. */
export interface FeedbackReport {
  readonly mode: FeedbackMode;
  /**
   * Source of `caused`. `named`: interactions give the ids of the lists that led to them. `arms`:
   * not all interactions give such ids, and the share follows from which lists were served.
   * `unknown`: neither source is available.
   */
  readonly source: 'named' | 'arms' | 'unknown';
  /** Share of the positive organic rows that shown lists caused; NaN if it is unknown. */
  readonly caused: number;
  /**
   * Lower and upper bound of `caused`: named + (1 − named) · max(0, κ̂ ± 2 standard errors). NaN if
   * unknown; `lower` is `caused` if list ids are complete.
   */
  readonly lower: number;
  readonly upper: number;
  /** Share of the positive organic rows with a list id; NaN without rows. */
  readonly named: number;
  /**
   * Share of the rows without a list id that lists caused, estimated from which lists were served;
   * null if fewer than two arms allow it.
   */
  readonly arms: CauseByArms | null;
  /** Models whose lists were served to users with positive rows. */
  readonly served: readonly string[];
  /**
   * Estimates over organic interactions, for models with a withheld or doubtful estimate and the
   * reference model; null if there are none, or if lists are known to have caused all rows.
   */
  readonly uncaused: UncausedEstimates | null;
}
