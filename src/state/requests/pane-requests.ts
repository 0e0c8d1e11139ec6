import { type RowSegments, takenSegments } from '../panes/row-segments.js';
import { kindsOnly, kindsWithModels, type RequestKinds } from './request-kinds.js';

/** Number of clusters that users are divided into, by hash. */
export const REQUEST_CLUSTERS = 64;

/**
 * Requests of a pane as input of estimators. Models are columns, and each user belongs to a
 * cluster.
 */
export type WindowRequests = PaneRequests & {
  /** Cluster of the request's user, below `REQUEST_CLUSTERS`. */
  readonly cluster: Uint8Array;
  /** Hash of the user's id; undefined without logged propensities. */
  readonly userHash?: Int32Array | undefined;
};

/**
 * Prepare the requests of all panes up to `lastPane` for estimators.
 *
 * @param models numbers, in the order of the columns. @param hashOf hash of a user's id
 * @throws RangeError if there are requests but no hashes; user numbers depend on the order of
 * arrival
 */
export function windowRequests(
  panes: readonly PaneRequests[],
  lastPane: number,
  models: readonly number[],
  hashOf: ((user: number) => number) | undefined,
): WindowRequests[] {
  if (panes.length > 0 && hashOf === undefined) {
    throw new RangeError('Requests need hashes of the ids of their users.');
  }
  const columns = new Map(models.map((model, column) => [model, column]));
  const found: WindowRequests[] = [];
  for (const each of panes) {
    if (each.pane > lastPane) continue;
    const requests = withRequestModels(each, (model) => columns.get(model));
    const { user } = requests;
    const cluster = new Uint8Array(user.length);
    const userHash = requests.logged && new Int32Array(user.length);
    for (let q = 0; q < user.length; q++) {
      const hash = hashOf!(user[q]);
      cluster[q] = hash & (REQUEST_CLUSTERS - 1);
      if (userHash !== undefined) {
        userHash[q] = hash;
      }
    }
    found.push({
      ...requests,
      cluster,
      userHash,
    });
  }
  return found;
}

/**
 * Amount by which the serving probabilities of a request may exceed 1 in total, due to rounding.
 */
export const SHARE_ROUNDING = 1e-6;

/** Value of `PaneRequests.served` for a request that cannot be used because of a fault. */
export const UNUSABLE = 0xffff;

const UNKNOWN_HISTORY = 0xff;
/** Number of steps of `historyCode` per unit of the logarithm ln(1 + n). */
const HISTORY_STEPS = 16;

/**
 * Encode ln(1 + n) in a byte, for a number n of interactions. −1 means that the number is unknown.
 */
export function historyCode(interactions: number): number {
  if (interactions < 0) return UNKNOWN_HISTORY;
  return Math.min(UNKNOWN_HISTORY - 1, Math.round(HISTORY_STEPS * Math.log1p(interactions)));
}

/** Decode `historyCode`; NaN if unknown. */
export function historyLogarithm(code: number = UNKNOWN_HISTORY): number {
  return code === UNKNOWN_HISTORY ? Number.NaN : code / HISTORY_STEPS;
}

/** Item number of an unknown item. */
export const UNKNOWN_ITEM = -1;

/**
 * Items of requests, a row each: all visible items of a sample of requests, and only the rewarded
 * items of the others.
 */
export interface RequestItems {
  readonly length: number;
  /** Item numbers; `UNKNOWN_ITEM` in older checkpoints. */
  readonly item: Int32Array;
  /**
   * Reward of the item in the served list: that of the best action on the item, or the sum of the
   * values of its events. 0 if there is none.
   */
  readonly reward: Float64Array;
  /** By model: 0-based rank in the request's list, or `NOT_IN_LIST`. */
  readonly ranks: readonly (Uint16Array | undefined)[];
}

/**
 * The randomised list of each request. It belongs to a challenger if a stochastic logger served the
 * request, otherwise to an arm. 8 bytes per request.
 */
export interface DrawnLists {
  /** Model of the list; `UNUSABLE` if a request has none or more than one. */
  readonly model: Uint16Array;
  /** M, number of candidates; 0 if unknown. */
  readonly candidates: Int32Array;
  /** Positions of the page that the list fills: from `start` to `end`, exclusive. */
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

/**
 * Requests that a stochastic logger served. Instead of shares of their lists, they have logged
 * propensities of the shown items. Such a request stores the shown items from the top, rewarded or
 * not; if its depth is below `listedLevel`, it stores no items. If its depth is at least
 * `wholeLevel`, the items that only its other lists contain follow. 1 byte per request, 4 per item.
 */
export interface LoggedRequests {
  /**
   * By request: 1 + index of the kind of propensities in `PROPENSITY_KINDS`; 0 if no logger served
   * the request.
   */
  readonly kind: Uint8Array;
  /**
   * By item row: propensity of the item; 0 if the item was not shown, or if no logger served the
   * request.
   */
  readonly propensity: Float32Array;
  /** Least depth of requests that store the items of all their lists; Infinity if none does. */
  readonly wholeLevel: number;
}

/**
 * The requests that closed with a pane, after their horizon had passed. Each request takes 24
 * bytes, 2 more for each segment dimension, and 8 more with randomised lists. Each item takes 12
 * bytes, 2 more for each model, and 4 more with logged propensities. If every request has shares of
 * its own, these take the bytes given by `codingOf`. Immutable.
 */
export interface PaneRequests {
  /** Number of the pane. */
  readonly pane: number;
  /** Sampling level by hash: requests of smaller depth were dropped. */
  readonly level: number;
  /** Least depth of requests that store all visible items, and not only rewarded ones. */
  readonly listedLevel: number;
  /** Largest number of visible positions of a request. */
  readonly places: number;
  readonly length: number;
  readonly user: Int32Array;
  /** Time of the request's first list, ms. */
  readonly ts: Float64Array;
  /** `historyCode` of the user's earlier interactions; undefined if unknown for all requests. */
  readonly history?: Uint8Array | undefined;
  /** Segment values of the request's user; undefined without dimensions by user. */
  readonly segments?: RowSegments | undefined;
  /** Sampling depth of the request (`requestDepth`). */
  readonly depth: Uint8Array;
  /** The model whose list was served, or `UNUSABLE`. */
  readonly served: Uint16Array;
  /** Index in `kinds` of the request's models and shares. */
  readonly kind: Int32Array;
  /** Request q has items firstItem[q] to firstItem[q + 1] − 1. */
  readonly firstItem: Int32Array;
  readonly kinds: RequestKinds;
  readonly items: RequestItems;
  /** Randomised lists; undefined if there are none. */
  readonly drawn?: DrawnLists | undefined;
  /** Propensities logged by a stochastic logger; undefined if there are none. */
  readonly logged?: LoggedRequests | undefined;
}

/**
 * Keep the requests of some users; unchanged if there are no others, undefined if none are left.
 */
export function retainedRequests(
  requests: PaneRequests,
  isKept: (user: number) => boolean,
): PaneRequests | undefined {
  const { length, user, firstItem, items } = requests;
  const kept: number[] = [];
  for (let q = 0; q < length; q++) {
    if (isKept(user[q])) {
      kept.push(q);
    }
  }
  if (kept.length === length) return requests;
  if (kept.length === 0) return undefined;
  const starts = new Int32Array(kept.length + 1);
  for (const [at, q] of kept.entries()) {
    starts[at + 1] = starts[at] + firstItem[q + 1] - firstItem[q];
  }
  const rows = new Int32Array(starts[kept.length]);
  for (const [at, q] of kept.entries()) {
    for (let row = starts[at]; row < starts[at + 1]; row++) {
      rows[row] = firstItem[q] + row - starts[at];
    }
  }
  const kinds = kindsOnly(
    requests.kinds,
    Int32Array.from(kept, (q) => requests.kind[q]),
  );
  return {
    ...requests,
    ...kinds,
    length: kept.length,
    user: Int32Array.from(kept, (q) => user[q]),
    ts: Float64Array.from(kept, (q) => requests.ts[q]),
    history: requests.history && Uint8Array.from(kept, (q) => requests.history![q]),
    segments: requests.segments && takenSegments(requests.segments, Int32Array.from(kept)),
    depth: Uint8Array.from(kept, (q) => requests.depth[q]),
    served: Uint16Array.from(kept, (q) => requests.served[q]),
    firstItem: starts,
    drawn: requests.drawn && drawnOf(requests.drawn, kept),
    logged: requests.logged && {
      ...requests.logged,
      kind: Uint8Array.from(kept, (q) => requests.logged!.kind[q]),
      propensity: Float32Array.from(rows, (row) => requests.logged!.propensity[row]),
    },
    items: {
      length: rows.length,
      item: Int32Array.from(rows, (row) => items.item[row]),
      reward: Float64Array.from(rows, (row) => items.reward[row]),
      ranks: items.ranks.map((column) => column && Uint16Array.from(rows, (row) => column[row])),
    },
  };
}

/**
 * Renumber the models. Lists of a model without a number are dropped; a request that was served one
 * cannot be used.
 */
export function withRequestModels(
  requests: PaneRequests,
  numberOf: (model: number) => number | undefined,
): PaneRequests {
  const ranks: (Uint16Array | undefined)[] = [];
  for (const [model, column] of requests.items.ranks.entries()) {
    const number = column && numberOf(model);
    if (number === undefined) continue;
    while (ranks.length < number) {
      ranks.push(undefined);
    }
    ranks[number] = column;
  }
  return {
    ...requests,
    served: withNumbers(requests.served, numberOf),
    kinds: kindsWithModels(requests.kinds, numberOf),
    items: {
      ...requests.items,
      ranks,
    },
    drawn: requests.drawn && {
      ...requests.drawn,
      model: withNumbers(requests.drawn.model, numberOf),
    },
  };
}

/** Randomised lists of some of the requests. */
function drawnOf(drawn: DrawnLists, kept: readonly number[]): DrawnLists {
  return {
    model: Uint16Array.from(kept, (q) => drawn.model[q]),
    candidates: Int32Array.from(kept, (q) => drawn.candidates[q]),
    start: Uint8Array.from(kept, (q) => drawn.start[q]),
    end: Uint8Array.from(kept, (q) => drawn.end[q]),
  };
}

/** Renumber models; each model is looked up once. */
function withNumbers(
  served: Uint16Array,
  numberOf: (model: number) => number | undefined,
): Uint16Array {
  const numbers: number[] = [];
  const changed = new Uint16Array(served.length);
  for (let q = 0; q < served.length; q++) {
    const model = served[q];
    if (model !== UNUSABLE) {
      numbers[model] ??= numberOf(model) ?? UNUSABLE;
    }
    changed[q] = model === UNUSABLE ? UNUSABLE : numbers[model];
  }
  return changed;
}
