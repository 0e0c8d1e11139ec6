import type { Reach } from '../counts/reach.js';
import type { WindowRequests } from '../requests/pane-requests.js';
import type { RowCauses } from './row-causes.js';
import type { RowSegments } from './row-segments.js';
import type { ServedLists } from './served-lists.js';

/**
 * Rows of one window as input of estimators: attributed, grouped by user, one per (user, item),
 * with one snapshot of counts.
 */

/** Rank of an item that is not in the model's list, so that its gain is 0. */
export const NOT_IN_LIST = 0xffff;
/** Rank if the model had no list for the user, so that the pair is not evaluated for the model. */
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
 * The rows of a window, of one partition or of all with disjoint users (`joinedPart`). The rows of
 * a user are consecutive: user segment s has rows userStart[s] to userStart[s + 1] − 1.
 */
export interface WindowPart {
  /** Number of user segments, one per user with rows. */
  readonly users: number;
  /** users + 1 offsets into the rows. */
  readonly userStart: Int32Array;
  /** Per segment: n_u, the user's interactions, positive or not, in the popularity horizon. */
  readonly userCount: Float64Array;
  /**
   * Per segment: a hash of the user's id; undefined unless users are resampled or test sets drawn.
   */
  readonly userKey?: Int32Array;
  /** Per segment: the user's interactions from randomised traffic. */
  readonly userRandomized: Float64Array;
  /** Users reached by randomised traffic in the window, with or without rows. */
  readonly randomizedUsers: number;
  /** Items shown by randomised lists in the window; NaN if some of these are not logged. */
  readonly randomizedItems: number;
  /** Reach of the policies' lists in the window; undefined if not needed. */
  readonly reach?: Reach;
  /** Number of rows. */
  readonly rows: number;
  readonly item: Int32Array;
  /** 1 if the pair has a positive interaction in the window. */
  readonly positive: Uint8Array;
  /** Traffic bits of the pair's positive interactions, or of all if none is positive. */
  readonly traffic: Uint8Array;
  /** Logged propensity of the pair's item, 0 if it has none; undefined if no row has one. */
  readonly propensity?: Float32Array;
  /**
   * Number of positive interactions that another row of their (user, item) represents; 0 by
   * default.
   */
  readonly repeatedPositives?: number;
  /** Which lists drove the interactions; undefined if rows do not record their causes. */
  readonly causes?: RowCauses;
  /** Codes of the rows by segment dimension (not user segments); undefined without dimensions. */
  readonly segments?: RowSegments;
  /** Lists shown in the window's panes, with models as columns; undefined if there are none. */
  readonly served?: readonly ServedLists[];
  /** Requests that closed with the window's panes; undefined if not needed. */
  readonly requests?: readonly WindowRequests[];
  /** Rated pairs; undefined if not needed. */
  readonly rated?: RatedPart;
  /** ranks[m][row]: 0-based rank in model m's list, `NOT_IN_LIST` or `UNRANKED`. */
  readonly ranks: readonly Uint16Array[];
  /** lists[m][row]: code of that list, its length and kind of candidates. */
  readonly lists: readonly Uint16Array[];
}

/** Item counts at the tick, from which the weight of every row of the window is computed. */
export interface ItemTotals {
  /** Number of items (dense item ids 0 to items − 1). */
  readonly items: number;
  /** Per item: n_i, the popularity for propensities and strata. */
  readonly popularity: Float64Array;
  /** Per item: all interactions with it in the popularity horizon, n_i for interventions. */
  readonly interactions: Float64Array;
  /** Per item: interactions with it from randomised traffic. */
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
  /** Per segment: number of the user. */
  readonly user: Int32Array;
  /** Per segment: the user's interactions in the popularity horizon. */
  readonly userCount: Float64Array;
  readonly item: Int32Array;
  readonly rating: Float32Array;
  /** 1 for a rating from randomised traffic. */
  readonly isRandom: Uint8Array;
  /** Logged propensity of the item, 0 if there is none. */
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
