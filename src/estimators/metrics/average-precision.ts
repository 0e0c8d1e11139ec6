import type { SetMetric } from './metric.js';

/**
 * Average precision at a cut-off, whose mean over users is MAP.
 *
 * Σ_{z_i < K} (1 + above_i) / (z_i + 1) / min(K, n), z_i the 0-based ranks of a user's n relevant
 * items, above_i the number of them above rank z_i: the mean of the precisions at the hits.
 * Source: as in trec_eval, over min(K, n). Range [0, 1].
 *
 * @example
 * map.norm(10)(3); // 1/3
 */
export const map: SetMetric = {
  kind: 'set',
  isDefault: false,
  inWords: 'mean of the precision at each relevant item among the first k',
  bounds: {
    least: 0,
    most: 1,
  },
  share: 'precision',
  norm: (k) => (n) => 1 / Math.min(k, n),
};
