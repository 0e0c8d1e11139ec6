import type { ListMetric } from './metric.js';

/**
 * Gain of auc, the area under the ROC curve: the share of the candidates not ranked above the item.
 *
 * λ(Z, L) = 1 − Z / L, Z the 0-based rank among L candidates.
 * Source: Yang et al. 2018, section 2.2. Range (0, 1] for an item in the list. It needs a list that
 * ranks all its candidates.
 *
 * @param rank Z (positions). @param length L (positions). @returns the gain.
 * @example
 * aucGain(1, 4); // 0.75
 */
export function aucGain(rank: number, length: number): number {
  return 1 - rank / length;
}

export const auc: ListMetric = {
  kind: 'list',
  isDefault: true,
  inWords: 'share of the candidates that are not ranked above the positive item',
  gain: aucGain,
};
