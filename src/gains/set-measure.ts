import { dcgGain } from './dcg.js';

/** Metrics of a user's whole set of relevant items: no means of gains of single ones. */
export const SET_METRICS = ['precision', 'ndcg', 'map'] as const;
export type SetMetric = (typeof SET_METRICS)[number];

/**
 * What is divided by, for a user with n relevant items.
 *
 * precision@K: K; ndcg@K: Σ_{z < min(K, n)} 1 / log2(z + 2), the best dcg there is; map@K: min(K, n).
 *
 * @param n whole, at least 1; everything above K is as K. @returns 1 / that.
 * @example
 * setNorm('map', 10)(3); // 1/3
 */
export function setNorm(metric: SetMetric, k: number): (n: number) => number {
  if (metric === 'precision') return () => 1 / k;
  if (metric === 'map') return (n) => 1 / Math.min(k, n);
  const best = new Float64Array(k + 1);
  for (let z = 0; z < k; z++) best[z + 1] = best[z] + dcgGain(z);
  return (n) => 1 / best[Math.min(k, n)];
}

/**
 * What a relevant item at rank z < K adds before the division, where `above` others stand above it.
 *
 * precision@K: 1; ndcg@K: 1 / log2(z + 2); map@K: (1 + above) / (z + 1), the precision at its place.
 *
 * @example
 * setShare('map', 2, 1); // 2/3
 */
export function setShare(metric: SetMetric, rank: number, above: number): number {
  if (metric === 'precision') return 1;
  return metric === 'ndcg' ? dcgGain(rank) : (1 + above) / (rank + 1);
}
