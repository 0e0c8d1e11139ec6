import { UnskewError } from '../errors.js';

/**
 * Naive estimate of a mean error or gain: the mean over the observed ratings, as if they were a
 * random sample of all.
 *
 * R = Σ δ / n over the n observed ratings.
 * Source: Schnabel et al. 2016, eq. 5. Biased if the rating affects whether it is observed; O(n).
 *
 * @param delta δ of each observed rating, see rating-metrics.ts.
 * @returns R, in the unit of δ; NaN without ratings.
 * @example
 * naiveRating(Float64Array.of(1, 3)); // 2
 */
export function naiveRating(delta: ArrayLike<number>): number {
  let sum = 0;
  for (let r = 0; r < delta.length; r++) {
    sum += delta[r];
  }
  return sum / delta.length;
}

/**
 * Mean of an error or gain over all users and items, estimated from the observed ratings by inverse
 * propensity scoring.
 *
 * R = 1 / (U · I) · Σ δ / P over the observed ratings of U users and I items, P the probability
 * that the rating is observed.
 * Source: Schnabel et al. 2016, eq. 10. Unbiased for any δ if P is right, on its absolute scale;
 * its range is not bounded by that of δ. O(n).
 *
 * @param delta δ of each observed rating, see rating-metrics.ts.
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
      throw new UnskewError(
        'USAGE',
        `a propensity must be above 0 and at most 1, not ${propensity[r]}`,
      );
    }
    sum += delta[r] / propensity[r];
  }
  return sum / pairs;
}

/**
 * Self-normalised estimate of the mean that `ipsRating` estimates: the number of pairs is estimated
 * too.
 *
 * R = Σ (δ / P) / Σ (1 / P) over the observed ratings.
 * Source: Schnabel et al. 2016, eq. 11. Slightly biased, consistent; within the range of δ; the
 * scale of P cancels, and equal P give `naiveRating`. O(n).
 *
 * @param delta δ of each observed rating, see rating-metrics.ts.
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
 * Mean error or gain, self-normalised within each group of ratings and averaged over the groups
 * with ratings: user-normalised if the groups are users, item-normalised if they are items.
 *
 * R = (1 / G) Σ_g [Σ_{r ∈ g} (δ / P) / Σ_{r ∈ g} (1 / P)] over the G groups with an observed
 * rating.
 * Source: Schnabel et al. 2016, the normalisation of eq. 11 by row or by column of the rating
 * matrix. P needs no common scale across groups. Within the range of δ; equals `snipsRating` for
 * one group. Every group counts alike, so groups with few ratings dominate the variance. O(n +
 * groups).
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

/**
 * Check that columns have the same length.
 *
 * @throws UnskewError USAGE if a column does not have one value for each δ.
 */
export function checkLengths(delta: ArrayLike<number>, column: ArrayLike<number>): void {
  if (delta.length === column.length) return;
  throw new UnskewError(
    'USAGE',
    `${delta.length} ratings need ${delta.length} values in every column, not ${column.length}`,
  );
}
