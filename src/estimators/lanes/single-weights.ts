import { COUNT_WEIGHTED, LEADING, type LookedUp } from '../names.js';
import type { EstimateOptions } from '../options.js';
import { importanceWeight } from '../propensity/power-law.js';
import type { SideWeights } from '../rules/estimator.js';
import { interventionOf } from '../rules/registry.js';

/**
 * By estimator: the factor that the item of a row, or its user, contributes to the row's
 * unnormalised weight.
 */
export type SingleWeights = Readonly<Record<LookedUp, number>>;

type WeightOptions = Pick<EstimateOptions, 'cold' | 'smoothing' | 'posteriorExponent'>;

/**
 * Compute the item's factor of a row's weight, by estimator.
 *
 * @param count popularity count of the item, from which its propensity follows. @param interactions
 * number of the item's interactions, which interventions use.
 */
export function itemWeights(
  count: number,
  interactions: number,
  beta: number,
  options: WeightOptions,
): SingleWeights {
  const { smoothing, posteriorExponent } = options;
  return byName(
    importanceWeight(beta, options)(count),
    ({ item }) => item?.(interactions, 0, smoothing, posteriorExponent) ?? 1,
  );
}

/**
 * Compute the user's factor of a row's weight, by estimator.
 *
 * @param interactions number of the user's interactions.
 */
export function userWeights(interactions: number, { smoothing }: WeightOptions): SingleWeights {
  return byName(1, ({ user }) => user?.(interactions, 0, smoothing, 1) ?? 1);
}

function byName(leading: number, sideOf: (weights: SideWeights) => number): SingleWeights {
  const sides = COUNT_WEIGHTED.map((name) => {
    const { weights } = interventionOf(name);
    // Raking computes the weights of all rows together.
    return [name, weights === 'raked' ? Number.NaN : sideOf(weights)];
  });
  return Object.fromEntries([[LEADING, leading], ...sides]);
}
