/**
 * Mean of an error or gain over the observed ratings, as if they were a random choice of all.
 *
 * R = Σ δ / n over the n observed ratings.
 * Source: Schnabel et al. 2016, eq. 5. Biased if what is rated depends on the rating; O(n).
 *
 * @param delta δ of each observed rating, see rating-error.ts and rating-gain.ts.
 * @returns R, in the unit of δ; NaN without ratings.
 * @example
 * naiveRating(Float64Array.of(1, 3)); // 2
 */
export function naiveRating(delta: ArrayLike<number>): number {
  let sum = 0;
  for (let r = 0; r < delta.length; r++) sum += delta[r];
  return sum / delta.length;
}
