import type { CausedShares, WithheldReason } from '../feedback/verdict.js';
import type { Aggregation, EstimatorName, Metric } from '../names.js';
import type { Guarantee } from '../uncertainty/guarantees.js';
import type { ScaleName } from './scale-report.js';

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
  /** 95 % interval of both errors, within [0, 1]; all of it if the error is unknown. */
  readonly lower: number;
  readonly upper: number;
  /** Users that carry weight, and rows that were evaluated. */
  readonly users: number;
  readonly events: number;
  /** Kish effective sample size over users: what the interval rests on. */
  readonly ess: number;
  /** ∂R/∂γ, and the standard error of γ times its size; 0 if γ is given. */
  readonly gammaSlope: number;
  readonly gammaStdErr: number;
  /** Those that were asked for and hold for this estimate. */
  readonly guarantees: readonly Guarantee[];
  readonly numerator: number;
  readonly denominator: number;
  /** Of pooled estimates of an intervention: what the drawing of one test set would add. */
  readonly samplingStdErr?: number;
  /** Of a corrected mean over users: without the correction, and the median Kish size within users. */
  readonly uncorrected?: number;
  readonly withinUserEss?: number;
  /** Of ips: where its propensities come from. */
  readonly scale?: ScaleName;
  /** Before it is judged: how far it rests on what shown lists caused. */
  readonly shares?: CausedShares;
  /** Only there if causes are followed. Why it is withheld, and its numbers are NaN; or null. */
  readonly withheld?: WithheldReason | null;
  /** Shares of its weights on rows that any shown list caused, and that the model's own did. */
  readonly caused?: number;
  readonly own?: number;
  /** The same estimate over the rows that the model's own lists did not cause. */
  readonly other?: number;
  /** It is given, but rests on what lists caused more than it should. */
  readonly isDoubtful?: boolean;
  /** It is given, as a caution is all that was asked for: why it would be withheld. */
  readonly objection?: WithheldReason;
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
  /** Only there if causes are followed: why either side is withheld, or null. */
  readonly withheld?: WithheldReason | null;
  /** Either side is. */
  readonly isDoubtful?: boolean;
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
