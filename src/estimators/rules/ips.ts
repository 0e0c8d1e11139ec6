import type { MeasuredHits } from '../lanes/expected-set.js';
import type { AbsoluteScale } from '../lanes/scale.js';
import { isAbove } from '../mathematics/edges.js';
import type { RowEstimator, RuleInput } from './estimator.js';
import type { FoundResult, ResultExtras, WeightingRule } from './weighting-rule.js';

const ALPHA = 0.05;

/**
 * Half-width of Hoeffding's interval for ips over pairs of users and items.
 *
 * 1 / (U I) · √(ln(2/η) / 2 · Σ_ui ρ²), ρ = δ / P for P < 1, else 0; η = .05. Which pairs are
 * relevant is not known, so every position z of a list counts as a relevant pair with the least
 * propensity: Σ_ui ρ² ≤ U Σ_z λ(z)² / P_min².
 * Source: Schnabel et al. 2016, Prop. 3.1.
 *
 * @param users U. @param items I. @param gains λ by rank. @param largestInverse 1 / P_min.
 * @returns 0 if P_min = 1, since every pair is then observed.
 */
function ipsHalfWidth(
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

/** Name of the guarantee that ips provides. */
const BOUND = 'ips-hoeffding';

/** Create the function that gives each estimate its bound, if that is configured and available. */
function ipsBound(
  { inverse }: AbsoluteScale,
  { guarantees, catalogueSize }: RuleInput['options'],
): (result: FoundResult, measured: MeasuredHits) => ResultExtras {
  // Logged propensities do not cover the pairs that were not shown.
  if (!guarantees.includes(BOUND) || inverse === null) return () => ({});
  const largest = inverse.reduce((a, b) => Math.max(a, b), 0);
  return ({ users, value }, { table, set }) => {
    if (table === null || set !== null) return {};
    const half = ipsHalfWidth(users, catalogueSize, table, largest);
    const bound = {
      name: BOUND,
      lower: Math.max(0, value - half),
      upper: value + half,
    } as const;
    return { guarantees: [bound] };
  };
}

/**
 * Create the rule of inverse propensity scoring (ips) with absolute propensities.
 *
 * pooled: R = 1 / (U I) · Σ λ_i / P_i over all rows, U the users who have a row, I the items of the
 * catalogue. R is the mean gain over all pairs of user and item: the mean over relevant items times
 * the share of relevant pairs. There is no user form, which would need the number of a user's
 * relevant items; implicit feedback does not give it.
 * Source: Schnabel et al. 2016, eq. 10; Yang et al. 2018, eq. 7.
 * Bias: none over users who certainly have a row, if P is the probability that a relevant item is
 * found; otherwise that of P (see `absoluteScale`). The value may exceed the range of the gains,
 * and has more variance than snips. O(rows).
 *
 * @param scale 1 / P. @param catalogueSize I.
 * @returns the rule; rows without a propensity have weight 0.
 * By hand: one user, I = 10, gains 1, 0 with P = 0.5, 0.1: (1 / 0.5) / 10 = 0.2.
 */
export function ipsRule({ inverse, slope }: AbsoluteScale, catalogueSize: number): WeightingRule {
  return {
    dependsOnGamma: slope !== null,
    denominator: catalogueSize,
    weigh({ rows, users, row, item, part }, out) {
      out.user.fill(0, 0, rows);
      out.userSlope.fill(0, 0, rows);
      out.userDenominator.values.fill(0, 0, users);
      const logged = part!.propensity;
      for (let i = 0; i < rows; i++) {
        if (inverse !== null) {
          out.pooled[i] = inverse[item[i]];
        } else {
          out.pooled[i] = logged !== undefined && logged[row[i]] > 0 ? 1 / logged[row[i]] : 0;
        }
        if (slope !== null) {
          out.pooledSlope[i] = slope[item[i]];
        }
      }
      // The denominator is fixed.
      out.pooledSlopeTotal = 0;
    },
  };
}

export const ips: RowEstimator = {
  kind: 'weighted',
  inWords:
    'weighted by 1 / propensity, divided by the number of pairs; needs absolute propensities',
  cost: 3,
  needs: {
    scale:
      'needs absolute propensities, but none are logged, the window has no randomised traffic or lists to estimate them from, and no item has a count',
  },
  without: {
    user: 'needs the number of items relevant to each user, which implicit feedback does not show; estimating this number by Σ 1/P gives snips',
  },
  rule({ scale, options }) {
    return {
      ...ipsRule(scale!, options.catalogueSize),
      extras: ipsBound(scale!, options),
    };
  },
};
