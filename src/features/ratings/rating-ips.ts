import { UnskewError } from '../../errors.js';
import { checkLengths } from './rating-columns.js';

/**
 * Mean of an error or gain over all users and items, estimated from the observed ratings by inverse
 * propensity scoring.
 *
 * R = 1 / (U · I) · Σ δ / P over the observed ratings, P the chance that the rating is observed.
 * Source: Schnabel et al. 2016, eq. 10. Unbiased for any δ if P is right, on its absolute scale;
 * its range is not bounded by that of δ. O(n).
 *
 * @param delta δ of each observed rating, see rating-error.ts and rating-gain.ts.
 * @param propensity P of each observed rating, in (0, 1].
 * @param pairs U · I, all pairs of a user and an item, observed or not.
 * @returns R, in the unit of δ; 0 without ratings, NaN without pairs.
 * @throws UnskewError USAGE for a propensity outside (0, 1], and for columns of different lengths.
 * @example
 * ipsRating(Float64Array.of(1, 3), Float64Array.of(0.5, 0.25), 7); // 2
 */
export function ipsRating(
  delta: ArrayLike<number>,
  propensity: ArrayLike<number>,
  pairs: number,
): number {
  checkLengths(delta, propensity);
  let sum = 0;
  for (let r = 0; r < delta.length; r++) {
    if (!(propensity[r] > 0 && propensity[r] <= 1)) {
      throw new UnskewError('USAGE', `a propensity must lie in (0, 1], not be ${propensity[r]}`);
    }
    sum += delta[r] / propensity[r];
  }
  return sum / pairs;
}
