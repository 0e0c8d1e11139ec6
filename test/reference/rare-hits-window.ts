import {
  type ItemCounts,
  LIST_PARTIAL,
  NOT_IN_LIST,
  type WindowPart,
} from '../../src/state/panes/window-part.js';
import { repetitions } from '../support/repetitions.js';

/** Traffic of two models that hit seldom, whose truth is known. */
export interface RareWorld {
  readonly users: number;
  /** Rows of a user: from .. to, each number alike. */
  readonly rows: readonly [from: number, to: number];
  /** n_i; an item is drawn in proportion to n_i^exponent. */
  readonly popularity: readonly number[];
  readonly exponent: number;
  /** Chance of a hit of each model on an item of count n, before the user's part. */
  readonly rates: readonly [(n: number) => number, (n: number) => number];
  /** Half of the users hit (1 − spread) times as often, the others (1 + spread) times. */
  readonly spread: number;
  /** Share of the rows on which both models see the same luck. */
  readonly shared: number;
}

export const RARE_MODELS = ['a', 'b'];

export function rareCounts({ popularity }: RareWorld): ItemCounts {
  const counts = Float64Array.from(popularity);
  return {
    items: counts.length,
    popularity: counts,
    interactions: counts,
    randomized: new Float64Array(counts.length),
    compareIds: (a, b) => a - b,
  };
}

/** Users with their items, and how often each of them hits. */
function drawUsers(world: RareWorld, random: () => number) {
  const { rows, popularity, exponent, spread } = world;
  const ends: number[] = [];
  for (const n of popularity) ends.push((ends.at(-1) ?? 0) + n ** exponent);
  const drawItem = () => {
    const at = random() * ends.at(-1)!;
    return ends.findIndex((end) => at < end);
  };
  return Array.from({ length: world.users }, () => {
    const size = rows[0] + Math.floor(random() * (rows[1] - rows[0] + 1));
    const eagerness = random() < 0.5 ? 1 - spread : 1 + spread;
    return { eagerness, items: Array.from({ length: size }, drawItem) };
  });
}

/** A hit stands at rank 0, a miss outside the list. */
export function drawRareWindow(world: RareWorld, random: () => number): WindowPart {
  const users = drawUsers(world, random);
  const userStart = [0];
  for (const { items } of users) userStart.push(userStart.at(-1)! + items.length);
  const item = Int32Array.from(users.flatMap(({ items }) => items));
  const rows = item.length;
  const ranks = RARE_MODELS.map(() => new Uint16Array(rows).fill(NOT_IN_LIST));
  users.forEach(({ eagerness, items }, u) => {
    items.forEach((own, at) => {
      const luck = random();
      const isShared = random() < world.shared;
      world.rates.forEach((rate, m) => {
        const drawn = m === 0 || isShared ? luck : random();
        if (drawn < rate(world.popularity[own]) * eagerness) ranks[m][userStart[u] + at] = 0;
      });
    });
  });
  return {
    users: world.users,
    userStart: Int32Array.from(userStart),
    rows,
    item,
    ranks,
    userCount: Float64Array.from(users, ({ items }) => items.length),
    userRandomized: new Float64Array(world.users),
    userKey: new Int32Array(world.users),
    randomizedUsers: 0,
    randomizedItems: 0,
    positive: new Uint8Array(rows).fill(1),
    traffic: new Uint8Array(rows).fill(1),
    lists: RARE_MODELS.map(() => new Uint16Array(rows).fill(LIST_PARTIAL | 50)),
  };
}

/**
 * What the estimators of each model tend to as draws are repeated: chances instead of hits, over
 * many users.
 */
export function rareLimits(
  world: RareWorld,
  weightOf: (n: number) => number,
  random: () => number,
) {
  const users = drawUsers({ ...world, users: repetitions(10_000, 100_000) }, random);
  return world.rates.map((rate) => {
    let sum = 0;
    let total = 0;
    let mean = 0;
    for (const { eagerness, items } of users) {
      let own = 0;
      let weights = 0;
      for (const item of items) {
        const n = world.popularity[item];
        own += weightOf(n) * rate(n) * eagerness;
        weights += weightOf(n);
      }
      mean += own / weights / users.length;
      sum += own;
      total += weights;
    }
    return { user: mean, pooled: sum / total };
  });
}
