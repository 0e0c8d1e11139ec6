import { UnskewError } from '../../errors.js';
import { checkLengths } from '../../estimators/mean-rating.js';

/**
 * The doubly robust mean, divided by the number of pairs (`plain`) or by the sum of the weights
 * (`selfNormalised`).
 */
export interface DoublyRobustRating {
  readonly plain: number;
  readonly selfNormalised: number;
}

/**
 * Estimate the mean of δ, a model's error on a pair, over all pairs of users and items: from
 * predicted errors δ̂, corrected by the observed pairs.
 *
 * R = 1 / (U · I) · Σ_all [δ̂ + O (δ − δ̂) / P] with U users, I items, O = 1 for observed pairs and
 * 0 for others, and propensity P; self-normalised: mean δ̂ + Σ (δ − δ̂)/P ÷ Σ 1/P over the observed
 * pairs. Source: Wang et al. 2019, eq. 5; Robins et al. 1994. Unbiased if either P or δ̂ is
 * correct; δ̂ = 0 gives `ipsRating` and `snipsRating`. δ̂ must not be fitted to the same δ.
 * O(pairs).
 *
 * @param predicted δ̂ of every pair. @param observed indices of the observed pairs in `predicted`,
 * ascending.
 * @param delta δ of each observed pair. @param propensity P of each observed pair, in (0, 1].
 * @returns NaN without pairs; the self-normalised form is also NaN without observed pairs.
 * @throws UnskewError USAGE for columns of different lengths, an index outside of the pairs, and a
 * propensity outside (0, 1].
 * @example
 * doublyRobustRating([1, 1, 2, 2], [0, 2], [2, 1], [0.5, 0.25]).plain; // 1
 */
export function doublyRobustRating(
  predicted: ArrayLike<number>,
  observed: ArrayLike<number>,
  delta: ArrayLike<number>,
  propensity: ArrayLike<number>,
): DoublyRobustRating {
  checkLengths(delta, observed);
  checkLengths(delta, propensity);
  let all = 0;
  for (let pair = 0; pair < predicted.length; pair++) {
    all += predicted[pair];
  }
  let missed = 0;
  let weights = 0;
  for (let r = 0; r < delta.length; r++) {
    const own = predicted[observed[r]];
    const p = propensity[r];
    if (own === undefined || !(p > 0 && p <= 1)) {
      const found = `index ${observed[r]} and propensity ${p}`;
      throw new UnskewError(
        'USAGE',
        `an observed pair needs an index below ${predicted.length} and a propensity above 0 and at most 1, not ${found}`,
      );
    }
    missed += (delta[r] - own) / p;
    weights += 1 / p;
  }
  const mean = all / predicted.length;
  return {
    plain: mean + missed / predicted.length,
    selfNormalised: mean + missed / weights,
  };
}
