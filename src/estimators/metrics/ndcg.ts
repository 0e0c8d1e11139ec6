import { dcgGain } from './dcg.js';
import type { SetMetric } from './metric.js';

/**
 * Normalised discounted cumulative gain at a cut-off: dcg divided by the largest possible dcg.
 *
 * Σ_{z_i < K} 1 / log2(z_i + 2) / Σ_{z < min(K, n)} 1 / log2(z + 2), z_i the 0-based ranks of a
 * user's n relevant items.
 * Source: Järvelin & Kekäläinen 2002, with binary gains. Range [0, 1].
 *
 * @example
 * ndcg.norm(10)(1); // 1: one relevant item ranks first at best
 */
export const ndcg: SetMetric = {
  kind: 'set',
  isDefault: false,
  inWords: 'dcg@k divided by that of the ideal ranking',
  bounds: {
    least: 0,
    most: 1,
  },
  share: (rank) => dcgGain(rank),
  norm: (k) => {
    const best = new Float64Array(k + 1);
    for (let z = 0; z < k; z++) {
      best[z + 1] = best[z] + dcgGain(z);
    }
    return (n) => 1 / best[Math.min(k, n)];
  },
};
