import { dcgGain } from './dcg.js';
import { recallGain } from './recall.js';

/**
 * Gains δ of recommending an item of rating Y to a user. They carry the factor I, the number of
 * items, so that the mean of δ over all users and items is the mean over users of what each gains:
 * the form that `ipsRating` estimates from observed ratings.
 */

/**
 * Cumulative gain of a set of k recommendations: its mean is the average rating of what is
 * recommended.
 *
 * δ = (I / k) · 1{recommended} · Y.
 * Source: Schnabel et al. 2016, eq. 7. O(1).
 *
 * @param rating Y. @param isRecommended whether the item is in the user's set.
 * @param items I. @param k size of each user's set, above 0. @returns δ, in ratings.
 * @example
 * cumulativeRatingGain(4, true, 300, 10); // 120
 */
export function cumulativeRatingGain(
  rating: number,
  isRecommended: boolean,
  items: number,
  k: number,
): number {
  return isRecommended ? (items / k) * rating : 0;
}

/**
 * Discounted gain of an item at a rank, cut after K positions if K is finite; its mean is DCG.
 *
 * δ = I · 1{Z < K} · Y / log2(Z + 2), Z the 0-based rank: I · Y / log2(1 + rank) for ranks from 1.
 * Source: Schnabel et al. 2016, eq. 8; the paper prints log(rank), its Table 1 (ROTATE, 12.90) has
 * this form. O(1).
 *
 * @param rating Y. @param rank Z in the user's ranking of all items by Ŷ (positions).
 * @param items I. @param k K (positions); Infinity for the uncut form. @returns δ, in ratings.
 * @example
 * discountedRatingGain(5, 2, 300); // 750
 */
export function discountedRatingGain(
  rating: number,
  rank: number,
  items: number,
  k = Number.POSITIVE_INFINITY,
): number {
  return items * rating * dcgGain(rank, k);
}

/**
 * Gain of an item among the first K; its mean is PREC@K: precision for ratings of 0 and 1, else the
 * average rating of the first K.
 *
 * δ = (I / K) · Y · 1{Z < K}, Z the 0-based rank.
 * Source: Schnabel et al. 2016, eq. 9. O(1).
 *
 * @param rating Y. @param rank Z in the user's ranking of all items by Ŷ (positions).
 * @param items I. @param k K (positions), above 0. @returns δ, in ratings.
 * @example
 * precisionRatingGain(1, 4, 300, 5); // 60
 */
export function precisionRatingGain(
  rating: number,
  rank: number,
  items: number,
  k: number,
): number {
  return (items / k) * rating * recallGain(rank, k);
}
