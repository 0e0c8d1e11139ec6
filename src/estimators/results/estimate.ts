import { type Static, Type } from 'typebox';
import { type Difference, type Memory, Num, type Row } from '../../rows/row.js';
import type { CausedShares } from '../feedback/verdict.js';
import type { Aggregation, EstimatorName, Metric } from '../names.js';
import type { Guarantee } from '../uncertainty/guarantees.js';

/**
 * The row of an estimate. `value` = numerator / denominator; value and interval lie within the
 * range of the gain. The standard error is clustered by user. It is 0 for a gain that does not
 * vary, and NaN (unknown) for a single user.
 */
export type EstimateRow = Omit<Row, 'guarantees'> & {
  readonly metric: Metric;
  readonly estimator: EstimatorName;
  readonly form: Aggregation;
  /** Users that carry weight, and rows that were evaluated. */
  readonly counts: {
    readonly users: number;
    readonly rows: number;
  };
  readonly more: EstimateFigures;
  /** Those that were asked for and hold for this estimate. */
  readonly guarantees: readonly Guarantee[];
  readonly sums: NonNullable<Row['sums']>;
  /** Until it is judged: its shares that rest on interactions driven by recommendations. */
  readonly shares?: CausedShares;
};

type EstimateFigures = {
  /** ∂R/∂γ, and the standard error of γ times its size; 0 if γ is given. */
  readonly gammaSlope: number;
  readonly gammaStdErr: number;
  /** Of pooled estimates of an intervention: what the drawing of one test set would add. */
  readonly samplingStdErr?: number;
  /** Of a corrected mean over users: without the correction, and the median Kish size within users. */
  readonly uncorrected?: number;
  readonly withinUserEss?: number;
  /** If causes are followed: shares of its weights on rows that lists caused, and the model's own. */
  readonly caused?: number;
  readonly own?: number;
  /** The same estimate over the rows that the model's own lists did not cause. */
  readonly other?: number;
};

/**
 * Difference between a model and the reference model over the same users; common noise cancels.
 */
export type EstimateDifference = Difference & {
  readonly metric: Metric;
  readonly estimator: EstimatorName;
  readonly form: Aggregation;
  /** Users that carry weight in either. */
  readonly counts: { readonly users: number };
  readonly more: { readonly gammaStdErr: number };
};

/** Effective sample size by model and estimator, from the pooled weights. */
export interface EffectiveSampleSize {
  readonly model: string;
  readonly estimator: EstimatorName;
  /** Kish sizes, by event and by user. */
  readonly events: number;
  readonly users: number;
  /** Share of the largest single weight in their sum. */
  readonly largestShare: number;
}

/**
 * What one model is evaluated on: its positive, ranked rows and their users; with `cold: drop`, rows of
 * cold items are not in it. For users with exactly one row per-user SNIPS and GS are naive.
 */
export const ModelSummary = Type.Object({
  model: Type.String(),
  users: Type.Number(),
  events: Type.Number(),
  unranked: Type.Number({ description: 'Positive pairs without a list of this model' }),
  singletonUserRatio: Num('Share of users with exactly one event'),
});
export type ModelSummary = Memory<Static<typeof ModelSummary>>;
