import type { SquareMatrix } from '../../../mathematics/cholesky.js';
import { clusterFactor } from '../arms/cell-means.js';
import { standardError } from '../influences.js';
import type { ItemSlopes } from '../logged/item-slopes.js';
import type { LoggedSums } from '../logged/logged-sums.js';
import { zScore } from './z-score.js';

/**
 * The mean weight of the places and how many standard errors it is off 1, clustered.
 *
 * Σ g w / Σ g, g = θ of the rank for items and 1 for all others: with right propensities that support
 * the target it is 1 on average. z of mean Σ g (w − 1) a request, with U / (U − 1), and with what
 * examination is uncertain by.
 */
export function meanWeight(
  sums: LoggedSums,
  theta?: ArrayLike<number>,
  examination?: { readonly covariance: SquareMatrix; readonly slopes: ItemSlopes },
): { mean: number; z: number } {
  const { clusters, places, requests } = sums;
  const excess = new Float64Array(clusters);
  let [weights, all, total] = [0, 0, 0];
  for (let cell = 0; cell < clusters * places; cell++) {
    const size = theta?.[cell % places] ?? 1;
    weights += size * sums.weights[cell];
    all += size * sums.shown[cell];
    excess[Math.floor(cell / places)] += size * (sums.weights[cell] - sums.shown[cell]);
  }
  for (const each of requests) total += each;
  const mean = (weights - all) / total;
  const scale = Math.sqrt(clusterFactor(requests)) / total;
  const byCluster = excess.map((each, u) => scale * (each - requests[u] * mean));
  const byRank = examination?.slopes.ofBalance(sums) ?? new Float64Array(0);
  const stdErr = standardError({ byCluster, byRank }, examination?.covariance);
  return { mean: weights / all, z: zScore(mean, stdErr) };
}
