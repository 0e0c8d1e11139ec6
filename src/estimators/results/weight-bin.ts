/** Rows whose weight lies in [from, 2 from), relative to the mean weight. */
export interface WeightBin {
  /** A power of 2; 1 is the mean. */
  readonly from: number;
  readonly rows: number;
  /** Share of the sum of all weights that these rows hold. */
  readonly weightShare: number;
}
