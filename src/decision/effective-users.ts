/** A difference of two sums of squares that is a smaller part of them than this is their noise. */
const NOISE = 0.1;

/**
 * How many users the rows are of, in effect, from sums by groups of users.
 *
 *   E = (ΣW)² / (Σ_u W_u² − Σ_rows w²),   Σ_u W_u² ≈ G / (G − 1) · Σ_g (W_g − W̄)²
 *
 * the second because users fall into groups at random. Rows of users who come once add as much to the
 * one sum of squares as to the other, so E counts those who return.
 *
 * @param weights W_g, by group. @param rowSquares Σ_rows w².
 * @returns Infinity where nobody returns, as far as it shows.
 * @example
 * effectiveUsers([4, 0, 0, 0], 4); // 1.333: one user with four rows
 */
export function effectiveUsers(weights: ArrayLike<number>, rowSquares: number): number {
  const groups = weights.length;
  let total = 0;
  for (let g = 0; g < groups; g++) total += weights[g];
  let squares = 0;
  for (let g = 0; g < groups; g++) squares += (weights[g] - total / groups) ** 2;
  squares *= groups / (groups - 1);
  const returning = squares - rowSquares;
  return returning > NOISE * squares ? (total * total) / returning : Number.POSITIVE_INFINITY;
}
