import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';

/** An estimate with its influence values per cluster, from which its error follows. */
export interface Influences {
  /** Reward per request. */
  readonly value: number;
  /** Contribution of each cluster to the error; the squares sum to the variance. */
  readonly byCluster: Float64Array;
  /** ∂ value / ∂ log θ_k by rank; empty if examination is not used. */
  readonly byRank: Float64Array;
  /** Effective number of rewarded rows. */
  readonly ess: number;
}

/**
 * Standard error from the clusters' contributions and the uncertainty of examination.
 *
 * √(Σ_u e_u² + Gᵀ Σ G), G = ∂ value / ∂ log θ, Σ the covariance of log θ; the delta method.
 *
 * @param covariance of log θ by rank; undefined if θ is known. @returns NaN if Σ is.
 */
export function standardError(
  { byCluster, byRank }: Pick<Influences, 'byCluster' | 'byRank'>,
  covariance?: SquareMatrix,
): number {
  let variance = 0;
  for (const each of byCluster) {
    variance += each * each;
  }
  if (covariance !== undefined) {
    variance += quadraticForm(byRank, covariance);
  }
  // Rounding of parts that cancel may give a negative variance.
  return Math.sqrt(Math.max(0, variance));
}

/** Gᵀ Σ G; unknown entries of Σ do not matter if G is 0 there. */
function quadraticForm(slope: Float64Array, { size, values }: SquareMatrix): number {
  let sum = 0;
  for (let k = 0; k < slope.length; k++) {
    for (let l = 0; l < slope.length; l++) {
      const product = slope[k] * slope[l];
      if (product !== 0) {
        sum += product * values[k * size + l];
      }
    }
  }
  return sum;
}
