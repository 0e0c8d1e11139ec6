import type { RowSegments } from '../../../state/panes/row-segments.js';

/** Requests with the lists of all models, one of which was served. One entry per request. */
export interface ServedRequests {
  readonly length: number;
  /** Place of the arm that was served, in the arms of the log. */
  readonly arm: ArrayLike<number>;
  /** Place of the shares that were declared for it, in `shares` of the log; of no use with `share`. */
  readonly stratum: ArrayLike<number>;
  /**
   * share[request · arms + arm]: the declared chance that the arm is served, where each request has
   * its own, as those of a user or a context do. Then `shares` of the log are not read.
   */
  readonly share?: ArrayLike<number>;
  /** The user, or the hash group of users, from 0 to `clusters` − 1. */
  readonly cluster: ArrayLike<number>;
  /** Number of the user, from 0 on; the requests of a user stand in the order of time. */
  readonly user?: ArrayLike<number>;
  /** Which of `STRETCHES` of the window it lies in. */
  readonly stretch?: ArrayLike<number>;
  /** What its user did before it, as `historyCode`. */
  readonly history?: ArrayLike<number>;
  /** Segment values of its user. */
  readonly segments?: RowSegments;
  /** By column of a model whose list lacks in some requests: 1 for a request that has it. */
  readonly hasList?: ReadonlyMap<number, ArrayLike<number>>;
  /**
   * 1 for a request of which all items of its lists are there, 0 for one with rewarded items only: a
   * sample by a hash of the request, which keeps ips as it is and snips right. All, if it is missing.
   */
  readonly isListed?: ArrayLike<number>;
  /** M, the items that a list drawn at random is drawn from; only with such an arm. */
  readonly candidates?: ArrayLike<number>;
  /** The ranks that such a list fills: from `drawnStart` up to `drawnEnd`; all if missing. */
  readonly drawnStart?: ArrayLike<number>;
  readonly drawnEnd?: ArrayLike<number>;
}

/** Items of the requests' lists. One entry per item of a request, however many lists contain it. */
export interface ListedItems {
  readonly length: number;
  /** Place of the request. */
  readonly request: ArrayLike<number>;
  /** What the first action on the item is worth, if it stands in the served list; 0 for none. */
  readonly reward: ArrayLike<number>;
  /** ranks[l][row]: 0-based rank in the request's list of column l, or `NOT_IN_LIST`. */
  readonly ranks: readonly ArrayLike<number>[];
  /** r̂, the reward that is expected of the item if it is looked at; for `arms_dr` alone. */
  readonly predicted?: ArrayLike<number>;
}

/** An arm of the experiment: a list that may be served. */
export interface Arm {
  /** Column of its ranks. */
  readonly list: number;
  /** Its list is drawn at random from the candidates, all orders alike. */
  readonly isUniform?: boolean;
}

/** Served lists, their rewards, and how the served list was chosen. */
export interface ServedLog {
  /** Names of the columns of ranks. */
  readonly models: readonly string[];
  readonly arms: readonly Arm[];
  /**
   * shares[stratum][arm]: the declared chance that the arm is served; strata in the order of time.
   * None where requests have their own.
   */
  readonly shares: readonly ArrayLike<number>[];
  readonly clusters: number;
  readonly requests: ServedRequests;
  readonly items: ListedItems;
}
