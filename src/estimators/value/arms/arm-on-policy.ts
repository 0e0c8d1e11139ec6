import { effectiveSampleSize } from '../../uncertainty/effective-sample-size.js';
import type { Influences } from '../influences.js';
import type { ArmSums } from './arm-sums.js';
import { clusterFactor } from './cell-means.js';

/**
 * What an arm's lists were worth when they were served, without examination or other lists.
 *
 * V = Σ_t (Q_t / Q) c̄_ta over the strata t in which the arm a was served, Q their requests, c̄_ta the
 * mean reward of a's requests in t. e = 1{a} (c − c̄_ta) Q_t / Q_ta, variance U / (U − 1)
 * Σ_u (Σ_{q∈u} e)² / Q², U clusters that were served a.
 *
 * @returns a value of NaN if the arm was never served.
 */
export function armOnPolicy(sums: ArmSums, arm: number): Influences {
  const { strata, arms, clusters, ranks } = sums.shape;
  const byCluster = new Float64Array(clusters);
  const servedOf = new Float64Array(clusters);
  let [all, value, gained, squares] = [0, 0, 0, 0];
  for (let t = 0; t < strata; t++) {
    const at = t * arms + arm;
    const own = total(sums.requests, at * clusters, clusters);
    if (own === 0) continue;
    const requests = total(sums.requests, t * arms * clusters, arms * clusters);
    const mean = total(sums.reward, at * clusters, clusters) / own;
    const weight = requests / own;
    all += requests;
    value += requests * mean;
    gained += weight * sums.rewardSums[at];
    squares += weight * weight * sums.rewardSquares[at];
    for (let u = 0; u < clusters; u++) {
      const cell = at * clusters + u;
      servedOf[u] += sums.requests[cell];
      byCluster[u] += weight * (sums.reward[cell] - sums.requests[cell] * mean);
    }
  }
  const scale = Math.sqrt(clusterFactor(servedOf)) / all;
  return {
    value: value / all,
    byCluster: byCluster.map((each) => each * scale),
    byRank: new Float64Array(ranks),
    ess: effectiveSampleSize(gained, squares),
  };
}

function total(column: Float64Array, from: number, length: number): number {
  let sum = 0;
  for (let i = from; i < from + length; i++) sum += column[i];
  return sum;
}
