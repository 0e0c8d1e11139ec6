import type { RowEstimator } from './estimator.js';
import { naiveRule } from './naive.js';
import type { WeightingRule } from './weighting-rule.js';

/**
 * Create the rule of unbiased evaluation on randomised traffic (ure): the mean over its positive
 * rows, with their ranks among all candidates and equal weights.
 *
 * user: m_u / n_u, then the mean over users with n_u > 0 (the paper's form); pooled: Σ m / Σ n; m
 * the sum of a user's gains (for recall@K: the number of rows ranked in the first K), n the number
 * of rows.
 * Source: Wang et al. 2025, section 4 (URE); the pooled form is ours.
 * Bias: none for a user given n_u > 0; the mean over users is biased if the gain depends on the
 * number of relevant items, because users with few of them tend to have n_u = 0. The pooled form
 * weighs users by their number of relevant items. O(rows).
 *
 * Lists of a sampled candidate set are used for auc only, as for every estimator.
 *
 * @returns the rule of naive, applied to rows of randomised traffic (see `separateTraffic`), where
 * equal weights are unbiased.
 * By hand: gains 1, 0 of the randomised rows: 1/2.
 */
export function ureRule(): WeightingRule {
  return { weigh: naiveRule().weigh };
}

export const ure: RowEstimator = {
  kind: 'randomised',
  inWords: 'the mean over randomised traffic alone',
  isDefault: true,
  cost: 3,
  needs: {
    randomized: {
      of: 'positives',
      reason: 'needs positive interactions from randomised traffic, and the window holds none',
    },
  },
  rule: ureRule,
};
