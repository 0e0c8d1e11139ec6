import type { RankPatterns } from './rank-patterns.js';

/**
 * The ranks whose examination clicks compare with the first place.
 *
 * Rank k was preferred to rank j if an item that could stand at both was clicked at k. The likelihood
 * has a maximum over the ranks that are joined to rank 0 by such preferences both ways.
 *
 * **Source**: L. R. Ford, Solution of a ranking problem from binary comparisons, 1957.
 * O(patterns · ranks²).
 *
 * @returns by rank, 1 if it is identified; rank 0 always is.
 */
export function identifiedRanks({ ranks, chances, clicks }: RankPatterns): Uint8Array {
  const preferred = new Uint8Array(ranks * ranks);
  for (let p = 0; p < chances.length; p++) {
    for (let k = 0; k < ranks; k++) {
      if (clicks[p][k] === 0) continue;
      for (let j = 0; j < ranks; j++) if (chances[p][j] > 0) preferred[k * ranks + j] = 1;
    }
  }
  const down = reached(ranks, (k, j) => preferred[k * ranks + j] === 1);
  const up = reached(ranks, (k, j) => preferred[j * ranks + k] === 1);
  return down.map((isReached, k) => (isReached === 1 && up[k] === 1 ? 1 : 0));
}

/** What can be reached from rank 0. */
function reached(ranks: number, leads: (from: number, to: number) => boolean): Uint8Array {
  const seen = new Uint8Array(ranks);
  const open = [0];
  seen[0] = 1;
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (let to = 0; to < ranks; to++) {
      if (seen[to] === 1 || !leads(from, to)) continue;
      seen[to] = 1;
      open.push(to);
    }
  }
  return seen;
}
