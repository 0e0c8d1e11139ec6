import type { ServedLog } from './arms/served-log.js';

/**
 * A position is evaluated only if at least this share of requests shows it. Otherwise it has too
 * few clicks to estimate examination.
 */
const LEAST_SHOWN = 0.01;

/**
 * Number of positions that are evaluated: down to the deepest that 1 % of the requests show.
 *
 * d = max { k + 1 : n_k ≥ .01 Σ_j n_j }, n_k the requests whose served list ends at rank k or
 * deeper, over requests with all items; `places` if there are none. Deeper positions are left out
 * for all models. Their rewards are lost, but fewer than 1 % of the requests show them; with them,
 * a single long request would make examination uncertain for all. O(rows).
 *
 * @param places number of ranks in use. @returns number of positions.
 * @example
 * // one request with two places
 * const requests = { length: 1, arm: [0], stratum: [0], cluster: [0] };
 * const items = { length: 2, request: [0, 0], reward: [0, 0], ranks: [[0, 1]] };
 * const log = { models: ['a'], arms: [{ list: 0 }], shares: [[1]], clusters: 1, requests, items };
 * shownPlaces(log, 5); // 2
 */
export function shownPlaces(log: ServedLog, places: number): number {
  const ending = countEnds(log, places);
  const listed = ending.reduce((sum, each) => sum + each, 0);
  if (listed === 0) return places;
  let shown = 0;
  for (let depth = places; depth > 0; depth--) {
    shown += ending[depth];
    if (shown >= LEAST_SHOWN * listed) return depth;
  }
  return places;
}

/** Count the requests with all items by the length of their served list. */
function countEnds({ requests, items, arms }: ServedLog, places: number): Float64Array {
  const { arm, isListed } = requests;
  const ending = new Float64Array(places + 1);
  const ends = new Uint16Array(requests.length);
  const columns = arms.map(({ list }) => items.ranks[list]);
  for (let row = 0; row < items.length; row++) {
    const q = items.request[row];
    const rank = columns[arm[q]][row];
    if (rank < places && rank >= ends[q]) {
      ends[q] = rank + 1;
    }
  }
  for (let q = 0; q < requests.length; q++) {
    if (isListed === undefined || isListed[q] === 1) {
      ending[ends[q]]++;
    }
  }
  return ending;
}
