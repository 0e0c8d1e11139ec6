import type { SetMetric } from './metric.js';

/**
 * Precision at a cut-off: the share of the first K positions with relevant items.
 *
 * (1 / K) Σ_i 1{z_i < K}, z_i the 0-based ranks of a user's relevant items.
 * Source: as in trec_eval (P_K). Range [0, 1].
 *
 * @example
 * precision.norm(10)(3); // 1/10
 */
export const precision: SetMetric = {
  kind: 'set',
  isDefault: false,
  inWords: 'share of the first k items that are relevant',
  bounds: {
    least: 0,
    most: 1,
  },
  share: () => 1,
  norm: (k) => () => 1 / k,
};
