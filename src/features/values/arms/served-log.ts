import type { RowSegments } from '../../../state/panes/row-segments.js';

/** Requests with the lists of all models, one of which was served. One entry per request. */
export interface ServedRequests {
  readonly length: number;
  /** Index of the served arm in the log's `arms`. */
  readonly arm: ArrayLike<number>;
  /** Index of the declared shares in the log's `shares`; unused with `share`. */
  readonly stratum: ArrayLike<number>;
  /**
   * share[request · arms + arm]: the declared probability that the arm is served, if each request
   * has its own, for example by user or context. The log's `shares` are then not used.
   */
  readonly share?: ArrayLike<number>;
  /** Index of the user, or of the hash group of users, from 0 to `clusters` − 1. */
  readonly cluster: ArrayLike<number>;
  /** Index of the user; the requests of a user are in time order. */
  readonly user?: ArrayLike<number>;
  /** Index of the request's time slice among the `STRETCHES` of the window. */
  readonly stretch?: ArrayLike<number>;
  /** Code of the user's earlier activity, see `historyCode`. */
  readonly history?: ArrayLike<number>;
  /** Segment values of the user. */
  readonly segments?: RowSegments;
  /**
   * Which requests have a list of the model: 1 with the list, 0 without. By the model's column; only
   * for models whose list is missing in some requests.
   */
  readonly hasList?: ReadonlyMap<number, ArrayLike<number>>;
  /**
   * By request: 1 if it has all items of its lists, 0 if it has the rewarded items only. All are 1
   * if undefined. A hash of the request decides, so this sampling leaves ips unchanged and snips
   * consistent.
   */
  readonly isListed?: ArrayLike<number>;
  /** M, number of candidates of a randomised list; only needed if an arm has randomised lists. */
  readonly candidates?: ArrayLike<number>;
  /**
   * Ranks that a randomised list fills: from `drawnStart` up to `drawnEnd`, exclusive; all if
   * undefined.
   */
  readonly drawnStart?: ArrayLike<number>;
  readonly drawnEnd?: ArrayLike<number>;
}

/** Items of the requests' lists. One entry per item of a request, however many lists contain it. */
export interface ListedItems {
  readonly length: number;
  /** Index of the request. */
  readonly request: ArrayLike<number>;
  /** Reward of the first action on the item if it is in the served list; 0 for none. */
  readonly reward: ArrayLike<number>;
  /** ranks[l][row]: 0-based rank in the request's list of column l, or `NOT_IN_LIST`. */
  readonly ranks: readonly ArrayLike<number>[];
  /** r̂, the expected reward of the item if it is examined; for `arms_dr` only. */
  readonly predicted?: ArrayLike<number>;
}

/** An arm of the experiment: a model whose list may be served. */
export interface Arm {
  /** Column of its ranks. */
  readonly list: number;
  /** Whether its list is a uniformly random order of the candidates. */
  readonly isUniform?: boolean;
}

/** Served lists, their rewards, and the randomisation of the served list. */
export interface ServedLog {
  /** Names of the columns of ranks. */
  readonly models: readonly string[];
  readonly arms: readonly Arm[];
  /**
   * shares[stratum][arm]: the declared probability that the arm is served; strata in time order.
   * Empty if requests have their own shares.
   */
  readonly shares: readonly ArrayLike<number>[];
  readonly clusters: number;
  readonly requests: ServedRequests;
  readonly items: ListedItems;
}
