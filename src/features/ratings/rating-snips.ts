import { UnskewError } from '../../errors.js';
import { checkLengths } from './rating-columns.js';

/**
 * The same mean as `ipsRating` estimates, self-normalised: the number of pairs is estimated too.
 *
 * R = Σ (δ / P) / Σ (1 / P) over the observed ratings.
 * Source: Schnabel et al. 2016, eq. 11. Slightly biased, consistent; within the range of δ; the
 * scale of P cancels, and equal P give `naiveRating`. O(n).
 *
 * @param delta δ of each observed rating, see rating-error.ts and rating-gain.ts.
 * @param propensity P of each observed rating, above 0, up to a common factor.
 * @returns R, in the unit of δ; NaN without ratings.
 * @throws UnskewError USAGE for a propensity that is not a number above 0, and for columns of
 * different lengths.
 * @example
 * snipsRating(Float64Array.of(1, 4), Float64Array.of(0.5, 0.25)); // 3
 */
export function snipsRating(delta: ArrayLike<number>, propensity: ArrayLike<number>): number {
  checkLengths(delta, propensity);
  let weighted = 0;
  let weights = 0;
  for (let r = 0; r < delta.length; r++) {
    const weight = inverse(propensity[r]);
    weighted += weight * delta[r];
    weights += weight;
  }
  return weighted / weights;
}

/**
 * Self-normalised within each group of ratings, then the mean over the groups that have any:
 * user-normalised if the groups are users, item-normalised if they are items.
 *
 * R = (1 / G) Σ_g [Σ_{r ∈ g} (δ / P) / Σ_{r ∈ g} (1 / P)], G the groups with an observed rating.
 * Source: Schnabel et al. 2016, the normalisation of eq. 11 taken by row or by column. P needs no
 * common scale across groups. Within the range of δ; equals `snipsRating` for one group. A group
 * counts alike however few ratings it has, so that scarce ones make the variance. O(n + groups).
 *
 * @param delta δ of each observed rating. @param propensity P of each, above 0.
 * @param group number of each rating's user (or item), from 0 to groups − 1.
 * @param groups number of all users (or items).
 * @returns R, in the unit of δ; NaN without ratings.
 * @throws as `snipsRating`; UnskewError USAGE for a group that is out of range.
 * @example
 * // two users: the first rated twice, P = 0.5 and 0.25, the second once
 * groupSnipsRating([1, 4, 5], [0.5, 0.25, 0.5], [0, 0, 1], 2); // (3 + 5) / 2
 */
export function groupSnipsRating(
  delta: ArrayLike<number>,
  propensity: ArrayLike<number>,
  group: ArrayLike<number>,
  groups: number,
): number {
  checkLengths(delta, propensity);
  checkLengths(delta, group);
  const weighted = new Float64Array(groups);
  const weights = new Float64Array(groups);
  for (let r = 0; r < delta.length; r++) {
    if (!(group[r] in weights)) {
      throw new UnskewError(
        'USAGE',
        `a group must be a whole number below ${groups}, not ${group[r]}`,
      );
    }
    const weight = inverse(propensity[r]);
    weighted[group[r]] += weight * delta[r];
    weights[group[r]] += weight;
  }
  let sum = 0;
  let filled = 0;
  for (let g = 0; g < groups; g++) {
    if (weights[g] === 0) continue;
    sum += weighted[g] / weights[g];
    filled++;
  }
  return sum / filled;
}

function inverse(propensity: number): number {
  const weight = 1 / propensity;
  if (weight > 0 && weight < Number.POSITIVE_INFINITY) return weight;
  throw new UnskewError('USAGE', `a propensity must be a number above 0, not ${propensity}`);
}
