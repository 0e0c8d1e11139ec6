import type { SideWeights } from '../estimators/rules/estimator.js';
import type { PairCounts } from './pair-counts.js';
import type { SetPlan } from './set-plan.js';

/** A row's weight is its user's side times its item's. */
export interface PairWeights {
  readonly userSide: Float64Array;
  readonly itemSide: Float64Array;
}

/**
 * Sampling weights of (user, item) by the counts of the train part, as the strategy defines them
 * (`estimators/rules`): n pairs of the train part, m pairs of randomised traffic.
 *
 * Raked weights take no counts: see `rakedWeights`.
 */
export function pairWeights(
  { user, item }: SideWeights,
  { known, randomized }: PairCounts,
  { smoothing, exponent }: Pick<SetPlan, 'smoothing' | 'exponent'>,
): PairWeights {
  const ones = (side: Float64Array): Float64Array => new Float64Array(side.length).fill(1);
  return {
    userSide:
      user === null
        ? ones(known.user)
        : known.user.map((n, u) => user(n, randomized.user[u], smoothing, 1)),
    itemSide:
      item === null
        ? ones(known.item)
        : known.item.map((n, i) => item(n, randomized.item[i], smoothing, exponent)),
  };
}
