import type { MeasuredHits } from '../lanes/measured-hits.js';
import { isAbove } from '../mathematics/edges.js';
import type { RuleInput } from '../rules/estimator.js';
import type { FoundResult, ResultExtras } from '../rules/weighting-rule.js';
import type { AbsoluteScale } from '../window/scale.js';

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
 * @returns 0 if nothing is chance, P_min = 1.
 */
export function ipsHalfWidth(
  users: number,
  items: number,
  gains: Float64Array,
  largestInverse: number,
): number {
  if (!isAbove(largestInverse, 1)) return 0;
  const squares = gains.reduce((sum, gain) => sum + gain * gain, 0);
  return (
    (Math.sqrt((Math.log(2 / ALPHA) / 2) * users * squares) * largestInverse) / (users * items)
  );
}

/** The guarantee that it gives. */
const BOUND = 'ips-hoeffding';

/** The bound of each result, if it is asked for and can be given. */
export function ipsBound(
  { inverse }: AbsoluteScale,
  { guarantees, catalogueSize }: RuleInput['options'],
): (result: FoundResult, measured: MeasuredHits) => ResultExtras {
  // What is logged says nothing about the pairs that were not shown.
  if (!guarantees.includes(BOUND) || inverse === null) return () => ({});
  const largest = inverse.reduce((a, b) => Math.max(a, b), 0);
  return ({ users, value }, { table, set }) => {
    if (table === null || set !== null) return {};
    const half = ipsHalfWidth(users, catalogueSize, table, largest);
    const bound = { name: BOUND, lower: Math.max(0, value - half), upper: value + half } as const;
    return { guarantees: [bound] };
  };
}
