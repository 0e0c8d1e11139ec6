import type { Reach } from '../counts/reach.js';
import type { WindowRequests } from '../requests/pane-requests.js';
import type { RowCauses } from './row-causes.js';
import type { RowSegments } from './row-segments.js';
import type { ServedLists } from './served-lists.js';

/**
 * Input of estimators for one window: the rows of attributed interactions, grouped by user, with
 * one row per (user, item). All counts are of the same moment.
 */

/** Rank of an item that is not in the model's list, so that its gain is 0. */
export const NOT_IN_LIST = 0xffff;
/**
 * Rank if the model had no list for the user. The model is then not evaluated on the (user, item).
 */
export const UNRANKED = 0xfffe;

/** Low 14 bits of a list code: the list's length (1 to 10,000). */
export const LIST_LENGTH_MASK = 0x3fff;
/** High 2 bits of a list code: the number of candidates is not stated. */
export const LIST_CANDIDATES_UNSTATED = 0x0000;
/** High 2 bits of a list code: the list ranks all candidates. */
export const LIST_FULL = 0x4000;
/** High 2 bits of a list code: the list does not rank all candidates. */
export const LIST_PARTIAL = 0x8000;
/**
 * High 2 bits of a list code: the list ranks all of a sampled candidate set, so only `auc` can be
 * computed.
 */
export const LIST_SAMPLED_FULL = 0xc000;

/** Bits of a row's traffic, organic or randomised. A row may have both. */
export const ORGANIC_TRAFFIC = 1;
export const RANDOMIZED_TRAFFIC = 2;

/**
 * The rows of a window, either of one partition or of all partitions joined (`joinedPart`), whose
 * users are disjoint. The rows of a user are consecutive: user segment s has rows userStart[s] to
 * userStart[s + 1] − 1.
 */
export interface WindowPart {
  /** Number of user segments, one per user with rows. */
  readonly users: number;
  /** users + 1 offsets into the rows. */
  readonly userStart: Int32Array;
  /**
   * By user segment: number of the user's interactions in the popularity horizon, positive or not
   * (n_u).
   */
  readonly userCount: Float64Array;
  /**
   * By user segment: a hash of the user's id. Undefined unless users are resampled or test sets are
   * drawn.
   */
  readonly userKey?: Int32Array;
  /**
   * By user segment: number of the user's interactions from randomised traffic in the popularity
   * horizon.
   */
  readonly userRandomized: Float64Array;
  /** Number of users reached by randomised traffic in the window, including users without rows. */
  readonly randomizedUsers: number;
  /**
   * Number of list items shown by randomised lists in the window; NaN if some of these lists are
   * not logged.
   */
  readonly randomizedItems: number;
  /** Reach of the policies' lists in the window; undefined if not needed. */
  readonly reach?: Reach;
  /** Number of rows. */
  readonly rows: number;
  readonly item: Int32Array;
  /** 1 if the row's (user, item) has a positive interaction in the window, otherwise 0. */
  readonly positive: Uint8Array;
  /**
   * Traffic bits of all positive interactions of the row's (user, item). If none is positive, the
   * traffic bits of all its interactions.
   */
  readonly traffic: Uint8Array;
  /** Logged propensity of the row's item, 0 if not logged. Undefined if no row has one. */
  readonly propensity?: Float32Array;
  /**
   * Number of positive interactions without a row of their own, since another row represents their
   * (user, item); 0 by default.
   */
  readonly repeatedPositives?: number;
  /** Which lists drove the interactions; undefined if rows do not record their causes. */
  readonly causes?: RowCauses;
  /** Codes of the rows by segment dimension (not user segments); undefined without dimensions. */
  readonly segments?: RowSegments;
  /**
   * Lists shown in the window's panes, and their rewards; models are columns. Undefined if there
   * are none.
   */
  readonly served?: readonly ServedLists[];
  /** Requests that closed with the window's panes; undefined if not needed. */
  readonly requests?: readonly WindowRequests[];
  /** Rated pairs; undefined if not needed. */
  readonly rated?: RatedPart;
  /** ranks[m][row]: 0-based rank in model m's list, `NOT_IN_LIST` or `UNRANKED`. */
  readonly ranks: readonly Uint16Array[];
  /**
   * lists[m][row]: code of the list of `ranks[m][row]`, with its length and kind of candidates; 0
   * without a list.
   */
  readonly lists: readonly Uint16Array[];
}

/**
 * Item counts at the time of a tick. The weight of every row of the window is computed from them.
 */
export interface ItemTotals {
  /** Number of items (dense item ids 0 to items − 1). */
  readonly items: number;
  /** By item: popularity n_i, as used for propensities and strata. */
  readonly popularity: Float64Array;
  /**
   * By item: number of all interactions in the popularity horizon, which is n_i for interventions.
   */
  readonly interactions: Float64Array;
  /** By item: number of interactions from randomised traffic. */
  readonly randomized: Float64Array;
}

/** Item counts, with functions to hash and compare the items' ids. */
export interface ItemCounts extends ItemTotals {
  /** A hash of the item's id; undefined unless test sets are drawn. */
  readonly itemKey?: (item: number) => number;
  /** Compare two items by id in code-point order, to break ties of rank-based strata. */
  compareIds(a: number, b: number): number;
}

/**
 * The rated pairs of a window, grouped by user: segment s has pairs start[s] to start[s + 1] − 1.
 */
export interface RatedPart {
  /** Number of user segments, one per user with ratings. */
  readonly users: number;
  readonly start: Int32Array;
  /** By user segment: number of the user. */
  readonly user: Int32Array;
  /** By user segment: number of the user's interactions in the popularity horizon. */
  readonly userCount: Float64Array;
  readonly item: Int32Array;
  readonly rating: Float32Array;
  /** 1 for a rating from randomised traffic. */
  readonly isRandom: Uint8Array;
  /** Logged propensity of the item, 0 if not logged. */
  readonly propensity: Float32Array;
  /** Propensity of the pair from a propensity file, 0 if it has none; undefined without a file. */
  readonly learned?: Float64Array;
  /** ranks[m][row] as in `WindowPart`. */
  readonly ranks: readonly Uint16Array[];
  /** scores[m][row]: prediction of model m, NaN without one. */
  readonly scores: readonly Float32Array[];
  /** Number of interactions whose value is off the rating scale. */
  readonly offScale: number;
}
