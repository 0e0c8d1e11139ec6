import type { RankMetric } from './metric.js';

/**
 * Gain of mrr, the reciprocal rank of an item.
 *
 * λ(Z) = 1 / (Z + 1), Z the 0-based rank.
 * Source: the additive form, a mean over all of a user's items, not over the first hit only.
 * Range (0, 1].
 *
 * @param rank Z (positions). @returns the gain.
 * @example
 * mrrGain(0); // 1
 */
export function mrrGain(rank: number): number {
  return 1 / (rank + 1);
}

export const mrr: RankMetric = {
  kind: 'rank',
  isDefault: true,
  inWords: 'mean of 1 / rank over the positive interactions',
  isUncut: true,
  isCut: false,
  gain: mrrGain,
};
