import type { Reach } from '../counts/reach.js';
import type { WindowRequests } from '../requests/pane-requests.js';
import type { RowCauses } from './row-causes.js';
import type { RowSegments } from './row-segments.js';
import type { ServedLists } from './served-lists.js';

/**
 * Rows of one window as estimators read them: attributed, grouped by user, each (user, item) once,
 * with one snapshot of counts.
 */

/** The item is not in the model's list: it gains 0. */
export const NOT_IN_LIST = 0xffff;
/** The model had no list for the user: the pair is not evaluated for it. */
export const UNRANKED = 0xfffe;

/** Low 14 bits of a list code: the list's length (1 to 10,000). */
export const LIST_LENGTH_MASK = 0x3fff;
/** High 2 bits of a list code. */
export const LIST_CANDIDATES_UNSTATED = 0x0000;
export const LIST_FULL = 0x4000;
export const LIST_PARTIAL = 0x8000;
/** Ranks all of a sampled candidate set: only `auc` may be computed. */
export const LIST_SAMPLED_FULL = 0xc000;

/** Bits of a row's traffic: where its interactions in the window came from. A row may have both. */
export const ORGANIC_TRAFFIC = 1;
export const RANDOMIZED_TRAFFIC = 2;

/**
 * The rows of a window: of one partition, or of all, whose users are disjoint (`joinedPart`). Rows of
 * user segment s are userStart[s] .. userStart[s + 1] − 1.
 */
export interface WindowPart {
  /** Number of user segments. */
  readonly users: number;
  /** users + 1 offsets into the rows. */
  readonly userStart: Int32Array;
  /** Per segment: the user's interactions (of any value) in the popularity horizon, n_u. */
  readonly userCount: Float64Array;
  /** Per segment: a hash of the user's id; only there if users are resampled or sets drawn. */
  readonly userKey?: Int32Array;
  /** Per segment: those of them that came from randomised traffic. */
  readonly userRandomized: Float64Array;
  /** Users, with rows or without, whom randomised traffic reached in the window. */
  readonly randomizedUsers: number;
  /** Items that randomised lists showed in the window; NaN if some of these are not logged. */
  readonly randomizedItems: number;
  /** Whom the policies' lists reached in the window; only there if it is asked for. */
  readonly reach?: Reach;
  /** Number of rows. */
  readonly rows: number;
  readonly item: Int32Array;
  /** 1 if the pair has a positive interaction in the window. */
  readonly positive: Uint8Array;
  /** Bits as above, of the pair's positive interactions; of all if none is positive. */
  readonly traffic: Uint8Array;
  /** Logged propensity with which the pair's item was shown, 0 for none; if any row has one. */
  readonly propensity?: Float32Array;
  /** Positive interactions that repeat a counted pair of user and item; 0 by default. */
  readonly repeatedPositives?: number;
  /** Only there where causes are followed. */
  readonly causes?: RowCauses;
  /** Only there where rows are divided by dimensions. */
  readonly segments?: RowSegments;
  /** Lists that were shown in its panes, by the models' columns; if there was any. */
  readonly served?: readonly ServedLists[];
  /** Requests that its panes closed; only there where they are asked for. */
  readonly requests?: readonly WindowRequests[];
  /** Rated pairs; only there where ratings are asked for. */
  readonly rated?: RatedPart;
  /** ranks[m][row]: 0-based rank in model m's list, `NOT_IN_LIST` or `UNRANKED`. */
  readonly ranks: readonly Uint16Array[];
  /** lists[m][row]: length of that list and what is known of its candidates. */
  readonly lists: readonly Uint16Array[];
}

/** Item counts as of the tick; every row of the window is weighted with this one snapshot. */
export interface ItemTotals {
  /** Number of items that counts are given for (dense item ids 0 .. items − 1). */
  readonly items: number;
  /** n_i by which propensities and strata are made, per item. */
  readonly popularity: Float64Array;
  /** All interactions of the item in the horizon (the posteriors' n_i), per item. */
  readonly interactions: Float64Array;
  /** Those of them that came from randomised traffic, per item. */
  readonly randomized: Float64Array;
}

/** The same with what is known of the items' ids. */
export interface ItemCounts extends ItemTotals {
  /** A hash of the item's id; only there if test sets are drawn. */
  readonly itemKey?: (item: number) => number;
  /** Orders two items by id in code-point order; breaks ties of rank-based strata. */
  compareIds(a: number, b: number): number;
}

/** The rated pairs of a window. Those of segment s are start[s] .. start[s + 1] − 1. */
export interface RatedPart {
  /** Number of user segments. */
  readonly users: number;
  readonly start: Int32Array;
  /** Per segment: number of the user. */
  readonly user: Int32Array;
  /** Per segment: the user's interactions in the popularity horizon. */
  readonly userCount: Float64Array;
  readonly item: Int32Array;
  readonly rating: Float32Array;
  /** 1 for a rating that randomised traffic led to. */
  readonly isRandom: Uint8Array;
  /** Logged propensity with which the item was shown, 0 for none. */
  readonly propensity: Float32Array;
  /** P by learned propensities, 0 for none; only there where a file of them is used. */
  readonly learned?: Float64Array;
  /** ranks[m][row] as in `WindowPart`. */
  readonly ranks: readonly Uint16Array[];
  /** scores[m][row]: what model m predicted, NaN without a prediction. */
  readonly scores: readonly Float32Array[];
  /** Interactions whose value is not a rating. */
  readonly offScale: number;
}
