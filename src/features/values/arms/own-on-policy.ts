import { effectiveSampleSize } from '../../../estimators/uncertainty/effective-sample-size.js';
import type { Influences } from '../influences.js';
import { clusterFactor } from './cell-means.js';
import type { OwnShareSums } from './own-shares.js';

/**
 * Mean reward of an arm's own requests if each request has its own shares.
 *
 * V = Σ_q w c / Σ_q w, w = 1{a} / s_qa: the weights correct for users who are served the arm more
 * often. Only requests with s > 0 count. Variance Σ_u (Σ_{q∈u} w (c − V))² / (Σ w)², without the
 * factor U / (U − 1). With equal shares V is the plain mean.
 *
 * **Source**: Hájek's estimator, which is snips (Swaminathan & Joachims, NeurIPS 2015) with the
 * propensity of the whole list.
 *
 * @returns a value of NaN if the arm was never served. V does not use examination: slopes are 0.
 */
export function ownOnPolicy(sums: OwnShareSums, arm: number, ranks: number): Influences {
  const { clusters } = sums.shape;
  const of = (column: Float64Array) => column.subarray(arm * clusters, (arm + 1) * clusters);
  const weights = of(sums.weights);
  const weighted = of(sums.weighted);
  const all = total(weights);
  const value = total(weighted) / all;
  return {
    value,
    byCluster: Float64Array.from(weights, (own, u) => (weighted[u] - value * own) / all),
    byRank: new Float64Array(ranks),
    ess: effectiveSampleSize(sums.rowWeights[arm], sums.rowSquares[arm]),
  };
}

/**
 * Mean of 1{a} / s over the requests with s > 0 for an arm, with the clustered standard error of
 * its difference to 1. With correct shares its expectation is 1.
 */
export function meanShareWeight(
  sums: OwnShareSums,
  arm: number,
): {
  readonly mean: number;
  readonly stdErr: number;
} {
  const { clusters } = sums.shape;
  const of = (column: Float64Array) => column.subarray(arm * clusters, (arm + 1) * clusters);
  const weights = of(sums.weights);
  const possible = of(sums.possible);
  const requests = total(possible);
  const mean = total(weights) / requests;
  let squares = 0;
  for (let u = 0; u < clusters; u++) {
    squares += (weights[u] - mean * possible[u]) ** 2;
  }
  return {
    mean,
    stdErr: Math.sqrt(clusterFactor(possible) * squares) / requests,
  };
}

function total(column: Float64Array): number {
  let sum = 0;
  for (const each of column) {
    sum += each;
  }
  return sum;
}
