import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';

/** An estimate with its influence values per cluster, from which its error follows. */
export interface Influences {
  /** Reward per request. */
  readonly value: number;
  /** What each cluster adds to the error: their squares sum to its variance. */
  readonly byCluster: Float64Array;
  /** ∂ value / ∂ log θ_k by rank; empty where no examination is used. */
  readonly byRank: Float64Array;
  /** Effective number of rewarded rows. */
  readonly ess: number;
}

/**
 * Standard error from what the clusters add, and from what examination is uncertain by.
 *
 * √(Σ_u e_u² + Gᵀ Σ G), G = ∂ value / ∂ log θ, Σ the covariance of log θ; the delta method.
 *
 * @param covariance of log θ by rank; none if θ is known. @returns NaN if Σ is.
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
  // Parts that cancel may leave less than nothing.
  return Math.sqrt(Math.max(0, variance));
}

/** Gᵀ Σ G; where G is 0, an unknown Σ does not matter. */
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
