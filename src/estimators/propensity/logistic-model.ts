/** The parameters of P = σ(c + x_uᵀ W z_i + γ_u + β_i). */
export interface LogisticModel {
  /** c. */
  readonly intercept: number;
  /** W, row by row: a row for each feature of users, a column for each feature of items. */
  readonly weights: Float64Array;
  /** γ, one for each user; all 0 without offsets of users. */
  readonly userOffsets: Float64Array;
  /** β, one for each item; all 0 without offsets of items. */
  readonly itemOffsets: Float64Array;
}

export interface LogisticFit extends LogisticModel {
  /** −ln of the likelihood of the pairs (nats). */
  readonly nll: number;
  /** The same with the ridge: what is minimised. */
  readonly penalised: number;
  /** Newton steps. */
  readonly steps: number;
}

/** P of a logit. */
export function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** −ln P(o) at a logit: of an observed pair −ln P, of another −ln(1 − P). */
export function logLoss(logit: number, isObserved: number): number {
  const toward = isObserved === 1 ? -logit : logit;
  // Either form would lose all digits, or overflow, on one of its sides.
  return toward > 0 ? toward + Math.log1p(Math.exp(-toward)) : Math.log1p(Math.exp(toward));
}
