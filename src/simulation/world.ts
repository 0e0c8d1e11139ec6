import type { Random } from '../estimators/mathematics/random.js';
import type { SimulationOptions } from './options.js';

/**
 * Relevance of an item to users of its own taste group, as a multiple of the item's mean relevance
 * over all groups. With fewer groups than this, their number is used instead.
 */
const TASTE_AFFINITY = 2.5;

/**
 * Relevance of items to users, and the probability that a relevant pair is observed in a session.
 */
export interface World {
  /** Ids in code-point order; user and item indices follow that order. */
  readonly userIds: readonly string[];
  readonly itemIds: readonly string[];
  /** n*_i, expected observed popularity of item i up to a factor: 1 for the most popular item. */
  readonly targetPopularity: Float64Array;
  /** P_i, probability that a relevant pair with item i is observed in a session of its user. */
  readonly propensity: Float64Array;
  /** S_u, relevant items of user u: ascending item indices, at least one. */
  readonly relevant: readonly Int32Array[];
}

/**
 * Create a catalogue and its users, consistent with the power-law propensity model.
 *
 * n*_i ∝ (rank of i)^(−a) is the target of the observed popularity;
 * P_i = (n*_i / n*_max)^((γ+1)/2) is the probability that a relevant pair is observed;
 * n_i ∝ (n*_i)^((1−γ)/2) is the number of users to whom i is relevant.
 * Hence E[observed count of i] = n_i · P_i ∝ n*_i. Items and users belong to taste groups. Items of
 * the user's own group are more likely to be relevant; the mean over the groups is n_i.
 *
 * **Source**: Yang et al. 2018, equations 13 to 15. The exponents (γ+1)/2 and (1−γ)/2 follow from
 * n*_i/n_i ∝ (n*_i)^γ · n_i. Item ranks are shuffled over the ids, so that the order of ids does
 * not depend on popularity.
 */
export function createWorld(options: SimulationOptions, random: Random): World {
  const { users, items, gamma, tasteGroups } = options;
  const order = Int32Array.from({ length: items }, (_, i) => i);
  random.shuffle(order);
  const targetPopularity = new Float64Array(items);
  const propensity = new Float64Array(items);
  const relevance = new Float64Array(items);
  const group = new Int32Array(items);
  for (let rank = 0; rank < items; rank++) {
    const item = order[rank];
    const popularity = (rank + 1) ** -options.popularityExponent;
    targetPopularity[item] = popularity;
    propensity[item] = popularity ** ((gamma + 1) / 2);
    relevance[item] = popularity ** ((1 - gamma) / 2);
    // Groups alternate by popularity rank, so that each has popular and rare items.
    group[item] = rank % tasteGroups;
  }
  const scale = options.relevantPerUser / relevance.reduce((sum, r) => sum + r, 0);
  const relevant: Int32Array[] = [];
  for (let user = 0; user < users; user++) {
    relevant.push(drawRelevant(user % tasteGroups));
  }
  return {
    userIds: paddedIds('u', users),
    itemIds: paddedIds('i', items),
    targetPopularity,
    propensity,
    relevant,
  };

  function drawRelevant(userGroup: number): Int32Array {
    const own = tasteGroups === 1 ? 1 : Math.min(TASTE_AFFINITY, tasteGroups);
    const other = tasteGroups === 1 ? 1 : (tasteGroups - own) / (tasteGroups - 1);
    const found: number[] = [];
    for (let item = 0; item < items; item++) {
      const share = scale * relevance[item] * (group[item] === userGroup ? own : other);
      if (random.next() < share) {
        found.push(item);
      }
    }
    // A user without a relevant item would have no true value, so one item is made relevant.
    if (found.length === 0) {
      found.push(random.below(items));
    }
    return Int32Array.from(found);
  }
}

function paddedIds(prefix: string, count: number): string[] {
  const width = String(count - 1).length;
  return Array.from({ length: count }, (_, i) => prefix + String(i).padStart(width, '0'));
}
