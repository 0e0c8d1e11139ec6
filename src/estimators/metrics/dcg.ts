import type { RankMetric } from './metric.js';

/**
 * Gain of discounted cumulative gain, cut after K positions if K is finite.
 *
 * λ(Z) = 1{Z < K} / log2(Z + 2), Z the 0-based rank.
 * Source: Yang et al. 2018, section 2.2. Range [0, 1].
 *
 * @param rank Z (positions). @param k K (positions); Infinity for the uncut form. @returns the gain.
 * @example
 * dcgGain(2, Infinity); // 0.5
 */
export function dcgGain(rank: number, k = Number.POSITIVE_INFINITY): number {
  return rank < k ? 1 / Math.log2(rank + 2) : 0;
}

export const dcg: RankMetric = {
  kind: 'rank',
  isDefault: true,
  inWords: 'mean of 1 / log2(rank + 1) over the positive interactions',
  isUncut: true,
  isCut: true,
  gain: dcgGain,
};
