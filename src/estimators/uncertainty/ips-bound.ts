import { rankGains } from '../../gains/metric-gain.js';
import type { AbsoluteScale } from '../known/absolute-scale.js';
import type { EstimateOptions } from '../options.js';
import type { Estimate } from '../results/estimate.js';

const ALPHA = 0.05;

/**
 * Half width of Hoeffding's interval for ips over pairs of users and items.
 *
 * 1 / (U I) · √(ln(2/η) / 2 · Σ_ui ρ²), ρ = δ / P for P < 1, else 0; η = .05. Which of the pairs are
 * relevant is not known, nor which items the lists held: every place of a list is taken for a
 * relevant pair with the least P, Σ_ui ρ² ≤ U Σ_z λ(z)² / P_min².
 * Source: Schnabel et al. 2016, Prop. 3.1.
 *
 * @param users U. @param items I. @param gains λ by rank. @param largestInverse 1 / P_min.
 * @returns 0 where nothing is chance, P_min = 1.
 */
export function ipsHalfWidth(
  users: number,
  items: number,
  gains: Float64Array,
  largestInverse: number,
): number {
  if (!(largestInverse > 1)) return 0;
  const squares = gains.reduce((sum, gain) => sum + gain * gain, 0);
  return (
    (Math.sqrt((Math.log(2 / ALPHA) / 2) * users * squares) * largestInverse) / (users * items)
  );
}

/** The estimates, those of ips with the bound if it is asked for and can be given. */
export function withIpsBound(
  results: readonly Estimate[],
  scale: AbsoluteScale | null,
  { guarantees, metrics, ks, catalogueSize }: EstimateOptions,
): readonly Estimate[] {
  // What is logged says nothing of the pairs that were not shown.
  const inverse = scale?.inverse;
  if (!guarantees.includes('ips-hoeffding') || !inverse) return results;
  const largest = inverse.reduce((a, b) => Math.max(a, b), 0);
  const tables = rankGains(metrics, ks);
  return results.map((row) => {
    const gain = tables.find(({ metric, k }) => metric === row.metric && k === row.k);
    if (row.estimator !== 'ips' || gain === undefined) return row;
    const half = ipsHalfWidth(row.users, catalogueSize, gain.table, largest);
    const bound = {
      name: 'ips-hoeffding' as const,
      lower: Math.max(0, row.value - half),
      upper: row.value + half,
    };
    return { ...row, guarantees: [...row.guarantees, bound] };
  });
}
