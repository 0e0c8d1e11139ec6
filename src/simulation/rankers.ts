import type { Random } from '../estimators/mathematics/random.js';
import type { RankerName, SimulationOptions } from './options.js';
import type { World } from './world.js';

/**
 * Components of a ranker's score of (user, item): score = relevance · 1{item ∈ S_u} + popularity ·
 * z_i + noise · N(0,1), z_i = ln n*_i, standardised over the catalogue.
 */
interface Taste {
  readonly relevance: number;
  readonly popularity: number;
  readonly noise: number;
}

/**
 * `personal` knows the user and, like a ranker trained with inverse propensities, leans to rare
 * items; `blend` knows less and leans to popular ones; `popular` chases what is popular. `head`
 * ranks the most popular items alone, and `perfect` has all that is relevant before the rest.
 */
const TASTES: Readonly<Record<RankerName, Taste>> = {
  personal: {
    relevance: 1.2,
    popularity: -0.5,
    noise: 0.8,
  },
  blend: {
    relevance: 0.9,
    popularity: 0.3,
    noise: 0.9,
  },
  popular: {
    relevance: 0.1,
    popularity: 2,
    noise: 0.4,
  },
  random: {
    relevance: 0,
    popularity: 0,
    noise: 1,
  },
  head: {
    relevance: 0.9,
    popularity: 0,
    noise: 0.9,
  },
  perfect: {
    relevance: 1000,
    popularity: 0,
    noise: 1,
  },
};

/** Lists of one ranker: per user the best items, best first. */
export type Lists = readonly Int32Array[];

/** Lists of `ranker` for all users, cut at `listLength`; ties go to the lower item index. */
export function rankLists(
  ranker: RankerName,
  world: World,
  options: SimulationOptions,
  random: Random,
): Lists {
  const { relevance, popularity, noise } = TASTES[ranker];
  const z = standardised(world.targetPopularity.map(Math.log));
  const scores = new Float64Array(z.length);
  const all = Int32Array.from(scores.keys());
  const byPopularity = all.slice().sort((a, b) => z[b] - z[a] || a - b);
  const heads = byPopularity.subarray(0, options.listLength);
  return world.relevant.map((relevant) => {
    for (let item = 0; item < z.length; item++) {
      scores[item] = popularity * z[item] + noise * random.normal();
    }
    for (const item of relevant) {
      scores[item] += relevance;
    }
    return best(ranker === 'head' ? heads : all, scores, options.listLength);
  });
}

/**
 * The `length` items with the highest scores, best first; ties go to the lower index.
 *
 * @param items ascending, at least `length` of them.
 */
function best(items: Int32Array, scores: Float64Array, length: number): Int32Array {
  const byScore = (a: number, b: number) => scores[b] - scores[a] || a - b;
  const found = items.slice(0, length).sort(byScore);
  // All that follow have a higher index than what is found, so they need a higher score.
  for (let n = length; n < items.length; n++) {
    const item = items[n];
    const score = scores[item];
    if (!(score > scores[found[length - 1]])) continue;
    let place = 0;
    for (let end = length - 1; place < end; ) {
      const middle = (place + end) >>> 1;
      if (scores[found[middle]] < score) {
        end = middle;
      } else {
        place = middle + 1;
      }
    }
    found.copyWithin(place + 1, place, length - 1);
    found[place] = item;
  }
  return found;
}

function standardised(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length;
  // A flat catalogue has no popular items.
  return values.map((x) => (variance > 0 ? (x - mean) / Math.sqrt(variance) : 0));
}

/** A list with the propensity of each item at its position. */
interface DrawnList {
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
  {
    epsilon,
    places,
  }: {
    readonly epsilon: number;
    readonly places: number;
  },
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
