import type { EstimateRow } from './estimate.js';

/** The segment dimensions of a window, each with the values that are reported. */
export interface SegmentAxes {
  readonly dimensions: readonly string[];
  /**
   * By dimension and code: first the two unnamed codes (missing, and all others together), then the
   * values.
   */
  readonly names: readonly (readonly string[])[];
  /** Positive rows of the window by dimension and code. */
  readonly rows: readonly (readonly number[])[];
  /** By dimension: number of values that are not reported but counted under the others. */
  readonly hidden: readonly number[];
  /** Number of effective users below which a value is hidden. */
  readonly minUsers: number;
}

/** One estimate by segment, as columns over the segment values, dimension by dimension in the order of the axes. */
export interface SegmentNumbers
  extends Pick<EstimateRow, 'model' | 'metric' | 'k' | 'estimator' | 'form'> {
  /** R_s = B_s / W_s; NaN without weight. */
  readonly value: readonly number[];
  /** Standard error, clustered by user; NaN below two users. */
  readonly stdErr: readonly number[];
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** ω_s = W_s / W; within a dimension they add up to 1. */
  readonly share: readonly number[];
  /** B_s / W: within a dimension they add up to the estimate of all rows. */
  readonly contribution: readonly number[];
  /** Users with weight, and their effective number. */
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

/** Estimates of a window by segment: the dimensions with their values, and the numbers. */
export interface SegmentReport extends SegmentAxes {
  readonly numbers: readonly SegmentNumbers[];
}
