import { logGamma } from '../mathematics/distributions.js';

/**
 * Distance between the margins of new ratings (their shares by item, or by value) and the margins
 * that learned propensities predict.
 */
export interface MarginDrift {
  /** Number of new ratings. */
  readonly ratings: number;
  /** Total variation distance: share of the ratings that would have to move; NaN without ratings. */
  readonly distance: number;
  /** Distance that 999 of 1,000 random samples of this size would stay below without any drift. */
  readonly byChance: number;
}

/** ln 1000, for a probability of one in a thousand. */
const RARE = Math.log(1000);

/**
 * Distance between observed and expected margins, and its 99.9 % limit under random variation.
 *
 * distance = ½ (Σ_c |O_c / n − p_c| + O_elsewhere / n), p_c = ΣP_c / ΣP: total variation. byChance
 * = ½ Σ_c E|O_c / n − p_c| + √(ln 1000 / 2n), E|O − np| = 2 ν C(n, ν) p^ν (1 − p)^(n − ν + 1) with
 * ν = ⌊np⌋ + 1. Source: de Moivre's mean deviation (Diaconis & Zabell 1991, eq. 1.1); McDiarmid
 * 1989, 3.1 (one rating moves the distance by 1 / n at most). Only shares are compared, because an
 * hour has fewer ratings than a year. Ratings are assumed independent. Users other than those of
 * the fit have other margins too, even if P of each pair is right. O(categories).
 *
 * @param observed O by category. @param elsewhere ratings of users, items or values that the model
 * does not know.
 * @param expected ΣP by category, of any scale.
 * @returns NaN for both without ratings, and without expectations.
 * @example
 * marginDrift([30, 10], 0, [1, 1]).distance; // 0.25
 */
export function marginDrift(
  observed: ArrayLike<number>,
  elsewhere: number,
  expected: ArrayLike<number>,
): MarginDrift {
  let ratings = elsewhere;
  let all = 0;
  for (let c = 0; c < expected.length; c++) {
    ratings += observed[c];
    all += expected[c];
  }
  if (ratings === 0 || !(all > 0)) {
    return {
      ratings,
      distance: Number.NaN,
      byChance: Number.NaN,
    };
  }
  let distance = elsewhere / ratings;
  let chance = 0;
  for (let c = 0; c < expected.length; c++) {
    const p = expected[c] / all;
    distance += Math.abs(observed[c] / ratings - p);
    chance += meanDeviation(ratings, p) / ratings;
  }
  return {
    ratings,
    distance: distance / 2,
    byChance: Math.min(1, chance / 2 + Math.sqrt(RARE / (2 * ratings))),
  };
}

/** E|O − np| of a binomial O. */
function meanDeviation(n: number, p: number): number {
  if (!(p > 0 && p < 1)) return 0;
  const v = Math.floor(n * p) + 1;
  const choose = logGamma(n + 1) - logGamma(v + 1) - logGamma(n - v + 1);
  return 2 * v * Math.exp(choose + v * Math.log(p) + (n - v + 1) * Math.log1p(-p));
}
