/** Rows whose weight lies in [from, 2 from), relative to the mean weight. */
export interface WeightBin {
  /** A power of 2; 1 is the mean. */
  readonly from: number;
  readonly rows: number;
  /** Share of the sum of all weights that these rows hold. */
  readonly weightShare: number;
}

/** Which quantiles of weights are reported. */
export const WEIGHT_QUANTILES = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1] as const;

export interface WeightQuantile {
  readonly quantile: number;
  /** Over the mean, so that 1 is a weight that changes nothing. */
  readonly weight: number;
}
