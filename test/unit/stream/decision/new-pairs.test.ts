import { describe, expect, it } from 'vitest';
import { POSITIVE, RANDOMIZED } from '../../../../src/events/columns.js';
import { newPairs } from '../../../../src/features/verdicts/new-pairs.js';
import type { PaneRows } from '../../../../src/state/panes/pane-rows.js';

const MINUTE = 60_000;

interface Row {
  readonly user: number;
  readonly item: number;
  readonly flags?: number;
  /** 1: a list of the first model led to it. */
  readonly cause?: number;
}

function paneRows(pane: number, rows: readonly Row[]): PaneRows {
  return {
    pane,
    length: rows.length,
    propensity: undefined,
    ranks: [],
    lists: [],
    user: Int32Array.from(rows, ({ user }) => user),
    item: Int32Array.from(rows, ({ item }) => item),
    flags: Uint8Array.from(rows, ({ flags = POSITIVE }) => flags),
    causes: {
      cause: Uint16Array.from(rows, ({ cause = 0 }) => cause),
      served: new Uint16Array(rows.length),
    },
  };
}

function found(panes: readonly PaneRows[], pane: number, followsCauses = true, firstPane = 0) {
  return newPairs(panes, { pane, firstPane, paneMs: MINUTE, followsCauses });
}

describe('the new pairs of a pane', () => {
  it('exclude pairs with an earlier unrandomised positive in the window', () => {
    const before = paneRows(3, [
      { user: 0, item: 3 },
      { user: 1, item: 3, flags: 0 },
      { user: 2, item: 3, flags: POSITIVE | RANDOMIZED },
    ]);
    const pane = paneRows(5, [
      { user: 0, item: 3 },
      { user: 1, item: 3 },
      { user: 2, item: 3 },
    ]);
    expect(found([before, pane], 5)).toEqual([1, 2]);
    expect(found([before, pane], 5, true, 4)).toEqual([0, 1, 2]);
  });

  it('exclude those within half an hour of an interaction driven by a list', () => {
    const caused = paneRows(1, [{ user: 0, item: 3, cause: 1 }]);
    const at = (pane: number) => paneRows(pane, [{ user: 0, item: 3 }]);
    expect(found([caused, at(31)], 31)).toEqual([]);
    expect(found([caused, at(32)], 32)).toEqual([0]);
    // What follows passes the cause on.
    expect(found([caused, at(31), at(61)], 61)).toEqual([]);
    expect(found([caused, at(31), at(62)], 62)).toEqual([0]);
    expect(found([caused, at(31)], 31, false)).toEqual([]);
  });
});
