import type { WindowPart } from '../../state/panes/window-part.js';
import type { Selection } from '../lanes/selection.js';
import type { WeightingRule } from '../rules/weighting-rule.js';
import { SamplingError } from '../uncertainty/sampling-error.js';
import { expectedMeanCoefficients } from './expected-mean.js';

/** π of every row: per item where it depends on nothing else, or per row of each part. */
export type Chances = Float64Array | ReadonlyMap<WindowPart, Float64Array>;

/**
 * The expected value of a metric on an intervened test set, without drawing one.
 *
 * A row is in the sample with chance π_i, independently. pooled: Σ πλ / Σ π. user: the mean over
 * the users who have a row in the sample,
 * Σ_u Σ_i λ_i π_i ∫₀¹ Π_{j ≠ i} (1 − π_j + π_j t) dt / Σ_u (1 − Π_j (1 − π_j)).
 * π is the reweighting itself: nothing is divided by it.
 * Source: Carraro & Bridge 2020, section 4 (WTD, WTD_H) and 5.3 (FULL, REG, SKEW); the expectation
 * is ours.
 * Bias: that of the weights' assumption of a uniform MAR distribution, in so far as the share that
 * is kept lets the sample reach its weights. Value in [min λ, max λ]; O(rows × nodes), nodes ≤ 32.
 *
 * The sampling space is every row of the window, positive or not; the metric takes the positive,
 * ranked ones. Dropping cold items narrows only the latter.
 *
 * @param chances π = 1 − e^(−w τ), see draw-margins.ts.
 * @returns the rule; a user whose rows cannot be drawn is left out.
 * By hand: gains 1, 0 with π = 1, 1: 1/2 in both forms.
 */
export function intervened(chances: Chances): WeightingRule {
  return {
    sets: 'drawn',
    ownSums: (metrics) => new SamplingError(metrics),
    weigh(selection, out) {
      const { start, users, gainful } = selection;
      fillChances(chances, selection, out.pooled);
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
function fillChances(chances: Chances, selection: Selection, pi: Float64Array): void {
  const isByItem = chances instanceof Float64Array;
  const from = isByItem ? chances : chances.get(selection.part!)!;
  const key = isByItem ? selection.item : selection.row;
  for (let i = 0; i < selection.rows; i++) pi[i] = from[key[i]];
}
