import { REQUEST_CLUSTERS, type WindowRequests } from '../../../state/requests/pane-requests.js';
import type { KeptRequests } from '../request-shares.js';

/**
 * Each user is a cluster if there are at most this number of users, and at most `MOST_CELLS` sums
 * by user and position (8 bytes each).
 */
const MOST_USERS = 2 ** 15;
const MOST_CELLS = 2 ** 17;

/** Clusters of the users of a window's requests. */
export interface UserClusters {
  readonly clusters: number;
  /**
   * By pane, then by request: index of the cluster. It means nothing for requests that were not
   * selected.
   */
  readonly of: ReadonlyMap<WindowRequests, ArrayLike<number>>;
}

/** Take the groups of users by hash as clusters, as for values from arms. */
export function hashClusters(panes: readonly WindowRequests[]): UserClusters {
  return {
    clusters: REQUEST_CLUSTERS,
    of: new Map(panes.map((pane) => [pane, pane.cluster])),
  };
}

/**
 * Choose the clusters for errors: each user if there are few users, otherwise each group of users.
 * Rewards of a logger are few and unequally weighted, so users give a better variance estimate than
 * 64 groups.
 *
 * A user is identified by the 32-bit hash of the id. Users are numbered in the order of their
 * hashes, so that rounding does not depend on the order of the log. O(requests).
 *
 * @param requests all with logged propensities. @param places length of the longest list.
 */
export function userClusters(requests: readonly KeptRequests[], places: number): UserClusters {
  const most = Math.min(MOST_USERS, MOST_CELLS / Math.max(1, places));
  const hashes = new Set<number>();
  for (const { pane, kept } of requests) {
    for (let n = 0; n < kept.length && hashes.size <= most; n++) {
      hashes.add(pane.userHash![kept[n]]);
    }
  }
  if (hashes.size > most) return hashClusters(requests.map(({ pane }) => pane));
  const ascending = [...hashes].sort((a, b) => a - b);
  const numbers = new Map(ascending.map((hash, n) => [hash, n]));
  const of = new Map<WindowRequests, Int32Array>();
  for (const { pane, kept } of requests) {
    const clusters = new Int32Array(pane.length);
    for (const q of kept) {
      clusters[q] = numbers.get(pane.userHash![q])!;
    }
    of.set(pane, clusters);
  }
  return {
    clusters: numbers.size,
    of,
  };
}
