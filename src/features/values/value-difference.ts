import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import { studentTQuantile } from '../../estimators/mathematics/distributions.js';
import { valueFreedom } from '../../estimators/uncertainty/log-t-interval.js';
import { standardError } from './influences.js';
import type { ValueEstimate, ValueEstimatorName } from './value-estimate.js';

/** Difference in value between two models over the same requests. */
export interface ValueDifference {
  readonly model: string;
  readonly control: string;
  readonly estimator: ValueEstimatorName;
  readonly controlEstimator: ValueEstimatorName;
  readonly value: number;
  /**
   * Standard error of the paired difference. Variation of requests and of examination that both
   * values share cancels.
   */
  readonly stdErr: number;
  /** 95 % interval; NaN if the error is unknown. */
  readonly lower: number;
  readonly upper: number;
  /** The smaller of the two effective sample sizes. */
  readonly ess: number;
}

/**
 * Compute the difference of two values from the same requests and clusters.
 *
 * V_m − V_c, with paired influences by cluster and slopes by rank:
 * stdErr² = Σ_u (e_mu − e_cu)² + (G_m − G_c)ᵀ Σ (G_m − G_c); interval ± t stdErr, t with the
 * smaller degrees of freedom of the two. O(clusters + ranks²).
 *
 * **Source**: delta method for two estimates of one sample (van der Vaart, Asymptotic Statistics,
 * 1998, chapter 3).
 *
 * @param estimate of the model. @param control of the one it is compared with, from the same sums.
 * @param covariance of log θ by rank, as used for both estimates.
 * @returns NaN if either is.
 * @example
 * const one = { value: 1, byCluster: [0.1, -0.1], byRank: [], ess: 9 };
 * valueDifference(one, { value: 0.5, byCluster: [0.1, -0.1], byRank: [], ess: 4 }).value; // 0.5
 */
export function valueDifference(
  estimate: ValueEstimate,
  control: ValueEstimate,
  covariance?: SquareMatrix,
): ValueDifference {
  const byCluster = estimate.byCluster.map((each, u) => each - control.byCluster[u]);
  const own = estimate.byRank;
  const other = control.byRank;
  // A value that does not use examination has no derivatives by it.
  const byRank = Float64Array.from(
    { length: Math.max(own.length, other.length) },
    (_, k) => (own[k] ?? 0) - (other[k] ?? 0),
  );
  const value = estimate.value - control.value;
  const stdErr = standardError({ byCluster, byRank }, covariance);
  const ess = Math.min(estimate.ess, control.ess);
  const half = studentTQuantile(0.975, valueFreedom(ess)) * stdErr;
  return {
    model: estimate.model,
    control: control.model,
    estimator: estimate.estimator,
    controlEstimator: control.estimator,
    value,
    stdErr,
    lower: value - half,
    upper: value + half,
    ess,
  };
}
