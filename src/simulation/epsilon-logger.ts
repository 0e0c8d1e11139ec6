import type { Random } from '../estimators/mathematics/random.js';
import type { Lists } from './rankers.js';

/** A list with the chance of each of its items to stand where it does. */
export interface DrawnList {
  readonly list: readonly number[];
  readonly propensities: readonly number[];
}

/**
 * A stochastic logger: it shows the first ranker's list, or, with chance ε, K items drawn without
 * repeats from the first K places of all rankers, all orders alike.
 *
 * P(i at k) = (1 − ε) 1{i stands at k in the first list} + ε / N, N the items it draws from. So what
 * any ranker has on its first K places may be shown there.
 *
 * @param rankers by name, the first of which is followed. @param places K.
 */
export function epsilonList(
  random: Random,
  rankers: ReadonlyMap<string, Lists>,
  user: number,
  { epsilon, places }: { readonly epsilon: number; readonly places: number },
): DrawnList {
  const lists = [...rankers.values()].map((all) => Array.from(all[user].subarray(0, places)));
  const [followed] = lists;
  const pool = [...new Set(lists.flat())];
  const isDrawn = random.next() < epsilon;
  const shuffled = Int32Array.from(pool);
  random.shuffle(shuffled);
  const list = isDrawn ? Array.from(shuffled.subarray(0, places)) : followed;
  return {
    list,
    propensities: list.map((item, k) => {
      return (followed[k] === item ? 1 - epsilon : 0) + epsilon / pool.length;
    }),
  };
}
