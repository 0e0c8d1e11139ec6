import { smoothedShares } from './shares.js';

/**
 * Population stability index between two binned samples.
 *
 * Σ_b (p_b − q_b) ln(p_b / q_b), p and q the bins' shares with ½ added to each count.
 * Without a change it is about (1/n + 1/m) χ²_{B−1}, so no fixed bound such as 0.1 or 0.25 fits
 * samples of every size.
 * **Source**: Kullback & Leibler 1951, the divergence J; Yurdakul 2018 for its distribution.
 *
 * @param counts of the bins, in events. @param reference of the same bins.
 * @returns ≥ 0; 0 without bins.
 * @example
 * populationStabilityIndex([10, 20], [10, 20]); // 0
 */
export function populationStabilityIndex(
  counts: readonly number[],
  reference: readonly number[],
): number {
  const q = smoothedShares(reference);
  return smoothedShares(counts).reduce((sum, p, b) => sum + (p - q[b]) * Math.log(p / q[b]), 0);
}
