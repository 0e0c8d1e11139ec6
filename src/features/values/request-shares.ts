import { mostRequests } from '../../estimators/evidence/unit-of-draw.js';
import {
  type PaneRequests,
  SHARE_ROUNDING,
  UNUSABLE,
  type WindowRequests,
} from '../../state/requests/pane-requests.js';
import { runsOf, shareIn } from '../../state/requests/request-kinds.js';

/** Some requests of a pane. */
export interface KeptRequests {
  readonly pane: WindowRequests;
  /** Indices of these requests in the pane, ascending. */
  readonly kept: Int32Array;
}

/** Usable requests of some panes, with facts about all requests. */
export interface UsableRequests {
  readonly panes: readonly KeptRequests[];
  /**
   * Sampling level, the same for all panes. Requests with a lower `depth`, which comes from their
   * hash, are left out.
   */
  readonly level: number;
  /**
   * Requests of at least this `depth` have all items of their lists; others have only the rewarded
   * items.
   */
  readonly listedLevel: number;
  /** Whether shares are logged. Shares of a request with complete lists then sum to 1. */
  readonly isStated: boolean;
  /** Number of requests in the sample, and number of usable ones. */
  readonly all: number;
  readonly usable: number;
  /** Number of ranks in use. */
  readonly places: number;
  /** Times of the first and the last of all requests, ms. */
  readonly first: number;
  readonly last: number;
}

/**
 * Find the requests that can be evaluated. If any request has shares that sum to 1, a request whose
 * shares do not is incomplete. If none has, shares are not logged, and only served models have a
 * value.
 *
 * A request with the propensities of a stochastic logger does not belong to an arm. If there are
 * such requests and no shares, propensities are logged, and a request without them is incomplete.
 *
 * @param areLogged whether to return requests with propensities instead of those of arms.
 */
export function usableRequests(
  panes: readonly WindowRequests[],
  areLogged = false,
): UsableRequests {
  const bounds = boundsOf(panes);
  // Weights need all shown lists.
  const level = Math.max(bounds.level, areLogged ? bounds.listedLevel : 0);
  const { all, served, complete, logged } = dividedRequests(panes, level);
  const found = {
    ...bounds,
    level,
  };
  const drawn = sizeOf(logged);
  const isStated = sizeOf(complete) > 0;
  const isOfArms = isStated || drawn === 0;
  if (areLogged) {
    return {
      ...found,
      panes: logged,
      usable: drawn,
      isStated: false,
      all: isOfArms ? drawn : all,
    };
  }
  if (!isOfArms) {
    return {
      ...found,
      panes: [],
      usable: 0,
      isStated,
      all: 0,
    };
  }
  const kept = isStated ? complete : served;
  return {
    ...found,
    panes: kept,
    usable: sizeOf(kept),
    isStated,
    all: all - drawn,
  };
}

type Bounds = Pick<UsableRequests, 'level' | 'listedLevel' | 'places' | 'first' | 'last'>;

function boundsOf(panes: readonly WindowRequests[]): Bounds {
  let level = 0;
  let listedLevel = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const pane of panes) {
    level = Math.max(level, pane.level);
    listedLevel = Math.max(listedLevel, pane.listedLevel);
    for (let q = 0; q < pane.length; q++) {
      first = Math.min(first, pane.ts[q]);
      last = Math.max(last, pane.ts[q]);
    }
  }
  return {
    level,
    listedLevel,
    places: placesOf(panes),
    first,
    last,
  };
}

/** Number of ranks in use: no item of the panes has this rank or a later one. */
export function placesOf(panes: readonly WindowRequests[]): number {
  return panes.reduce((most, { places }) => Math.max(most, places), 0);
}

/** Requests of a sample, grouped by what can be done with them. */
interface DividedRequests {
  /** Number of requests, including unusable ones. */
  readonly all: number;
  /**
   * Requests by use. `served`: an arm served the request. `complete`: an arm served it, and the
   * shares of its lists sum to 1. `logged`: a logger served it with propensities.
   */
  readonly served: readonly KeptRequests[];
  readonly complete: readonly KeptRequests[];
  readonly logged: readonly KeptRequests[];
}

function dividedRequests(panes: readonly WindowRequests[], level: number): DividedRequests {
  const served: KeptRequests[] = [];
  const complete: KeptRequests[] = [];
  const logged: KeptRequests[] = [];
  let all = 0;
  for (const pane of panes) {
    const ofArms = new Int32Array(pane.length);
    const ofAll = new Int32Array(pane.length);
    const ofLoggers = new Int32Array(pane.logged === undefined ? 0 : pane.length);
    const isWhole = wholeKinds(pane);
    let used = 0;
    let whole = 0;
    let drawn = 0;
    for (let q = 0; q < pane.length; q++) {
      if (pane.depth[q] < level) continue;
      all++;
      if (pane.served[q] === UNUSABLE) continue;
      if (isLogged(pane, q)) {
        ofLoggers[drawn++] = q;
      } else {
        ofArms[used++] = q;
        if (isWhole[pane.kind[q]] === 1) {
          ofAll[whole++] = q;
        }
      }
    }
    served.push({
      pane,
      kept: ofArms.subarray(0, used),
    });
    complete.push({
      pane,
      kept: ofAll.subarray(0, whole),
    });
    logged.push({
      pane,
      kept: ofLoggers.subarray(0, drawn),
    });
  }
  return {
    all,
    served,
    complete,
    logged,
  };
}

/** Whether a logger drew the served list and logged its propensities. */
export function isLogged({ logged }: WindowRequests, q: number): boolean {
  return logged !== undefined && logged.kind[q] > 0;
}

/** Remove requests of crawlers: only the first requests of a user count, see `mostOfUser`. */
export function withoutCrawlers(found: UsableRequests): UsableRequests {
  const most = mostOfUser(found.panes);
  const panes = firstOfEach(found.panes, most);
  const dropped = sizeOf(found.panes) - sizeOf(panes);
  return {
    ...found,
    panes,
    all: found.all - dropped,
    usable: found.usable - dropped,
  };
}

/** Limit on requests per user: ten times the users' median, at least 20. */
export function mostOfUser(requests: readonly KeptRequests[]): number {
  const counts = requestsByUser(requests);
  return mostRequests(medianOf(counts.filter((each) => each > 0).sort()));
}

/** Keep the first requests of each user, up to a limit. */
export function firstOfEach(
  requests: readonly KeptRequests[],
  most: number,
): readonly KeptRequests[] {
  const counts = requestsByUser(requests);
  if (!counts.some((each) => each > most)) return requests;
  counts.fill(0);
  const firsts: KeptRequests[] = [];
  for (const { pane, kept } of requests) {
    firsts.push({
      pane,
      kept: kept.filter((q) => counts[pane.user[q]]++ < most),
    });
  }
  return firsts;
}

function sizeOf(requests: readonly KeptRequests[]): number {
  return requests.reduce((sum, { kept }) => sum + kept.length, 0);
}

function requestsByUser(requests: readonly KeptRequests[]): Int32Array {
  let users = 0;
  for (const { pane, kept } of requests) {
    for (let n = 0; n < kept.length; n++) {
      users = Math.max(users, pane.user[kept[n]] + 1);
    }
  }
  const counts = new Int32Array(users);
  for (const { pane, kept } of requests) {
    for (let n = 0; n < kept.length; n++) {
      counts[pane.user[kept[n]]]++;
    }
  }
  return counts;
}

/** Median; 0 of an empty array. */
function medianOf(ascending: Int32Array): number {
  const at = (place: number) => ascending[Math.floor(place)] ?? 0;
  return (at((ascending.length - 1) / 2) + at(ascending.length / 2)) / 2;
}

/** Share of usable requests that are still collecting rewards at the given time, ms. */
export function pendingShare(
  { panes, usable }: UsableRequests,
  horizonMs: number,
  at: number,
): number {
  let pending = 0;
  for (const { pane, kept } of panes) {
    for (let n = 0; n < kept.length; n++) {
      if (pane.ts[kept[n]] + horizonMs > at) {
        pending++;
      }
    }
  }
  return pending / usable;
}

/** By kind of request: 1 if the stated shares of its lists sum to 1. */
export function wholeKinds({ kinds }: Pick<PaneRequests, 'kinds'>): Uint8Array {
  const isWhole = new Uint8Array(kinds.length);
  for (const { run, end } of runsOf(kinds)) {
    for (let kind = run.firstKind; kind < end; kind++) {
      let sum = 0;
      for (let n = 0; n < run.models.length; n++) {
        sum += shareIn(kinds, run, kind, n) || 0;
      }
      if (Math.abs(sum - 1) <= SHARE_ROUNDING) {
        isWhole[kind] = 1;
      }
    }
  }
  return isWhole;
}
