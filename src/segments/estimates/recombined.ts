/** A segment's estimate with its part of the total. */
export interface SegmentPart {
  /** R_s. NaN where the segment has no weight. */
  readonly value: number;
  /** The segment's share of the weight; the shares of a dimension add up to 1. */
  readonly share: number;
  /** What it adds to the total: value × share, 0 without weight. */
  readonly contribution: number;
}

/**
 * Estimates of the segments of one dimension, and the total that they recombine to.
 *
 * R_s = B_s / W_s, ω_s = W_s / W and R = Σ ω_s R_s. For the pooled form B and W are sums over rows.
 * For the user form they are B_s = Σ_u B_us / W_u and W_s = Σ_u W_us / W_u, divided by the user's
 * *total* W_u, so that W is the number of users: means within segments, each over its own W_us,
 * would not recombine.
 * Source: own; a weighted mean by parts.
 *
 * @param gain B of each segment. @param weight W ≥ 0 of each segment.
 * @returns in the order given, and the total; NaN as total without any weight.
 * @example
 * recombined([1, 3], [2, 8]).total; // 0.4
 */
export function recombined(
  gain: ArrayLike<number>,
  weight: ArrayLike<number>,
): { readonly parts: readonly SegmentPart[]; readonly total: number } {
  let allGain = 0;
  let allWeight = 0;
  for (let s = 0; s < weight.length; s++) {
    allGain += gain[s];
    allWeight += weight[s];
  }
  const parts: SegmentPart[] = [];
  for (let s = 0; s < weight.length; s++) {
    const share = weight[s] / allWeight;
    parts.push({ value: gain[s] / weight[s], share, contribution: gain[s] / allWeight });
  }
  return { parts, total: allGain / allWeight };
}
