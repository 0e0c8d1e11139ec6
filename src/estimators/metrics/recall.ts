import type { RankMetric } from './metric.js';

/**
 * Gain of recall at a cut-off: whether the item is among the first K.
 *
 * λ(Z) = 1{Z < K}, Z the 0-based rank.
 * Source: Yang et al. 2018, section 2.2. Range {0, 1}.
 *
 * @param rank Z (positions). @param k K (positions). @returns 0 or 1.
 * @example
 * recallGain(4, 5); // 1
 */
export function recallGain(rank: number, k: number): number {
  return rank < k ? 1 : 0;
}

export const recall: RankMetric = {
  kind: 'rank',
  isDefault: true,
  inWords: 'share of the positive interactions whose item is among the first k',
  isUncut: false,
  isCut: true,
  gain: recallGain,
};
