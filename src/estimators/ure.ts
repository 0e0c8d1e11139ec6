import { RANDOMIZED_TRAFFIC } from '../state/window-part.js';
import type { Estimate } from './estimate.js';
import type { WeightingRule } from './weighting-rule.js';

/**
 * Unbiased evaluation on randomised traffic: its positive rows, with their ranks among all
 * candidates, and every one counting alike.
 *
 * user: m_u / n_u, then the mean over users with n_u > 0 (the paper's form); pooled: Σ m / Σ n;
 * m the sum of gains (for recall@K: the rows above the (K+1)-th candidate), n the number of rows.
 * Source: Wang et al. 2025, section 4 (URE); the pooled form is ours.
 * Bias: none for a user given n_u > 0; the mean over users is biased where the gain goes with the
 * number of relevant items, because users with few of them tend to have n_u = 0. The pooled form
 * weighs users by their number of relevant items. O(rows).
 *
 * Lists of a sampled candidate set give auc alone, as for every estimator.
 *
 * @returns the rule; a user without a positive row from randomised traffic is left out.
 * @example
 * // gains 1 (randomised), 0 (randomised), 1 (organic): 1/2
 */
export function ure(): WeightingRule {
  return {
    name: 'ure',
    weigh(selection, out) {
      const { start, users, row, part } = selection;
      const { traffic } = part!;
      for (let u = 0; u < users; u++) {
        let count = 0;
        for (let i = start[u]; i < start[u + 1]; i++) {
          const isRandomized = (traffic[row[i]] & RANDOMIZED_TRAFFIC) !== 0;
          out.pooled[i] = isRandomized ? 1 : 0;
          count += out.pooled[i];
        }
        out.userDenominator.values[u] = count > 0 ? 1 : 0;
        const scale = count > 0 ? 1 / count : 0;
        for (let i = start[u]; i < start[u + 1]; i++) out.user[i] = out.pooled[i] * scale;
      }
    },
  };
}

/** A lane's estimates, those of ure with the number of rows that it rests on. */
export function withOwnRows(estimates: readonly Estimate[]): readonly Estimate[] {
  // All metrics of a lane rest on the same rows, each with a pooled weight of 1.
  const pooled = estimates.find(
    ({ estimator, aggregation }) => estimator === 'ure' && aggregation === 'pooled',
  );
  if (pooled === undefined) return estimates;
  return estimates.map((estimate) =>
    estimate.estimator === 'ure' ? { ...estimate, events: pooled.denominator } : estimate,
  );
}
