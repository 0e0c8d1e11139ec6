import { inclusionProbability } from '../sampling/expected-inclusion.js';
import { expectedMeanCoefficients } from '../sampling/expected-mean.js';
import type { WindowPart } from '../state/window-part.js';
import type { InterventionName } from './estimate.js';
import type { Selection } from './selection.js';
import type { WeightingRule } from './weighting-rule.js';

/** How an intervention draws its rows: w = (user's side) · (item's side), π = 1 − e^(−w τ). */
export interface Intervention {
  readonly name: InterventionName;
  /** The user's side per segment of each part; null where it is 1 for everybody. */
  readonly userSides: ReadonlyMap<WindowPart, Float64Array> | null;
  /** The item's side, per item. */
  readonly itemSide: Float64Array;
  /** τ. */
  readonly time: number;
  /** π per item, where the user's side is 1. */
  readonly itemChance: Float64Array | null;
}

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
 * @returns the rule; a user whose rows cannot be drawn is left out.
 * @example
 * // gains 1, 0 with π = 1, 1: 1/2 in both forms
 */
export function intervened(intervention: Intervention): WeightingRule {
  return {
    name: intervention.name,
    draws: true,
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
  const { start, users, rows, item, segment, part } = selection;
  const { itemChance, userSides, itemSide, time } = intervention;
  if (itemChance !== null) {
    for (let i = 0; i < rows; i++) pi[i] = itemChance[item[i]];
    return;
  }
  const sides = userSides!.get(part!)!;
  for (let u = 0; u < users; u++) {
    const side = sides[segment[u]];
    for (let i = start[u]; i < start[u + 1]; i++) {
      pi[i] = inclusionProbability(side * itemSide[item[i]], time);
    }
  }
}
