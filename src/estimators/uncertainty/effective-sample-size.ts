/**
 * Effective sample size: the number of equally weighted observations with the same variance.
 *
 * ESS = (Σ w)² / Σ w².
 * Source: Kish 1965. Range [1, n]; n for equal weights. It does not depend on the weights' scale.
 *
 * @param sum Σ w. @param sumOfSquares Σ w². @returns 0 if there is no weight.
 * @example
 * effectiveSampleSize(4, 10); // 1.6: weights 3 and 1
 */
export function effectiveSampleSize(sum: number, sumOfSquares: number): number {
  return sumOfSquares > 0 ? (sum * sum) / sumOfSquares : 0;
}

/** Least number of effective users of an estimate that a verdict or an alarm may use. */
export const FEW_USERS = 30;
