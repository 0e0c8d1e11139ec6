import type { Reach } from '../../state/counts/reach.js';
import type { ClosedPanes } from '../../state/panes/closed-panes.js';
import { groupByUser } from '../../state/panes/group-by-user.js';
import type { WindowPart } from '../../state/panes/window-part.js';

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
}

/** What a partition's rows are taken from. */
export interface RowSource {
  readonly closed: Pick<ClosedPanes, 'rows' | 'randomizedTraffic'>;
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
export function* windowRows(
  { closed, userCounts, keyOf, reach }: RowSource,
  { window, models, isKeyed, reachItems, isShared = false }: RowsRequest,
): Generator<void, WindowPart | undefined> {
  const { from, to, firstPane, lastPane } = window;
  const panes = closed.rows.filter(({ pane }) => pane >= firstPane && pane <= lastPane);
  const randomized = closed.randomizedTraffic(firstPane, lastPane);
  if (panes.length === 0 && randomized.users === 0 && reachItems === undefined) return undefined;
  const part = yield* groupByUser(panes, models, userCounts, randomized, {
    keyOf: isKeyed ? keyOf : undefined,
    isShared,
  });
  if (reachItems === undefined) return part;
  return { ...part, reach: yield* reach!(from, to, reachItems) };
}
