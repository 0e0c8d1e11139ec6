import type { Reach } from '../../state/counts/reach.js';
import { type Interner, numberOf } from '../../state/ids/interner.js';
import type { PartitionState } from '../../state/panes/partition.js';
import type { MonitorOptions } from '../options.js';
import { tickWindows } from '../tick/tick-input.js';

/** Users reached by the lists of a partition, counted for each window that ends with the pane. */
export interface ShownReach {
  readonly pane: number;
  /** Sampling level: only users of at least this depth are counted. */
  readonly level: number;
  readonly windows: readonly WindowReach[];
}

interface WindowReach {
  /** Event time, ms: from ≤ ts < to. */
  readonly from: number;
  readonly to: number;
  /** Number of users who were shown any list. */
  readonly users: number;
  /** Ids of the shown items; `counts` has the number of users who were shown each item. */
  readonly items: readonly string[];
  readonly counts: Float64Array;
}

/**
 * Count the users reached by a partition's lists, for each window that ends with a pane. The result
 * is for processes without the lists. Windows longer than the attribution ttl are left out, since
 * some of their lists are no longer stored. Yields regularly.
 */
export function* shownReach(
  pane: number,
  level: number,
  { state, items }: { readonly state: PartitionState; readonly items: Interner },
  options: MonitorOptions,
): Generator<void, ShownReach> {
  const windows: WindowReach[] = [];
  for (const { from, to } of tickWindows(pane, options)) {
    // Some lists of a longer window are no longer stored.
    if (to - from > options.attributionTtlMs) continue;
    const reached = yield* state.reach(from, to, items.size, level);
    const shown = [...reached.items.keys()].filter((item) => reached.items[item] > 0);
    windows.push({
      from,
      to,
      users: reached.users,
      items: shown.map((item) => items.text(item)),
      counts: Float64Array.from(shown, (item) => reached.items[item]),
    });
    yield;
  }
  return {
    pane,
    level,
    windows,
  };
}

/** Convert the reach in one window to this process's item numbers. */
export function reachIn(
  { windows }: ShownReach,
  { from, to }: { readonly from: number; readonly to: number },
  items: Interner,
  size: number,
): Reach {
  const window = windows.find((each) => each.from === from && each.to === to);
  if (window === undefined) throw new RangeError('Nobody has counted whom lists reached there.');
  const reached = new Float64Array(size);
  for (const [n, text] of window.items.entries()) {
    const item = numberOf(items, text);
    if (item >= 0 && item < size) {
      reached[item] = window.counts[n];
    }
  }
  return {
    users: window.users,
    items: reached,
  };
}
