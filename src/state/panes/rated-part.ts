/** The rated pairs of a window in one partition. Those of segment s are start[s] .. start[s + 1] − 1. */
export interface RatedPart {
  /** Number of user segments. */
  readonly users: number;
  readonly start: Int32Array;
  /** Per segment: number of the user in the partition. */
  readonly user: Int32Array;
  /** Per segment: the user's interactions in the popularity horizon. */
  readonly userCount: Float64Array;
  readonly item: Int32Array;
  readonly rating: Float32Array;
  /** 1 for a rating that randomised traffic led to. */
  readonly isRandom: Uint8Array;
  /** Logged propensity with which the item was shown, 0 for none. */
  readonly propensity: Float32Array;
  /** P by learned propensities, 0 for none; only there where a file of them is used. */
  readonly learned?: Float64Array;
  /** ranks[m][row] as in `WindowPart`. */
  readonly ranks: readonly Uint16Array[];
  /** scores[m][row]: what model m predicted, NaN without a prediction. */
  readonly scores: readonly Float32Array[];
  /** Interactions whose value is no rating. */
  readonly offScale: number;
}
