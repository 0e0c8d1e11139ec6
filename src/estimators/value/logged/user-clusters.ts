import { REQUEST_CLUSTERS, type WindowRequests } from '../../../state/requests/window-requests.js';
import { inSlices } from '../../slices.js';

/** Up to so many users, and sums by user and place (8 bytes each), a user is a cluster. */
const MOST_USERS = 2 ** 15;
const MOST_CELLS = 2 ** 17;

/** To which cluster the users of a window's requests belong. */
export interface UserClusters {
  readonly clusters: number;
  /** By pane and request; of requests that were not asked for it says nothing. */
  readonly of: ReadonlyMap<WindowRequests, ArrayLike<number>>;
}

/** Groups of users by their hash, as arms have them. */
export function hashClusters(panes: readonly WindowRequests[]): UserClusters {
  return { clusters: REQUEST_CLUSTERS, of: new Map(panes.map((pane) => [pane, pane.cluster])) };
}

/**
 * Each user by itself where there are few, else groups of them. Rewards of a logger are few and
 * weighed unequally: 64 groups say less about their spread than users do.
 *
 * Users are told apart by the 32-bit hash of their ids, and numbered in its order, so that sums round
 * alike whatever the order of the log. O(requests).
 *
 * @param kept by pane: places of the requests, all with logged propensities.
 */
export function* userClusters(
  panes: readonly WindowRequests[],
  kept: readonly Int32Array[],
  places: number,
): Generator<void, UserClusters> {
  const most = Math.min(MOST_USERS, MOST_CELLS / Math.max(1, places));
  const users = new Set<number>();
  for (const [p, { userHash }] of panes.entries()) {
    const own = kept[p];
    yield* inSlices(own.length, (from, to) => {
      for (let n = from; n < to && users.size <= most; n++) users.add(userHash![own[n]]);
    });
  }
  if (users.size > most) return hashClusters(panes);
  const numbers = new Map([...users].sort((a, b) => a - b).map((hash, n) => [hash, n]));
  const of = new Map<WindowRequests, Int32Array>();
  for (const [p, pane] of panes.entries()) {
    const clusters = new Int32Array(pane.length);
    for (const q of kept[p]) clusters[q] = numbers.get(pane.userHash![q])!;
    of.set(pane, clusters);
    yield;
  }
  return { clusters: users.size, of };
}
