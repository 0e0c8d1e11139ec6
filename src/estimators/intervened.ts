import { inclusionProbability } from '../sampling/expected-inclusion.js';
import { expectedMeanCoefficients } from '../sampling/expected-mean.js';
import type { Selection } from './selection.js';
import type { WeightingRule } from './weighting-rule.js';

/** How an intervention draws its rows: π = 1 − e^(−w τ). */
export type Intervention =
  | {
      readonly name: 'skew';
      /** π per item: the weight does not depend on the user. */
      readonly itemChance: Float64Array;
    }
  | {
      readonly name: 'wtd_h';
      /** The user's side of w for n_u interactions, and the item's side, per item. */
      readonly userSide: (count: number) => number;
      readonly itemSide: Float64Array;
      /** τ. */
      readonly time: number;
    };

/**
 * The expected value of a metric on an intervened test set, without drawing one.
 *
 * A row is in the sample with chance π_i, independently. pooled: Σ πλ / Σ π. user: the mean over
 * the users who have a row in the sample,
 * Σ_u Σ_i λ_i π_i ∫₀¹ Π_{j ≠ i} (1 − π_j + π_j t) dt / Σ_u (1 − Π_j (1 − π_j)).
 * π is the reweighting itself: nothing is divided by it.
 * Source: Carraro & Bridge 2020, section 4 (SKEW, WTD_H); the expectation is ours.
 * Bias: that of the weights' assumption of a uniform MAR distribution, in so far as the share that
 * is kept lets the sample reach its weights. Value in [min λ, max λ]; O(rows × nodes), nodes ≤ 32.
 *
 * The sampling space is every row of the window, positive or not; the metric takes the positive,
 * ranked ones. Dropping cold items narrows only the latter.
 *
 * @returns the rule; a user whose rows cannot be drawn is left out.
 * @example
 * // gains 1, 0 with π = 1, 1: 1/2 in both forms
 */
export function intervened(intervention: Intervention): WeightingRule {
  return {
    name: intervention.name,
    weigh(selection, out) {
      const { start, users, gainful } = selection;
      fillChances(intervention, selection, out.pooled);
      for (let u = 0; u < users; u++) {
        out.userDenominator.values[u] = expectedMeanCoefficients(
          out.pooled,
          start[u],
          start[u + 1],
          gainful,
          out.user,
        );
      }
    },
  };
}

/** π of every row, which is also its pooled coefficient. */
function fillChances(intervention: Intervention, selection: Selection, pi: Float64Array): void {
  const { start, users, rows, item, userCount } = selection;
  if (intervention.name === 'skew') {
    for (let i = 0; i < rows; i++) pi[i] = intervention.itemChance[item[i]];
    return;
  }
  const { userSide, itemSide, time } = intervention;
  for (let u = 0; u < users; u++) {
    const side = userSide(userCount[u]);
    for (let i = start[u]; i < start[u + 1]; i++) {
      pi[i] = inclusionProbability(side * itemSide[item[i]], time);
    }
  }
}
