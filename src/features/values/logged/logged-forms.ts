import { effectiveSampleSize } from '../../../estimators/uncertainty/effective-sample-size.js';
import { clusterFactor } from '../arms/cell-means.js';
import type { Influences } from '../influences.js';
import type { LoggedSums } from './logged-sums.js';

/**
 * IPS from logged propensities: V = Σ w c / Q, with residuals from V and the factor U / (U − 1).
 * Unbiased if the logger supports the target.
 */
export function loggedIps(sums: LoggedSums): Influences {
  return mean(sums, (cell) => sums.weighted[cell]);
}

/**
 * Doubly robust form V = Σ_k [Σ w (c − q̂) + Σ v b] / Q, with the symbols of `LoggedSums`. For
 * `prefix` it is cascade-DR. With q̂ = b = 0 it is `loggedIps`.
 */
export function loggedDr(sums: LoggedSums): Influences {
  const { weighted, predicted, baseline } = sums;
  return mean(sums, (cell) => weighted[cell] - predicted[cell] + baseline[cell]);
}

/** Doubly robust form with weights shrunk to λ w / (w² + λ): biased, with less variance. */
export function loggedDros(sums: LoggedSums): Influences {
  return mean(sums, (cell) => sums.shrunk[cell] + sums.baseline[cell]);
}

/** Self-normalised IPS by position: V = Σ_k Σ w c / Σ w (Hájek). */
export function loggedSnips(sums: LoggedSums): Influences {
  return ratios(sums, sums.weighted, sums.weights);
}

/**
 * Doubly robust form, self-normalised by position: V = Σ_k [Σ w (c − q̂) / Σ w + Σ v b / Σ v]. With
 * q̂ = b constant it is `loggedSnips`.
 */
export function loggedSelfNormalisedDr(sums: LoggedSums): Influences {
  const { weighted, predicted, weights, baseline, before } = sums;
  const beyond = ratios(
    sums,
    weighted.map((each, cell) => each - predicted[cell]),
    weights,
  );
  const expected = ratios(sums, baseline, before);
  return {
    ...beyond,
    value: beyond.value + expected.value,
    byCluster: beyond.byCluster.map((each, u) => each + expected.byCluster[u]),
  };
}

/**
 * Self-normalised IPS for item propensities: V = (Σ w c / Σ θ w) (Σ T / Q), T = Σ_k θ_k over the
 * positions of a list. It divides by a single sum, since item weights do not average to 1 at each
 * rank.
 */
export function loggedItemSnips(sums: LoggedSums, theta: ArrayLike<number>): Influences {
  const { clusters, places } = sums;
  const own = new Float64Array(clusters);
  const control = new Float64Array(clusters);
  const target = new Float64Array(clusters);
  for (let cell = 0; cell < clusters * places; cell++) {
    const u = Math.floor(cell / places);
    own[u] += sums.weighted[cell];
    control[u] += theta[cell % places] * sums.weights[cell];
    target[u] += theta[cell % places] * sums.shown[cell];
  }
  const x = total(own);
  const c = total(control);
  const t = total(target);
  const requests = total(sums.requests);
  const value = ((x / c) * t) / requests;
  const byCluster = own.map(
    (each, u) =>
      (each * t) / (c * requests) -
      value * (control[u] / c - target[u] / t + sums.requests[u] / requests),
  );
  return {
    value,
    byCluster,
    byRank: new Float64Array(0),
    ess: essOf(sums),
  };
}

function mean(sums: LoggedSums, of: (cell: number) => number): Influences {
  const { clusters, places, requests } = sums;
  const all = total(requests);
  const own = new Float64Array(clusters);
  for (let cell = 0; cell < clusters * places; cell++) {
    own[Math.floor(cell / places)] += of(cell);
  }
  const value = total(own) / all;
  const scale = Math.sqrt(clusterFactor(requests)) / all;
  const byCluster = own.map((each, u) => scale * (each - requests[u] * value));
  return {
    value,
    byCluster,
    byRank: new Float64Array(0),
    ess: essOf(sums),
  };
}

/** Sum over ranks k of Σ_u `above` / Σ_u `below`, with each cluster's contribution to its error. */
function ratios(sums: LoggedSums, above: Float64Array, below: Float64Array): Influences {
  const { clusters, places } = sums;
  const byCluster = new Float64Array(clusters);
  let value = 0;
  for (let k = 0; k < places; k++) {
    let top = 0;
    let bottom = 0;
    for (let u = 0; u < clusters; u++) {
      top += above[u * places + k];
      bottom += below[u * places + k];
    }
    // No list is this long, or the target's position is never examined.
    if (bottom === 0) continue;
    value += top / bottom;
    for (let u = 0; u < clusters; u++) {
      const cell = u * places + k;
      byCluster[u] += (above[cell] - (below[cell] * top) / bottom) / bottom;
    }
  }
  return {
    value,
    byCluster,
    byRank: new Float64Array(0),
    ess: essOf(sums),
  };
}

function essOf({ rewardSum, rewardSquares }: LoggedSums): number {
  return effectiveSampleSize(rewardSum, rewardSquares);
}

function total(values: Float64Array): number {
  let sum = 0;
  for (const value of values) {
    sum += value;
  }
  return sum;
}
