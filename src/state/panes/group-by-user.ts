import { POSITIVE, RANDOMIZED } from '../../events/columns.js';
import type { Reach } from '../counts/reach.js';
import { windowRequests } from '../requests/pane-requests.js';
import type { ClosedPanes, RandomizedReach } from './closed-panes.js';
import type { PaneRows } from './pane-rows.js';
import { ratedPart } from './rated-pairs.js';
import {
  columnsOfCauses,
  FOLLOW_UP_MS,
  hasCaused,
  type RowCauses,
  UNCAUSED,
} from './row-causes.js';
import type { RowSegments } from './row-segments.js';
import { withModels } from './served-lists.js';
import { ORGANIC_TRAFFIC, RANDOMIZED_TRAFFIC, UNRANKED, type WindowPart } from './window-part.js';

/**
 * Temporary values of `positive` for rows that are dropped since another row represents their
 * (user, item): `REPEATED_POSITIVE` for positive interactions, `REPEATED_OTHER` for all others.
 */
const REPEATED_POSITIVE = 2;
const REPEATED_OTHER = 3;
/**
 * Temporary value of `positive` for the first organic positive row of a (user, item). This row
 * represents the pair.
 */
const FOUND_ALONE = 4;

/** Ranges of users' rows after scattering: starts[u] .. ends[u] − 1. */
interface UserPlaces {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Users in the order of their ranges. */
  readonly segmentUsers: Int32Array;
}

/**
 * The rows of a window by user. They are scattered to the ranges of their users, and then reduced
 * to one per (user, item).
 */
class GroupedRows {
  readonly #item: Int32Array;
  readonly #positive: Uint8Array;
  readonly #traffic: Uint8Array;
  readonly #propensity: Float32Array | undefined;
  readonly #causes: RowCauses | undefined;
  readonly #segments: RowSegments | undefined;
  readonly #ranks: Uint16Array[];
  readonly #lists: Uint16Array[];
  /**
   * By row: number of its pane. Undefined if no interaction follows a driven one of another pane.
   */
  readonly #pane: Int32Array | undefined;
  /** Maximum number of panes between a driven interaction and an interaction that follows it. */
  readonly #followPanes: number;
  /**
   * Kept rows in ascending order, each of which represents its (user, item). One extra element
   * takes a row that is then not kept.
   */
  readonly #kept: Int32Array;
  #items = 0;
  /** Whether any row came from randomised traffic, so that traffic must be merged. */
  #isMixed = false;
  /** Table from causes in a pane's rows to causes in the window's rows, see `columnsOfCauses`. */
  #columns: Uint16Array | undefined;
  #hasCaused = false;
  /** Number of positive rows represented by another row of their pair. */
  #repeated = 0;
  /** By item: the row that represents the current user's pair. */
  #standing: Int32Array | undefined;
  /** By item: the current user's latest driven row; −1 or another user's row if there is none. */
  #caused: Int32Array | undefined;

  constructor(
    rows: number,
    models: number,
    {
      isLogged,
      followsCauses,
      segments,
    }: {
      readonly isLogged: boolean;
      readonly followsCauses: boolean;
      /** Segments of any pane; all have the same dimensions and names. */
      readonly segments?: RowSegments | undefined;
    },
    paneMs: number,
  ) {
    const column = () => new Uint16Array(rows);
    const ofModels = () => Array.from({ length: models }, column);
    this.#propensity = isLogged ? new Float32Array(rows) : undefined;
    this.#causes = followsCauses
      ? {
          cause: column(),
          served: column(),
        }
      : undefined;
    this.#segments = segments && {
      ...segments,
      codes: segments.codes.map(column),
    };
    this.#followPanes = Math.floor(FOLLOW_UP_MS / paneMs);
    if (followsCauses && this.#followPanes > 0) {
      this.#pane = new Int32Array(rows);
    }
    this.#kept = new Int32Array(rows + 1);
    this.#item = new Int32Array(rows);
    this.#positive = new Uint8Array(rows);
    this.#traffic = new Uint8Array(rows);
    this.#ranks = ofModels();
    this.#lists = ofModels();
  }

  scatter(pane: PaneRows, models: readonly number[], cursor: Int32Array): void {
    const place = new Int32Array(pane.length);
    if (pane.causes !== undefined) {
      this.#columns ??= columnsOfCauses(models);
    }
    for (let r = 0; r < pane.length; r++) {
      const at = cursor[pane.user[r]]++;
      place[r] = at;
      const item = pane.item[r];
      if (item >= this.#items) {
        this.#items = item + 1;
      }
      this.#item[at] = item;
      this.#positive[at] = (pane.flags[r] & POSITIVE) === 0 ? 0 : 1;
      const isRandomized = (pane.flags[r] & RANDOMIZED) !== 0;
      this.#traffic[at] = isRandomized ? RANDOMIZED_TRAFFIC : ORGANIC_TRAFFIC;
      this.#isMixed ||= isRandomized;
    }
    models.forEach((model, m) => {
      scatterColumn(pane.ranks[model], UNRANKED, place, this.#ranks[m]);
      scatterColumn(pane.lists[model], 0, place, this.#lists[m]);
    });
    this.#segments?.codes.forEach((into, d) => {
      scatterColumn(pane.segments?.codes[d], 0, place, into);
    });
    if (this.#propensity !== undefined && pane.propensity !== undefined) {
      for (let r = 0; r < pane.length; r++) {
        this.#propensity[place[r]] = pane.propensity[r];
      }
    }
    if (this.#pane !== undefined) {
      for (let r = 0; r < pane.length; r++) {
        this.#pane[place[r]] = pane.pane;
      }
    }
    if (this.#causes !== undefined) {
      this.#scatterCauses(pane.causes, place);
    }
  }

  /** Copy the causes of a pane's rows; rows of a pane without causes stay `UNCAUSED`. */
  #scatterCauses(causes: RowCauses | undefined, place: Int32Array): void {
    if (causes === undefined) return;
    const into = this.#causes!;
    const columns = this.#columns!;
    for (let r = 0; r < place.length; r++) {
      const at = place[r];
      into.cause[at] = columns[causes.cause[r]];
      into.served[at] = columns[causes.served[r]];
      this.#hasCaused ||= causes.cause[r] !== UNCAUSED;
    }
  }

  /** Reduce the rows to one per (user, item), in place, and return them as a window part. */
  distinct(
    { starts, ends, segmentUsers }: UserPlaces,
    userCounts: Int32Array,
    randomized: RandomizedReach,
  ): WindowPart {
    const users = segmentUsers.length;
    const userStart = new Int32Array(users + 1);
    const userCount = new Float64Array(users);
    const userRandomized = new Float64Array(users);
    // By item: the latest user segment s with it, as 2s + 2 for a positive row, otherwise 2s + 1.
    const claimed = new Int32Array(this.#items);
    let kept = 0;
    for (let s = 0; s < users; s++) {
      const user = segmentUsers[s];
      const from = starts[user];
      const to = ends[user];
      userStart[s] = kept;
      userCount[s] = user < userCounts.length ? userCounts[user] : 0;
      userRandomized[s] = user < randomized.counts.length ? randomized.counts[user] : 0;
      kept = this.#keepDistinct(from, to, kept, claimed, 2 * s + 1);
    }
    userStart[users] = kept;
    return {
      users,
      userStart,
      userCount,
      userRandomized,
      randomizedUsers: randomized.users,
      randomizedItems: randomized.shown,
      rows: kept,
      repeatedPositives: this.#repeated,
      item: this.#compacted(this.#item, kept),
      positive: this.#compacted(this.#positive, kept),
      traffic: this.#compacted(this.#traffic, kept),
      ...(this.#propensity === undefined
        ? {}
        : { propensity: this.#compacted(this.#propensity, kept) }),
      ...(this.#causes && {
        causes: {
          cause: this.#compacted(this.#causes.cause, kept),
          served: this.#compacted(this.#causes.served, kept),
        },
      }),
      ...(this.#segments && {
        segments: {
          ...this.#segments,
          codes: this.#segments.codes.map((column) => this.#compacted(column, kept)),
        },
      }),
      ranks: this.#ranks.map((column) => this.#compacted(column, kept)),
      lists: this.#lists.map((column) => this.#compacted(column, kept)),
    };
  }

  #keepDistinct(from: number, to: number, keptBefore: number, claimed: Int32Array, tag: number) {
    const item = this.#item;
    const positive = this.#positive;
    // Without driven rows and mixed traffic, the first positive row represents the pair anyway.
    if (this.#hasCaused || (this.#causes !== undefined && this.#isMixed)) {
      this.#claimUncaused(from, to, claimed, tag);
    }
    let others = 0;
    for (let r = from; r < to; r++) {
      if (positive[r] === 0) {
        others++;
      } else if (positive[r] === FOUND_ALONE) {
        positive[r] = 1;
      } else if (claimed[item[r]] === tag + 1) {
        positive[r] = REPEATED_POSITIVE;
        this.#repeated++;
      } else {
        claimed[item[r]] = tag + 1;
      }
    }
    for (let r = from; others > 0 && r < to; r++) {
      if (positive[r] !== 0) continue;
      others--;
      if (claimed[item[r]] >= tag) {
        positive[r] = REPEATED_OTHER;
      } else {
        claimed[item[r]] = tag;
      }
    }
    if (this.#isMixed) {
      this.#mergeTraffic(from, to);
    }
    let kept = keptBefore;
    for (let r = from; r < to; r++) {
      this.#kept[kept] = r;
      kept += positive[r] < REPEATED_POSITIVE ? 1 : 0;
    }
    return kept;
  }

  /**
   * Mark the first organic positive row of each (user, item), which then represents the pair.
   * Before that, a row that follows a driven row of another pane gets the cause of that row.
   */
  #claimUncaused(from: number, to: number, claimed: Int32Array, tag: number): void {
    const { cause } = this.#causes!;
    for (let r = from; r < to; r++) {
      if (this.#pane !== undefined) {
        this.#inherit(r, from, cause, this.#pane);
      }
      if (this.#positive[r] === 0 || cause[r] !== UNCAUSED) continue;
      // Interactions with randomised traffic are not organic, with a list id or without.
      if (this.#traffic[r] !== ORGANIC_TRAFFIC || claimed[this.#item[r]] === tag + 1) continue;
      claimed[this.#item[r]] = tag + 1;
      this.#positive[r] = FOUND_ALONE;
    }
  }

  /**
   * If a row follows a driven row of an earlier pane, give it the cause of that row (`FollowUps`).
   */
  #inherit(row: number, from: number, cause: Uint16Array, pane: Int32Array): void {
    // Interactions with a randomised list are not caused by a policy.
    if (this.#traffic[row] !== ORGANIC_TRAFFIC) return;
    this.#caused ??= new Int32Array(this.#items).fill(-1);
    const item = this.#item[row];
    const before = this.#caused[item];
    // Within a pane, rows that follow a driven one already have its cause.
    const follows = before >= from && pane[row] > pane[before];
    if (cause[row] === UNCAUSED && follows && pane[row] - pane[before] <= this.#followPanes) {
      cause[row] = cause[before];
    }
    if (cause[row] !== UNCAUSED) {
      this.#caused[item] = row;
    }
  }

  /**
   * Give the row that represents a pair the traffic bits of all its positive interactions, or of
   * all its interactions if none is positive.
   */
  #mergeTraffic(from: number, to: number): void {
    const positive = this.#positive;
    const traffic = this.#traffic;
    const item = this.#item;
    this.#standing ??= new Int32Array(this.#items);
    const standing = this.#standing;
    for (let r = from; r < to; r++) {
      if (positive[r] < REPEATED_POSITIVE) {
        standing[item[r]] = r;
      }
    }
    for (let r = from; r < to; r++) {
      if (positive[r] < REPEATED_POSITIVE) continue;
      const row = standing[item[r]];
      if (positive[row] === 0 || positive[r] === REPEATED_POSITIVE) {
        traffic[row] |= traffic[r];
      }
    }
  }

  /** Move the first `size` kept rows of a column to its front. */
  #compacted<Column extends Int32Array | Uint8Array | Uint16Array | Float32Array>(
    column: Column,
    size: number,
  ): Column {
    const kept = this.#kept;
    if (size < column.length) {
      for (let r = 0; r < size; r++) {
        column[r] = column[kept[r]];
      }
    }
    return column.subarray(0, size) as Column;
  }
}

function scatterColumn(
  column: Uint16Array | undefined,
  absent: number,
  place: Int32Array,
  into: Uint16Array,
): void {
  if (column === undefined) {
    for (let r = 0; r < place.length; r++) {
      into[place[r]] = absent;
    }
  } else {
    for (let r = 0; r < place.length; r++) {
      into[place[r]] = column[r];
    }
  }
}

/** A window of closed panes: firstPane ≤ pane ≤ lastPane. */
export interface WindowPanes {
  readonly from: number;
  readonly to: number;
  readonly firstPane: number;
  readonly lastPane: number;
}

/** Which part of a partition's data a window needs. */
export interface RowsRequest {
  readonly window: WindowPanes;
  /** Model numbers, in the order of the part's columns. */
  readonly models: readonly number[];
  /** Whether the part needs a key for each user, for resampling users or drawing test sets. */
  readonly isKeyed: boolean;
  /** Number of items, if the reach of the partition's lists is needed. */
  readonly reachItems?: number | undefined;
  /** Whether the part includes the partition's requests. */
  readonly asksRequests?: boolean;
  /** Whether the part includes rated pairs. */
  readonly asksRatings?: boolean;
}

/** Sources of a partition's rows. */
export interface RowSource {
  readonly closed: Pick<ClosedPanes, 'rows' | 'randomizedTraffic' | 'served' | 'requests'>;
  /** Interactions per user over the popularity horizon. */
  readonly userCounts: Int32Array;
  /** Hash of a user's id, if users need keys. */
  readonly keyOf?: ((user: number) => number) | undefined;
  /**
   * Computes the reach of the lists shown at from ≤ ts < to; undefined if another process has the
   * lists.
   */
  readonly reach?: ((from: number, to: number, items: number) => Reach) | undefined;
}

/** Build one partition's part of a window. */
export function windowPart(
  { closed, userCounts, keyOf, reach }: RowSource,
  { window, models, isKeyed, reachItems, asksRequests = false, asksRatings }: RowsRequest,
): WindowPart {
  const { from, to, firstPane, lastPane } = window;
  const panes = closed.rows.filter(({ pane }) => pane >= firstPane && pane <= lastPane);
  const randomized = closed.randomizedTraffic(firstPane, lastPane);
  const shown = closed.served(firstPane, lastPane);
  const joined = asksRequests ? closed.requests : [];
  const grouped = groupByUser(panes, models, userCounts, randomized, {
    keyOf: isKeyed ? keyOf : undefined,
    paneMs: (to - from) / (lastPane - firstPane + 1),
  });
  const columns = new Map(models.map((model, column) => [model, column]));
  const rated = asksRatings ? ratedPart(panes, models, userCounts) : undefined;
  const part = {
    ...grouped,
    ...(rated && { rated }),
    ...(joined.length > 0 && {
      requests: windowRequests(joined, lastPane, models, keyOf),
    }),
    ...(shown.length > 0 && {
      served: shown.map((lists) => withModels(lists, (model) => columns.get(model))),
    }),
  };
  if (reachItems === undefined) return part;
  return {
    ...part,
    reach: reach!(from, to, reachItems),
  };
}

export interface GroupOptions {
  /** Hash of a user's id, if users are resampled. */
  readonly keyOf?: ((user: number) => number) | undefined;
  /** Length of a pane, ms; infinite by default, so that all rows are in one pane. */
  readonly paneMs?: number;
}

const NO_TRAFFIC: RandomizedReach = {
  counts: new Int32Array(0),
  users: 0,
  shown: 0,
};

/**
 * Group the rows of a window by user, with one row per (user, item).
 *
 * A (user, item) is positive if any of its interactions in the window is positive. Its row is then
 * that of the first positive interaction, otherwise that of the first interaction. If causes are
 * known, the first organic positive interaction precedes driven ones: otherwise the organic rows
 * would lack items that lists also showed. An interaction within half an hour after a driven one
 * counts as driven too (`FollowUps`).
 *
 * Counting sort by user, O(rows + users). Users are in the order of their first rows, and the rows
 * of a user in order of event time.
 *
 * @param panes closed panes of one partition, oldest first
 * @param models dense model numbers: column m of the result is models[m]
 * @param userCounts interactions per user over the popularity horizon
 * @param randomized the partition's randomised traffic
 * @param options see `GroupOptions`
 */
export function groupByUser(
  panes: readonly PaneRows[],
  models: readonly number[],
  userCounts: Int32Array,
  randomized = NO_TRAFFIC,
  { keyOf, paneMs = Number.POSITIVE_INFINITY }: GroupOptions = {},
): WindowPart {
  const rows = panes.reduce((sum, pane) => sum + pane.length, 0);
  const isLogged = panes.some(({ propensity }) => propensity !== undefined);
  const followsCauses = panes.some(({ causes }) => causes !== undefined);
  // Without driven rows there is nothing to inherit.
  const isCaused = panes.some(({ causes }) => causes !== undefined && hasCaused(causes.cause));
  const apart = isCaused ? paneMs : Number.POSITIVE_INFINITY;
  const segments = panes.find((pane) => pane.segments !== undefined)?.segments;
  const grouped = new GroupedRows(
    rows,
    models.length,
    {
      isLogged,
      followsCauses,
      segments,
    },
    apart,
  );
  const { starts, segmentUsers } = userStarts(panes);
  const ends = starts.slice();
  for (const pane of panes) {
    grouped.scatter(pane, models, ends);
  }
  const part = grouped.distinct(
    {
      starts,
      ends,
      segmentUsers,
    },
    userCounts,
    randomized,
  );
  return keyOf === undefined
    ? part
    : {
        ...part,
        userKey: segmentUsers.map(keyOf),
      };
}

/** Start of each user's rows, and the users in the order of their segments. */
interface UserStarts {
  /** By user: index of its first row. */
  readonly starts: Int32Array;
  readonly segmentUsers: Int32Array;
}

/**
 * Order users by their first rows. An order by user number could differ after a restart and change
 * the rounding of sums.
 */
function userStarts(panes: readonly PaneRows[]): UserStarts {
  let users = 0;
  for (const pane of panes) {
    for (let r = 0; r < pane.length; r++) {
      if (pane.user[r] >= users) {
        users = pane.user[r] + 1;
      }
    }
  }
  const rows = new Int32Array(users);
  const order = new Int32Array(users);
  let segments = 0;
  for (const { user, length } of panes) {
    for (let r = 0; r < length; r++) {
      if (rows[user[r]]++ === 0) {
        order[segments++] = user[r];
      }
    }
  }
  const segmentUsers = order.slice(0, segments);
  const starts = new Int32Array(users);
  let next = 0;
  for (const user of segmentUsers) {
    starts[user] = next;
    next += rows[user];
  }
  return { starts, segmentUsers };
}
