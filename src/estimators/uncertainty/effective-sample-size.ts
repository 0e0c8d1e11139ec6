/**
 * Effective sample size: the number of equally weighted observations with the same variance.
 *
 * ESS = (Σ w)² / Σ w².
 * Source: Kish 1965. From 1 to the number of observations, which equal weights reach. It does not
 * depend on the weights' scale.
 *
 * @param sum Σ w. @param sumOfSquares Σ w². @returns 0 if there is no weight.
 * @example
 * effectiveSampleSize(4, 10); // 1.6: weights 3 and 1
 */
export function effectiveSampleSize(sum: number, sumOfSquares: number): number {
  return sumOfSquares > 0 ? (sum * sum) / sumOfSquares : 0;
}

/** Least effective number of users for an estimate to be used in a verdict or an alarm. */
export const FEW_USERS = 30;
