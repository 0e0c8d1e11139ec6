import type { Lists } from '../rankers.js';
import type { World } from '../world.js';
import type { Causation } from './causation.js';

/** What a model's lists are worth, were they the ones that are served. */
export interface TrueReward {
  readonly model: string;
  /** Expected clicks that one served list causes. */
  readonly caused: number;
}

/**
 * V(m) = mean over users of Σ_k α θ_k (1 − τ P_i) 1{i ∈ S_u}, i the item at place k of m's list: a
 * list causes no click on what its user has found already in the session.
 *
 * @param lists the model's list per user, best first
 * @returns 0 if lists cause nothing; NaN without users
 */
export function trueReward(
  model: string,
  { relevant, propensity }: Pick<World, 'relevant' | 'propensity'>,
  lists: Lists,
  { attraction, ownInitiative, examination }: Causation,
): TrueReward {
  let sum = 0;
  relevant.forEach((items, user) => {
    const own = new Set(items);
    lists[user].subarray(0, examination.length).forEach((item, k) => {
      if (own.has(item)) sum += examination[k] * (1 - ownInitiative * propensity[item]);
    });
  });
  return { model, caused: (attraction * sum) / relevant.length };
}
