import { HAS_PROPENSITIES, RANDOMIZED } from '../../events/columns.js';
import type { PendingExposures } from '../panes/pending-exposures.js';
import {
  type LoggedChances,
  type OpenRequest,
  type RequestOptions,
  requestDepth,
} from './open-request.js';
import {
  type DrawnLists,
  historyCode,
  type LoggedRequests,
  type PaneRequests,
  SHARE_ROUNDING,
  UNUSABLE,
} from './pane-requests.js';
import type { RequestFault, RequestTally } from './request-faults.js';
import { RequestItemsBuilder, seenOf, visiblePlaces } from './request-items.js';
import { KindNumbers } from './request-kinds.js';

/** Propensities must be above this value: below it, a reward would weigh more than a billion. */
export const LEAST_PROPENSITY = 1e-9;

/** Propensities logged with an exposure, one per item; undefined if none are logged. */
export function loggedChances(from: PendingExposures, r: number): LoggedChances | undefined {
  if ((from.flags[r] & HAS_PROPENSITIES) === 0) return undefined;
  const propensities = from.propensities.subarray(from.listStart[r], from.listStart[r + 1]);
  return {
    kind: from.requests.propensityOf[r],
    propensities,
  };
}

/**
 * The logged propensities of a request's served list. Undefined if none are logged, or if any list
 * of the request states a share (probability to be served).
 */
function loggedOf({ lists, served }: OpenRequest): LoggedChances | undefined {
  if (lists.some(({ share }) => share > 0)) return undefined;
  return lists.find(({ model }) => model === served!.model)?.logged;
}

/** Builds the logged propensities of requests. */
class LoggedRequestsBuilder {
  readonly #length: number;
  #kind: Uint8Array | undefined;
  readonly #propensity: number[] = [];

  /** @param length number of requests. */
  constructor(length: number) {
    this.#length = length;
  }

  /**
   * Add the propensities of the first `places` items of a request.
   *
   * @param q index of the request, which was served. @param row of its first item.
   */
  add(q: number, { kind, propensities }: LoggedChances, row: number, places: number): void {
    this.#kind ??= new Uint8Array(this.#length);
    this.#kind[q] = 1 + kind;
    for (let at = 0; at < places; at++) {
      this.#propensity[row + at] = propensities[at];
    }
  }

  /**
   * @param items number of item rows of all requests. @returns undefined without logged
   * propensities.
   */
  build(items: number, wholeLevel: number): LoggedRequests | undefined {
    if (this.#kind === undefined) return undefined;
    const propensity = new Float32Array(items);
    // Rows of other requests have no propensity.
    for (let row = 0; row < items; row++) {
      propensity[row] = this.#propensity[row] ?? 0;
    }
    return {
      kind: this.#kind,
      propensity,
      wholeLevel,
    };
  }
}

/**
 * Number of candidates of a randomised list: stated, or 1 / p if all of its items have the same
 * propensity p. 0 if unknown, NaN if the list is not randomised.
 */
export function drawnFrom(from: PendingExposures, r: number): number {
  const flags = from.flags[r];
  if ((flags & RANDOMIZED) === 0) return Number.NaN;
  if (from.candidates[r] > 0) return from.candidates[r];
  if ((flags & HAS_PROPENSITIES) === 0 || from.requests.propensityOf[r] !== 0) return 0;
  const start = from.listStart[r];
  const end = from.listStart[r + 1];
  const chances = from.propensities.subarray(start, end);
  const candidates = Math.round(1 / chances[0]);
  const isUniform = chances.every((each) => each === chances[0]);
  return isUniform && candidates >= chances.length ? candidates : 0;
}

/**
 * Builds the randomised lists of requests. If a request has two randomised lists, both are treated
 * like other lists.
 */
class DrawnListsBuilder {
  readonly #length: number;
  #drawn: DrawnLists | undefined;

  /** @param length number of requests. */
  constructor(length: number) {
    this.#length = length;
  }

  /**
   * Add the randomised list of a request, if it has exactly one.
   *
   * @param q index of the request, which was served. @param isLogged whether a stochastic logger
   * served the request. If so, the randomised list belongs to a challenger, otherwise to an arm.
   */
  add(q: number, request: OpenRequest, isLogged: boolean): void {
    const drawn = request.lists.filter(({ model, share, candidates }) => {
      return candidates >= 0 && (isLogged ? model !== request.served!.model : share > 0);
    });
    if (drawn.length !== 1) return;
    const [{ model, candidates, firstRank }] = drawn;
    this.#drawn ??= noneDrawn(this.#length);
    const places = visiblePlaces(request);
    this.#drawn.model[q] = model;
    this.#drawn.candidates[q] = candidates;
    this.#drawn.start[q] = Math.min(firstRank, places);
    this.#drawn.end[q] = this.#drawn.start[q] + seenOf(drawn[0], places);
  }

  /** Return the randomised lists; undefined if there are none. */
  build(): DrawnLists | undefined {
    return this.#drawn;
  }
}

function noneDrawn(length: number): DrawnLists {
  return {
    model: new Uint16Array(length).fill(UNUSABLE),
    candidates: new Int32Array(length),
    start: new Uint8Array(length),
    end: new Uint8Array(length),
  };
}

/**
 * Number of list items that a pane may store, per request that the limit on requests allows. If the
 * pane's requests have more items, only a sample of the requests stores all of its items.
 */
const LISTED_ITEMS_A_REQUEST = 2;

/** Requests between two yields. */
const SLICE = 256;

/** Result of closing requests. */
export interface ClosedRequests {
  /** The closed requests; undefined if there are none. */
  readonly requests: PaneRequests | undefined;
  /** Numbers of invalid and dropped requests; undefined if there are none. */
  readonly tally: RequestTally | undefined;
}

export const NO_REQUESTS: ClosedRequests = {
  requests: undefined,
  tally: undefined,
};

/** Requests that close together, oldest first. */
export interface ClosingRequests {
  readonly length: number;
  /**
   * Sampling level, by the hash of request ids: requests of smaller depth were dropped.
   * `sampledOut` is the number of their served lists.
   */
  readonly level: number;
  readonly sampledOut: number;
  /** Read a request without copying; the content may be overwritten afterwards. */
  read(n: number): OpenRequest;
}

/**
 * Turn closed requests into rows: models, shares, ranks and rewards. An invalid request stays, with
 * `UNUSABLE` as its served model, so that losses are counted. Yields regularly.
 *
 * @param faults faults found so far; those found here are added.
 */
export function* closedRequests(
  pane: number,
  closing: ClosingRequests,
  faults: Map<RequestFault, number>,
  { limit }: Pick<RequestOptions, 'limit'>,
): Generator<void, ClosedRequests> {
  const { length, level, sampledOut } = closing;
  const isUsable = new Uint8Array(length);
  let listed = 0;
  let unshown = 0;
  for (let q = 0; q < length; q++) {
    if (q % SLICE === SLICE - 1) {
      yield;
    }
    const request = closing.read(q);
    const fault = faultOf(request);
    if (fault !== undefined) {
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
    } else {
      isUsable[q] = 1;
      const all = request.lists.reduce((sum, { items }) => sum + items.length, 0);
      const shown = loggedOf(request) === undefined ? all : request.served!.rewards.length;
      listed += shown;
      unshown += all - shown;
    }
  }
  const tally = faults.size === 0 && sampledOut === 0 ? undefined : { faults, sampledOut };
  if (length === 0) {
    return {
      requests: undefined,
      tally,
    };
  }
  const room = limit * LISTED_ITEMS_A_REQUEST;
  const listedLevel = levelOfListed(listed, level, room);
  // Lists that were not shown get the remaining room.
  const left = room - listed / 2 ** Math.max(0, listedLevel - level);
  const wholeLevel = Math.max(listedLevel, levelOfListed(unshown, level, left));
  const kindNumbers = new KindNumbers();
  const rows = new RequestItemsBuilder();
  const drawn = new DrawnListsBuilder(length);
  const logged = new LoggedRequestsBuilder(length);
  const columns = {
    user: new Int32Array(length),
    ts: new Float64Array(length),
    history: new Uint8Array(length),
    depth: new Uint8Array(length),
    served: new Uint16Array(length).fill(UNUSABLE),
    kind: new Int32Array(length),
    firstItem: new Int32Array(length + 1),
  };
  for (let q = 0; q < length; q++) {
    if (q % SLICE === SLICE - 1) {
      yield;
    }
    const request = closing.read(q);
    columns.user[q] = request.user;
    columns.ts[q] = request.ts;
    columns.history[q] = historyCode(request.history);
    columns.depth[q] = requestDepth(request.high);
    columns.kind[q] = kindNumbers.of(request.lists);
    if (isUsable[q] === 1) {
      columns.served[q] = request.served!.model;
      const chances = loggedOf(request);
      const isListed = columns.depth[q] >= listedLevel;
      drawn.add(q, request, chances !== undefined);
      if (chances === undefined) {
        rows.add(request, isListed);
      } else {
        const first = rows.length;
        const places = isListed ? rows.addServed(request, columns.depth[q] >= wholeLevel) : 0;
        logged.add(q, chances, first, places);
      }
    }
    columns.firstItem[q + 1] = rows.length;
  }
  const items = yield* rows.build();
  const { kinds, numbers } = kindNumbers.build();
  for (let q = 0; q < length; q++) {
    columns.kind[q] = numbers[columns.kind[q]];
  }
  const requests = {
    pane,
    level,
    listedLevel,
    places: rows.places,
    length,
    ...columns,
    kinds,
    items,
    drawn: drawn.build(),
    logged: logged.build(items.length, wholeLevel),
  };
  return { requests, tally };
}

function faultOf({ fault, served, lists }: OpenRequest): RequestFault | undefined {
  if (fault !== undefined) return fault;
  if (served === undefined) return 'nothing_served';
  const stated = lists.filter(({ share }) => share > 0);
  const sum = stated.reduce((total, { share }) => total + share, 0);
  return sum > 1 + SHARE_ROUNDING ? 'shares_over_one' : undefined;
}

/**
 * Sampling level at which the expected number of items is within the limit. The actual depths of
 * the requests are not used: a window uses the highest level of its panes, which would be far too
 * high if the level of each pane depended on its deepest requests.
 */
function levelOfListed(items: number, level: number, limit: number): number {
  return items <= limit ? 0 : level + Math.ceil(Math.log2(items / limit));
}
