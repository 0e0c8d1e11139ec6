import { POSITIVE, RANDOMIZED } from '../../events/columns.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import { FOLLOW_UP_MS, UNCAUSED } from '../../state/panes/row-causes.js';

/** Which rows of a pane to select. A pair here is a user and an item. */
export interface NewPairsOf {
  readonly pane: number;
  /**
   * Number of the first pane of the longest window. A pair with an earlier row in this window is
   * not new.
   */
  readonly firstPane: number;
  readonly paneMs: number;
  readonly followsCauses: boolean;
}

interface Candidate {
  readonly row: number;
  /** The newest earlier pane in which a list drove an interaction of the pair. */
  causedIn: number;
  /** Whether the pair has a row that counts in an earlier pane. */
  stood: boolean;
}

/**
 * Select the rows of a pane that count. A row counts if it is the first positive row of its user
 * and item in the longest window. If causes are determined, only organic rows count. So every pair
 * of user and item counts once per window, in its first pane, as in the window's estimates. Rows
 * from randomised traffic are left out. O(rows of the window).
 *
 * @param rows of one partition, in the order of their panes.
 * @returns row numbers within the pane, ascending; empty if the pane has no rows.
 */
export function newPairs(
  rows: readonly PaneRows[],
  { pane, firstPane, paneMs, followsCauses }: NewPairsOf,
): number[] {
  const newest = rows.find((each) => each.pane === pane);
  if (newest === undefined) return [];
  const candidates = firstOfPane(newest, followsCauses);
  if (candidates.size === 0) return [];
  const isAsked = new Uint8Array(newest.user.reduce((most, user) => Math.max(most, user), 0) + 1);
  for (const { row } of candidates.values()) {
    isAsked[newest.user[row]] = 1;
  }
  const followPanes = Math.floor(FOLLOW_UP_MS / paneMs);
  for (const earlier of rows) {
    if (earlier.pane < firstPane || earlier.pane >= pane) continue;
    noteEarlier(earlier, candidates, isAsked, followsCauses ? followPanes : undefined);
  }
  return [...candidates.values()]
    .filter(({ causedIn, stood }) => !stood && pane - causedIn > followPanes)
    .map(({ row }) => row);
}

function firstOfPane(rows: PaneRows, followsCauses: boolean): Map<number, Candidate> {
  const found = new Map<number, Candidate>();
  for (let row = 0; row < rows.length; row++) {
    if ((rows.flags[row] & POSITIVE) === 0 || (rows.flags[row] & RANDOMIZED) !== 0) continue;
    if (followsCauses && isCaused(rows, row)) continue;
    const key = keyOf(rows, row);
    if (found.has(key)) continue;
    found.set(key, {
      row,
      causedIn: Number.NEGATIVE_INFINITY,
      stood: false,
    });
  }
  return found;
}

/**
 * Note for each candidate, a pair of user and item, what happened in an earlier pane: whether a
 * list drove an interaction of the pair, and whether the pair has a row that counts.
 * @param followPanes number of panes after an interaction driven by a list in which later
 * interactions of the pair count as driven too; undefined if causes are not determined.
 */
function noteEarlier(
  rows: PaneRows,
  candidates: ReadonlyMap<number, Candidate>,
  isAsked: Uint8Array,
  followPanes: number | undefined,
): void {
  const { pane, length, user, flags } = rows;
  for (let row = 0; row < length; row++) {
    if (isAsked[user[row]] !== 1 || (flags[row] & RANDOMIZED) !== 0) continue;
    const candidate = candidates.get(keyOf(rows, row));
    if (candidate === undefined) continue;
    const { causedIn } = candidate;
    // Within a pane, rows that follow a driven one already have its cause.
    const follows = followPanes !== undefined && pane > causedIn && pane - causedIn <= followPanes;
    if (followPanes !== undefined && (isCaused(rows, row) || follows)) {
      candidate.causedIn = pane;
    } else if ((flags[row] & POSITIVE) !== 0) {
      candidate.stood = true;
    }
  }
}

function isCaused({ causes }: PaneRows, row: number): boolean {
  return causes !== undefined && causes.cause[row] !== UNCAUSED;
}

/** Combine user and item, dense numbers below 2^26, into a key. */
function keyOf({ user, item }: PaneRows, row: number): number {
  return user[row] * 0x4000000 + item[row];
}
