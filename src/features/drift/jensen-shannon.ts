import { smoothedShares } from './shares.js';

/**
 * Jensen–Shannon divergence between two binned samples, in nats.
 *
 * ½ Σ_b p_b ln(p_b / r_b) + ½ Σ_b q_b ln(q_b / r_b), r = (p + q) / 2, shares with ½ added to each
 * count. Without a change it is about (1/n + 1/m) χ²_{B−1} / 8.
 * **Source**: Lin 1991, equation 3.8, at equal weights; its distribution by a second-order expansion.
 *
 * @param counts of the bins, in events. @param reference of the same bins.
 * @returns in [0, ln 2]; 0 without bins.
 * @example
 * jensenShannon([10, 20], [10, 20]); // 0
 */
export function jensenShannon(counts: readonly number[], reference: readonly number[]): number {
  const q = smoothedShares(reference);
  return smoothedShares(counts).reduce((sum, p, b) => {
    const r = (p + q[b]) / 2;
    return sum + (p * Math.log(p / r) + q[b] * Math.log(q[b] / r)) / 2;
  }, 0);
}
