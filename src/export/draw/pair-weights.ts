import { interventionWeight, targetedWeight } from '../../sampling/intervention-weights.js';
import type { PairCounts } from './pair-counts.js';
import type { SetPlan } from './set-plan.js';

/** A row's weight is its user's side times its item's. */
export interface PairWeights {
  readonly userSide: Float64Array;
  readonly itemSide: Float64Array;
}

/**
 * Sampling weights of (user, item) by the counts of the train part.
 *
 * full, reg: 1; skew: 1 / (n_i + κ); wtd_h: 1 / ((n_u + κ) (n_i + κ)^p);
 * wtd: (m_u + κ) / (n_u + κ) · ((m_i + κ) / (n_i + κ))^p.
 * n pairs of the train part, m pairs of randomised traffic.
 * Source: Carraro & Bridge 2020, sections 4.2, 4.3 and 5.3.
 *
 * wtd_ipf takes no counts: see `rakedWeights`.
 */
export function pairWeights(
  strategy: Exclude<SetPlan['strategy'], 'wtd_ipf'>,
  { known, randomized }: PairCounts,
  { smoothing, exponent }: Pick<SetPlan, 'smoothing' | 'exponent'>,
): PairWeights {
  const ones = (side: Float64Array): Float64Array => new Float64Array(side.length).fill(1);
  switch (strategy) {
    case 'full':
    case 'reg':
      return { userSide: ones(known.user), itemSide: ones(known.item) };
    case 'skew':
      return {
        userSide: ones(known.user),
        itemSide: known.item.map((n) => interventionWeight(n, smoothing, 1)),
      };
    case 'wtd_h':
      return {
        userSide: known.user.map((n) => interventionWeight(n, smoothing, 1)),
        itemSide: known.item.map((n) => interventionWeight(n, smoothing, exponent)),
      };
    case 'wtd':
      return {
        userSide: known.user.map((n, u) => targetedWeight(randomized.user[u], n, smoothing, 1)),
        itemSide: known.item.map((n, i) =>
          targetedWeight(randomized.item[i], n, smoothing, exponent),
        ),
      };
  }
}
