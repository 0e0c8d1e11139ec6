import type { ServedLog } from './arms/served-log.js';

/**
 * Smallest share of requests that show a position; below, it has too few clicks to estimate its
 * examination.
 */
const LEAST_SHOWN = 0.01;

/**
 * How many places of the page are valued: down to the deepest that one request of a hundred shows.
 *
 * d = max { k + 1 : n_k ≥ .01 Σ_j n_j }, n_k the requests whose served list ends at rank k or deeper,
 * over requests whose items are all there; `places` where there are none. What stands deeper is left
 * out for all models alike, and their lists are valued down to there: an arm loses what fewer than one
 * of a hundred requests earn behind it. Else one request with many places would make examination
 * uncertain for all.
 * Source: own. O(rows).
 *
 * @param places no item stands at this rank or below it. @returns 0-based rank behind the last.
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

/** Requests whose items are all there, by the rank behind their last item. */
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
