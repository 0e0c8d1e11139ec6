import { ipsRating } from './rating-ips.js';
import { snipsRating } from './rating-snips.js';

/** A mean with clipped weights, in both forms, and what clipping does. */
export interface ClippedRating {
  readonly plain: number;
  readonly selfNormalised: number;
  /** Clipped minus unclipped plain mean, by the ratings that are there. */
  readonly bias: number;
  /** Σw / (U · I): 1 if nothing is clipped and P is right. */
  readonly weightShare: number;
}

/**
 * The mean of δ over all pairs with weights that are held to a most.
 *
 * w = min(1/P, M): plain = 1 / (U · I) · Σ w δ, self-normalised = Σ w δ / Σ w. What M takes away,
 * 1 / (U · I) · Σ δ (w − 1/P), estimates the bias without bias. Source: Schnabel et al. 2016, eq. 10
 * with the weights of Strehl et al. 2010. Less variance for some bias towards 0 (plain) or towards
 * what is observed often. O(n).
 *
 * @param delta δ of each observed rating. @param propensity P of each, in (0, 1].
 * @param pairs U · I. @param most M, above 0.
 * @returns NaN without ratings where a sum is divided by.
 * @throws UnskewError USAGE as `ipsRating`.
 * @example
 * clippedRating([1, 4], [0.5, 0.02], 60, 20).bias; // -2
 */
export function clippedRating(
  delta: ArrayLike<number>,
  propensity: ArrayLike<number>,
  pairs: number,
  most: number,
): ClippedRating {
  const unclipped = ipsRating(delta, propensity, pairs);
  const weight = Array.from(propensity, (p) => Math.min(1 / p, most));
  let [gained, weights] = [0, 0];
  for (const [r, w] of weight.entries()) {
    gained += w * delta[r];
    weights += w;
  }
  const plain = gained / pairs;
  const selfNormalised = snipsRating(
    delta,
    weight.map((w) => 1 / w),
  );
  return { plain, selfNormalised, bias: plain - unclipped, weightShare: weights / pairs };
}
