import type { EstimateRow } from './estimate.js';

/** The segment dimensions of a window, each with the values that are reported. */
export interface SegmentAxes {
  readonly dimensions: readonly string[];
  /**
   * By dimension, then by code: the name of each segment value. The first two codes have no name:
   * missing values, and all values that are not reported separately.
   */
  readonly names: readonly (readonly string[])[];
  /** Positive rows of the window by dimension and code. */
  readonly rows: readonly (readonly number[])[];
  /** By dimension: number of values that are not reported but merged into the others. */
  readonly hidden: readonly number[];
  /** Effective number of users below which a value is not reported. */
  readonly minUsers: number;
}

/**
 * One estimate by segment, as columns over the segment values, dimension by dimension in the order
 * of the axes. B_s is the weighted gain and W_s the weight of segment s; W is the weight of all
 * rows.
 */
export interface SegmentNumbers
  extends Pick<EstimateRow, 'model' | 'metric' | 'k' | 'estimator' | 'form'> {
  /** Estimate R_s = B_s / W_s of each segment; NaN without weight. */
  readonly value: readonly number[];
  /** Standard error, clustered by user; NaN below two users. */
  readonly stdErr: readonly number[];
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** Share ω_s = W_s / W of the weight; within a dimension the shares add up to 1. */
  readonly share: readonly number[];
  /**
   * Contribution B_s / W; within a dimension the contributions add up to the estimate of all rows.
   */
  readonly contribution: readonly number[];
  /** Number of users with weight (`users`), and their Kish effective number (`ess`). */
  readonly users: readonly number[];
  readonly ess: readonly number[];
  /** Difference to the reference model; undefined for that model itself. */
  readonly difference?: SegmentDifferences;
}

/** A model's values minus those of the reference model. */
export interface SegmentDifferences {
  readonly reference: string;
  readonly value: readonly number[];
  /** Standard error, paired by user. */
  readonly stdErr: readonly number[];
}

/**
 * Estimates of a window by segment: the dimensions with their segment values, and the estimates.
 */
export interface SegmentReport extends SegmentAxes {
  readonly numbers: readonly SegmentNumbers[];
}
