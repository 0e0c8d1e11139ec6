import type { Reach } from '../counts/reach.js';
import { windowRequests } from '../requests/window-requests.js';
import type { ClosedPanes } from './closed-panes.js';
import { GroupedRows, type RandomizedReach } from './grouped-rows.js';
import type { PaneRows } from './pane-rows.js';
import { ratedPart } from './rated-pairs.js';
import { hasCaused } from './row-causes.js';
import { withModels } from './served-lists.js';
import type { WindowPart } from './window-part.js';

/** A window of closed panes: firstPane ≤ pane ≤ lastPane. */
export interface WindowPanes {
  readonly from: number;
  readonly to: number;
  readonly firstPane: number;
  readonly lastPane: number;
}

/** Which rows of a partition are wanted, and what with them. */
export interface RowsRequest {
  readonly window: WindowPanes;
  /** Dense numbers, in the order of the part's columns. */
  readonly models: readonly number[];
  /** Whether users are resampled or sets drawn: then users need keys. */
  readonly isKeyed: boolean;
  /** Number of items, where it is asked whom the partition's lists reached. */
  readonly reachItems?: number | undefined;
  /** Whether several threads will read the columns: then they lie in memory that threads share. */
  readonly isShared?: boolean;
  /** Whether the part is to hold the partition's requests. */
  readonly asksRequests?: boolean;
  /** Whether it is to hold the rated pairs. */
  readonly asksRatings?: boolean;
}

/** What a partition's rows are taken from. */
export interface RowSource {
  readonly closed: Pick<ClosedPanes, 'rows' | 'randomizedTraffic' | 'served' | 'requests'>;
  /** Interactions over the horizon. */
  readonly userCounts: Int32Array;
  /** Hash of a user's id, where users have keys. */
  readonly keyOf?: ((user: number) => number) | undefined;
  /** Whom its lists reached, from ≤ ts < to; undefined where its lists are not here. */
  readonly reach?:
    | ((from: number, to: number, items: number) => Generator<void, Reach>)
    | undefined;
}

/** A partition's part of a window; undefined where it has nothing to say. */
export function* windowPart(
  { closed, userCounts, keyOf, reach }: RowSource,
  {
    window,
    models,
    isKeyed,
    reachItems,
    isShared = false,
    asksRequests = false,
    asksRatings,
  }: RowsRequest,
): Generator<void, WindowPart | undefined> {
  const { from, to, firstPane, lastPane } = window;
  const panes = closed.rows.filter(({ pane }) => pane >= firstPane && pane <= lastPane);
  const randomized = closed.randomizedTraffic(firstPane, lastPane);
  const shown = closed.served(firstPane, lastPane);
  const joined = asksRequests ? closed.requests : [];
  const isEmpty = panes.length + shown.length + joined.length === 0 && randomized.users === 0;
  if (isEmpty && reachItems === undefined) return undefined;
  const grouped = yield* groupByUser(panes, models, userCounts, randomized, {
    keyOf: isKeyed ? keyOf : undefined,
    isShared,
    paneMs: (to - from) / (lastPane - firstPane + 1),
  });
  const columns = new Map(models.map((model, column) => [model, column]));
  const rated = asksRatings ? yield* ratedPart(panes, models, userCounts) : undefined;
  const part = {
    ...grouped,
    ...(rated && { rated }),
    ...(joined.length > 0 && {
      requests: yield* windowRequests(joined, lastPane, models, keyOf),
    }),
    ...(shown.length > 0 && {
      served: shown.map((lists) => withModels(lists, (model) => columns.get(model))),
    }),
  };
  if (reachItems === undefined) return part;
  return { ...part, reach: yield* reach!(from, to, reachItems) };
}

export interface GroupOptions {
  /** Hash of a user's id, where users are to be resampled. */
  readonly keyOf?: ((user: number) => number) | undefined;
  /** Whether the columns of rows are to lie in memory that threads share. */
  readonly isShared?: boolean;
  /** Length of a pane, ms; infinite where it is not said: nothing follows what is in another one. */
  readonly paneMs?: number;
}

const NO_TRAFFIC: RandomizedReach = { counts: new Int32Array(0), users: 0, shown: 0 };

/**
 * The rows of a window, grouped by user, each (user, item) once.
 *
 * A pair counts as positive when any of its interactions in the window is, and then stands with
 * the rank that its first positive interaction had; else it stands with its first interaction. Where
 * rows say what caused them, the first organic one that no shown list caused goes before all others:
 * what a list brought to a user first may have been found later all the same, and without it rows
 * without a cause would lack what lists hold. What follows a caused one within half an hour was not
 * found alone (follow-ups.ts).
 * Counting sort by user, O(rows + users); users stand in the order of their first rows, and rows of a
 * user in order of event time. Yields now and then.
 *
 * @param panes closed panes of one partition, oldest first
 * @param models dense model numbers: column m of the result is models[m]
 * @param userCounts interactions per user over the popularity horizon
 * @param randomized the partition's randomised traffic
 * @param options see `GroupOptions`
 */
export function* groupByUser(
  panes: readonly PaneRows[],
  models: readonly number[],
  userCounts: Int32Array,
  randomized = NO_TRAFFIC,
  { keyOf, isShared = false, paneMs = Number.POSITIVE_INFINITY }: GroupOptions = {},
): Generator<void, WindowPart> {
  const rows = panes.reduce((sum, pane) => sum + pane.length, 0);
  const isLogged = panes.some(({ propensity }) => propensity !== undefined);
  const followsCauses = panes.some(({ causes }) => causes !== undefined);
  // Where nothing was caused nothing follows it.
  const isCaused = panes.some(({ causes }) => causes !== undefined && hasCaused(causes.cause));
  const apart = isCaused ? paneMs : Number.POSITIVE_INFINITY;
  const segments = panes.find((pane) => pane.segments !== undefined)?.segments;
  const grouped = new GroupedRows(
    ...([rows, models.length, { isLogged, followsCauses, segments }, isShared, apart] as const),
  );
  const { starts, segmentUsers } = yield* userStarts(panes);
  const ends = starts.slice();
  for (const pane of panes) yield* grouped.scatter(pane, models, ends);
  const part = yield* grouped.distinct({ starts, ends, segmentUsers }, userCounts, randomized);
  return keyOf === undefined ? part : { ...part, userKey: segmentUsers.map(keyOf) };
}

/** Where users' rows go, and which users there are, in the order of their segments. */
interface UserStarts {
  /** By user: the first place of its rows. */
  readonly starts: Int32Array;
  readonly segmentUsers: Int32Array;
}

/**
 * Users stand in the order of their first rows. Their numbers are the process's own: another one
 * that reads the same log may have given them otherwise, and sums over users would round otherwise.
 */
function* userStarts(panes: readonly PaneRows[]): Generator<void, UserStarts> {
  let users = 0;
  for (const pane of panes) {
    for (let r = 0; r < pane.length; r++) if (pane.user[r] >= users) users = pane.user[r] + 1;
    yield;
  }
  const rows = new Int32Array(users);
  const order = new Int32Array(users);
  let segments = 0;
  for (const { user, length } of panes) {
    for (let r = 0; r < length; r++) if (rows[user[r]]++ === 0) order[segments++] = user[r];
    yield;
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
