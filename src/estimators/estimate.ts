import { SET_METRICS } from '../gains/set-measure.js';
import type { ControlVariate } from './diagnostics/control-variate.js';
import type { ExponentTest } from './diagnostics/exponent-test.js';
import type { RandomizedTraffic } from './diagnostics/randomized-traffic.js';
import type { RankingAgreement } from './diagnostics/ranking-agreement.js';
import type { WeightBin } from './diagnostics/weight-distribution.js';
import type { DrawnEstimate } from './interventions/drawn-sets.js';
import type { InterventionSummary } from './interventions/intervention-summary.js';
import type { ScaleName, ScaleReport } from './rules/absolute-scale.js';
import type { Guarantee, GuaranteeName } from './uncertainty/guarantees.js';
import type { IntervalMethod } from './uncertainty/interval-method.js';
import type { Refusal } from './window/window-rules.js';

/** What is computed where nothing else is asked for: means of gains, which every estimator weighs. */
export const ADDITIVE_METRICS = ['recall', 'dcg', 'mrr', 'auc'] as const;
/** Closed sets of names; label values and JSON fields use them as they stand here. */
export const METRICS = [...ADDITIVE_METRICS, ...SET_METRICS] as const;
export type Metric = (typeof METRICS)[number];

/** Estimators that draw a test set from the rows: their value is the expected one. */
export const INTERVENTIONS = ['full', 'reg', 'skew', 'wtd', 'wtd_h', 'wtd_ipf'] as const;
export type InterventionName = (typeof INTERVENTIONS)[number];

export const ESTIMATORS = ['naive', 'ips', 'snips', 'gs', ...INTERVENTIONS, 'ure'] as const;
export type EstimatorName = (typeof ESTIMATORS)[number];

/** What is computed where nothing else is asked for. */
export const DEFAULT_ESTIMATORS = ['naive', 'snips', 'gs', 'skew', 'wtd_h'] as const;

export const AGGREGATIONS = ['user', 'pooled'] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

export const STRATA_SCHEMES = [
  'popularity-width',
  'propensity-width',
  'popularity-rank',
  'log',
] as const;
export type StrataScheme = (typeof STRATA_SCHEMES)[number];

/** What is asked of one tick. */
export interface EstimateOptions {
  readonly metrics: readonly Metric[];
  readonly ks: readonly number[];
  readonly estimators: readonly EstimatorName[];
  /** Exponent of presentation bias; propensities are n^((γ+1)/2). */
  readonly gamma: number;
  /** Standard error of γ, which widens intervals; 0 where γ is given. */
  readonly gammaStdErr: number;
  readonly interval: IntervalMethod;
  /** Bounds to give beside the interval. */
  readonly guarantees: readonly GuaranteeName[];
  /** Model that the others are compared with; undefined: the first; one that is not there: none. */
  readonly reference: string | undefined;
  readonly strata: number;
  readonly strataScheme: StrataScheme;
  /** What an item without a count weighs: as if counted `smoothing` times, or left out. */
  readonly cold: 'smooth' | 'drop';
  readonly smoothing: number;
  /** Size of the catalogue: a list of unstated candidates that is this long ranks all of them. */
  readonly catalogueSize: number;
  /** Share of the rows that an intervention keeps. */
  readonly sampleShare: number;
  /** Test sets to draw of each intervention, and the seed of the first; none by default. */
  readonly draws?: number;
  readonly seed?: number;
  /** Exponent of the item posterior in wtd_h. */
  readonly posteriorExponent: number;
  /** Why the parts do not say whom lists reached; undefined where they do. */
  readonly noReach?: string;
}

/** One number with its uncertainty. `value` = numerator / denominator, kept within the gains' range. */
export interface Estimate {
  readonly model: string;
  readonly metric: Metric;
  readonly k: number | null;
  readonly estimator: EstimatorName;
  readonly aggregation: Aggregation;
  readonly value: number;
  /** Clustered by user; 0 for a gain that does not vary, else NaN for a single user: unknown. */
  readonly stdErr: number;
  /** 95 % interval of both errors, within [0, 1]; all of it where the error is unknown. */
  readonly lower: number;
  readonly upper: number;
  /** Users that carry weight, and rows that were evaluated. */
  readonly users: number;
  readonly events: number;
  /** Kish effective sample size over users: what the interval rests on. */
  readonly ess: number;
  /** ∂R/∂γ, and the standard error of γ times its size; 0 where γ is given. */
  readonly gammaSlope: number;
  readonly gammaStdErr: number;
  /** Those that were asked for and hold for this estimate. */
  readonly guarantees: readonly Guarantee[];
  readonly numerator: number;
  readonly denominator: number;
  /** Of pooled estimates of an intervention: what the drawing of one test set would add. */
  readonly samplingStdErr?: number;
  /** Of ips: where its propensities come from. */
  readonly scale?: ScaleName;
}

/** How much more a model gains than the reference model, over the same users. */
export interface EstimateDifference {
  readonly model: string;
  readonly reference: string;
  readonly metric: Metric;
  readonly k: number | null;
  readonly estimator: EstimatorName;
  readonly aggregation: Aggregation;
  readonly value: number;
  /** Paired: what both models share cancels. */
  readonly stdErr: number;
  /** 95 % interval, within [−1, 1]. */
  readonly lower: number;
  readonly upper: number;
  /** Users that carry weight in either; the lesser effective sample size of the two. */
  readonly users: number;
  readonly ess: number;
  readonly gammaStdErr: number;
}

/** Per model and estimator, from its pooled weights. */
export interface EffectiveSampleSize {
  readonly model: string;
  readonly estimator: EstimatorName;
  /** Kish sizes, by event and by user. */
  readonly events: number;
  readonly users: number;
  /** Share of the largest single weight in their sum. */
  readonly largestShare: number;
}

/** What one model is evaluated on; with `cold: drop`, rows of cold items are not in it. */
export interface ModelSummary {
  readonly model: string;
  /** Users with at least one positive, ranked row. */
  readonly users: number;
  /** Positive, ranked rows. */
  readonly events: number;
  /** Positive rows without a list of this model. */
  readonly unranked: number;
  /** Share of those users that have exactly one row: for them per-user SNIPS and GS are naive. */
  readonly singletonUserRatio: number;
}

/** What the estimators give for one window. */
export interface WindowEstimates {
  readonly results: readonly Estimate[];
  /** Each model's to the reference model's, in the order of `results`. */
  readonly differences: readonly EstimateDifference[];
  readonly effectiveSampleSizes: readonly EffectiveSampleSize[];
  readonly models: readonly ModelSummary[];
  /** Distinct pairs, positive ones, users and items among them; unranked rows of all models. */
  readonly counts: {
    readonly interactions: number;
    readonly positives: number;
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
  /** Where absolute propensities come from; null where nothing needs them, or there are none. */
  readonly absoluteScale: ScaleReport | null;
  readonly randomized: RandomizedTraffic;
  /** Only where the window holds positives from randomised traffic. */
  readonly exponentTest: ExponentTest | null;
  /** The propensities held against randomised traffic; empty where ure is not given. */
  readonly controlVariates: readonly ControlVariate[];
  /** How far each two estimators agree on the order of the models. */
  readonly agreements: readonly RankingAgreement[];
}
