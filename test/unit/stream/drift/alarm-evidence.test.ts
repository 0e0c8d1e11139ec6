import { expect, it } from 'vitest';
import { POSITIVE } from '../../../../src/events/columns.js';
import { hitShift, topItems } from '../../../../src/features/drift/raised-alarm.js';
import type { PaneRows } from '../../../../src/state/panes/pane-rows.js';
import { NOT_IN_LIST, UNRANKED } from '../../../../src/state/panes/window-part.js';

/** Rows of (item, rank of model 1, positive?). */
function paneRows(pane: number, rows: readonly [number, number, boolean][]): PaneRows {
  return {
    pane,
    length: rows.length,
    user: new Int32Array(rows.length),
    item: Int32Array.from(rows, ([item]) => item),
    propensity: undefined,
    flags: Uint8Array.from(rows, ([, , positive]) => (positive ? POSITIVE : 0)),
    ranks: [undefined, Uint16Array.from(rows, ([, rank]) => rank)],
    lists: [],
  };
}

const PANES = [
  paneRows(4, [
    [0, 3, true],
    [0, 9, true],
    [1, 10, true],
  ]),
  paneRows(5, [
    [1, 0, true],
    [2, 5, false],
    [2, NOT_IN_LIST, true],
    [2, UNRANKED, true],
  ]),
];

it('hitShift counts positive rows within the cut-off, before and since the change', () => {
  const asked = { model: 1, depth: 10, firstPane: 5, items: 3 };
  const shift = hitShift(PANES, asked);
  expect([...(shift.before as Float64Array)]).toEqual([2, 0, 0]);
  expect([...(shift.now as Float64Array)]).toEqual([0, 1, 0]);
  const none = hitShift(PANES, { ...asked, model: 0 });
  expect([...(none.now as Float64Array)]).toEqual([0, 0, 0]);
});

it('topItems names the five items whose share moved most, ties by id', () => {
  const names = { text: (item: number) => `i${item}`, compare: (a: number, b: number) => b - a };
  const found = topItems({ now: [5, 1, 1, 1, 1, 1], before: [0, 2, 2, 2, 2, 2] }, names);
  expect(found.map(({ item }) => item)).toEqual(['i0', 'i5', 'i4', 'i3', 'i2']);
  expect(found[0]).toEqual({ item: 'i0', share: 0.5, before: 0 });
  expect(topItems({ now: [1, 1], before: [7, 7] }, names)).toEqual([]);
  expect(topItems({ now: [2], before: [0, 2] }, names).map(({ item }) => item)).toEqual([
    'i1',
    'i0',
  ]);
});
