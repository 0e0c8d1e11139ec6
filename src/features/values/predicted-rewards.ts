/**
 * Strength of the prior on the reward of an item: it counts like this number of examinations at the
 * mean reward of all items.
 */
const PRIOR_LOOKS = 20;

/**
 * Predict r̂, the reward of each item if it is examined, from other requests.
 *
 * r̂_i = (C_i + 20 r₀) / (Θ_i + 20), r₀ = Σ C_i / Σ Θ_i: C_i rewards of the item, Θ_i the sum of θ
 * of the ranks at which it was shown. Use requests other than those evaluated, so that doubly
 * robust estimates are unbiased for any r̂. O(items).
 *
 * **Source**: shrinkage towards the common mean, with the strength of 20 examinations.
 *
 * @param rewards C_i. @param looks Θ_i. @returns by item; 0 for all if nothing was shown.
 * @example
 * predictedRewards([3, 0], [10, 20]); // [0.16666666666666666, 0.05]
 */
export function predictedRewards(
  rewards: ArrayLike<number>,
  looks: ArrayLike<number>,
): Float64Array {
  let rewarded = 0;
  let looked = 0;
  for (let i = 0; i < rewards.length; i++) {
    rewarded += rewards[i];
    looked += looks[i];
  }
  const common = looked > 0 ? rewarded / looked : 0;
  return Float64Array.from({ length: rewards.length }, (_, i) =>
    predictedReward(rewards[i], looks[i], common),
  );
}

/**
 * Predict the reward of one item, see `predictedRewards`.
 *
 * @param common r₀; 0 if nothing was shown.
 * @example
 * predictedReward(3, 10, 0.1); // 0.16666666666666666
 */
export function predictedReward(rewards: number, looks: number, common: number): number {
  return (rewards + PRIOR_LOOKS * common) / (looks + PRIOR_LOOKS);
}
