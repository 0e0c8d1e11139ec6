import type { RowEstimator } from './estimator.js';
import type { WeightingRule } from './weighting-rule.js';

/**
 * Create the rule of the naive estimator (average over all, AOA): every observed row has the same
 * weight.
 *
 * user: R_u = (1 / n_u) Σ λ_i over the n_u rows of user u, then the mean over users; pooled: the
 * mean of λ over all rows.
 * Source: Yang et al. 2018, eq. 4 (over the observed rows).
 * Bias: towards popular items if they are more likely to be observed. Value in [min λ, max λ];
 * O(rows).
 *
 * @returns the rule; users without rows are not in the selection.
 * By hand: gains 1, 0, 0 of one user: 1/3.
 */
export function naiveRule(): WeightingRule {
  return {
    sets: 'rows',
    weigh(selection, out) {
      const { start, users } = selection;
      for (let u = 0; u < users; u++) {
        const coefficient = 1 / (start[u + 1] - start[u]);
        for (let i = start[u]; i < start[u + 1]; i++) {
          out.user[i] = coefficient;
        }
      }
      out.userDenominator.values.fill(1, 0, users);
      out.pooled.fill(1, 0, selection.rows);
    },
  };
}

export const naive: RowEstimator = {
  kind: 'observed',
  inWords: 'the plain mean, not corrected: an item counts as often as users interacted with it',
  isDefault: true,
  cost: 2,
  needs: {},
  rule: naiveRule,
};
