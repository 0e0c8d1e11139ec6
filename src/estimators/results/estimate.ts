import { type Static, Type } from 'typebox';
import { type Difference, type Memory, Num, type Row } from '../../rows/row.js';
import type { CausedShares } from '../feedback/verdict.js';
import type { Aggregation, EstimatorName, Metric } from '../names.js';
import type { Guarantee } from '../uncertainty/guarantees.js';

/**
 * Estimate of a metric for one model by one estimator. `value` = numerator / denominator; value and
 * interval lie within the range of the gain. The standard error is clustered by user. It is 0 for a
 * constant gain, and NaN (unknown) for a single user.
 */
export type EstimateRow = Omit<Row, 'guarantees'> & {
  readonly metric: Metric;
  readonly estimator: EstimatorName;
  readonly form: Aggregation;
  /** Number of users with weight (`users`), and number of evaluated rows (`rows`). */
  readonly counts: {
    readonly users: number;
    readonly rows: number;
  };
  readonly more: EstimateFigures;
  /** The configured bounds that are valid for this estimate. */
  readonly guarantees: readonly Guarantee[];
  readonly sums: NonNullable<Row['sums']>;
  /**
   * Shares of the estimate's weight on interactions driven by recommendations; removed once
   * `withhold` has judged the estimate.
   */
  readonly shares?: CausedShares;
};

type EstimateFigures = {
  /**
   * Slope ∂R/∂γ of the estimate (`gammaSlope`), and the standard error that the error of γ causes
   * in it (`gammaStdErr`): |∂R/∂γ| times the standard error of γ, 0 if γ is fixed.
   */
  readonly gammaSlope: number;
  readonly gammaStdErr: number;
  /** For pooled estimates of an intervention: additional error from drawing one test set. */
  readonly samplingStdErr?: number;
  /**
   * Only for a corrected mean over users (`UserForm`). `uncorrected`: the value without the
   * correction; `withinUserEss`: the median over users of the Kish effective size of a user's rows.
   */
  readonly uncorrected?: number;
  readonly withinUserEss?: number;
  /**
   * Only if causes are determined: share of the estimate's weight on rows that any list caused
   * (`caused`), and on rows that the model's own lists caused (`own`).
   */
  readonly caused?: number;
  readonly own?: number;
  /** The same estimate over the rows that the model's own lists did not cause. */
  readonly other?: number;
};

/**
 * Estimate of a model minus that of the reference model, paired by user, so that common noise
 * cancels.
 */
export type EstimateDifference = Difference & {
  readonly metric: Metric;
  readonly estimator: EstimatorName;
  readonly form: Aggregation;
  /** Users with weight in either estimate. */
  readonly counts: { readonly users: number };
  readonly more: { readonly gammaStdErr: number };
};

/** Effective sample size of a model's estimate by one estimator, from the pooled weights. */
export interface EffectiveSampleSize {
  readonly model: string;
  readonly estimator: EstimatorName;
  /** Kish effective number of events (`events`), and of users (`users`). */
  readonly events: number;
  readonly users: number;
  /** Largest single weight divided by the sum of all weights. */
  readonly largestShare: number;
}

/**
 * Size of the data that one model is evaluated on: numbers of its positive, ranked rows and of
 * their users. With `cold: drop`, rows of cold items do not count. For users with exactly one row,
 * the user forms of SNIPS and GS equal naive.
 */
export const ModelSummary = Type.Object({
  model: Type.String(),
  users: Type.Number(),
  events: Type.Number(),
  unranked: Type.Number({ description: 'Positive pairs without a list of this model' }),
  singletonUserRatio: Num('Share of users with exactly one event'),
});
export type ModelSummary = Memory<Static<typeof ModelSummary>>;
