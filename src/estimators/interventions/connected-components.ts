import type { UserRows } from './user-rows.js';

/**
 * Number of connected components of the graph whose edges are the rows, between users and items.
 *
 * Union–find over items: a user joins all items of its rows. O(rows α(items)).
 * Source: Tarjan 1975 (path halving).
 *
 * @param items number of items. @param sliceRows rows of work between two yields.
 * @returns 0 without rows.
 * By hand: u1: i1, i2; u2: i2; u3: i3 — two components.
 */
export function* connectedComponents(
  parts: readonly UserRows[],
  items: number,
  sliceRows: number,
): Generator<void, number> {
  const parent = new Int32Array(items).fill(-1);
  let components = 0;
  let work = 0;
  for (const { users, userStart, item } of parts) {
    for (let u = 0; u < users; u++) {
      const from = userStart[u];
      for (let r = from; r < userStart[u + 1]; r++) {
        if (parent[item[r]] === -1) {
          parent[item[r]] = item[r];
          components++;
        }
        const root = rootOf(parent, item[r]);
        const first = rootOf(parent, item[from]);
        if (root === first) continue;
        parent[root] = first;
        components--;
      }
      work += userStart[u + 1] - from;
      if (work >= sliceRows) {
        work = 0;
        yield;
      }
    }
  }
  return components;
}

function rootOf(parent: Int32Array, node: number): number {
  let at = node;
  while (parent[at] !== at) {
    parent[at] = parent[parent[at]];
    at = parent[at];
  }
  return at;
}
