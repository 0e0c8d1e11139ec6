import type { Random } from '../estimators/mathematics/random.js';
import type { RankerName, SimulationOptions } from './options.js';
import type { World } from './world.js';

/**
 * Weights of a ranker's score of user u and item i: score = relevance · 1{i ∈ S_u} + popularity ·
 * z_i + noise · N(0, 1), with z_i = ln n*_i standardised over the catalogue.
 */
interface Taste {
  readonly relevance: number;
  readonly popularity: number;
  readonly noise: number;
}

/**
 * Weights of each ranker. `personal` knows the user and, like a ranker trained with inverse
 * propensities, prefers rare items. `blend` knows less about the user and prefers popular items.
 * `popular` favours popular items most. `head` ranks only the most popular items, as many as a list
 * has, and `perfect` ranks all relevant items before the others.
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

/** Lists of one ranker by user: item indices, best first. */
export type Lists = readonly Int32Array[];

/**
 * Rank the items for every user; lists are cut at `listLength`. Ties go to the lower item index.
 */
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
 * Find the `length` items with the highest scores, best first. Ties go to the lower index.
 *
 * @param items ascending, at least `length` of them.
 */
function best(items: Int32Array, scores: Float64Array, length: number): Int32Array {
  const byScore = (a: number, b: number) => scores[b] - scores[a] || a - b;
  const found = items.slice(0, length).sort(byScore);
  // The remaining items have higher indices than those found, so at equal scores they rank lower.
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
  // In a catalogue of equally popular items, all z are 0.
  return values.map((x) => (variance > 0 ? (x - mean) / Math.sqrt(variance) : 0));
}

/** A list with the probability of each item at its position. */
interface DrawnList {
  readonly list: readonly number[];
  readonly propensities: readonly number[];
}

/**
 * Draw a list of a stochastic logger: the first ranker's list or, with probability ε, K distinct
 * items in random order from those on the first K positions of any ranker.
 *
 * P(i at k) = (1 − ε) 1{i is at k in the first ranker's list} + ε / N, with N the number of items
 * to draw from. So whatever a ranker has on its first K positions may be shown there.
 *
 * @param rankers lists by ranker; the first ranker is the one that is followed. @param places K.
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
