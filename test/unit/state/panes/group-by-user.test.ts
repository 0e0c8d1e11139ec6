import { expect, it } from 'vitest';
import { groupByUser } from '../../../../src/state/panes/group-by-user.js';
import type { PaneRows } from '../../../../src/state/panes/pane-rows.js';

/** Users and items of a pane's rows, in order of time. */
function paneOf(pane: number, rows: readonly (readonly [user: number, item: number])[]): PaneRows {
  return {
    pane,
    length: rows.length,
    propensity: undefined,
    ranks: [],
    lists: [],
    user: Int32Array.from(rows, ([user]) => user),
    item: Int32Array.from(rows, ([, item]) => item),
    flags: new Uint8Array(rows.length),
  };
}

it('orders users by their first rows, whatever their numbers are', () => {
  const partOf = (ann: number, bob: number, cat: number) => {
    const counts = new Int32Array(8);
    counts[ann] = 30;
    counts[bob] = 40;
    counts[cat] = 50;
    const first = paneOf(0, [
      [bob, 1],
      [ann, 2],
      [bob, 3],
    ]);
    const second = paneOf(1, [
      [cat, 4],
      [bob, 1],
      [ann, 5],
    ]);
    return groupByUser([first, second], [], counts);
  };
  const part = partOf(0, 1, 2);
  expect([...part.userCount]).toEqual([40, 30, 50]);
  expect([...part.userStart]).toEqual([0, 2, 4, 5]);
  expect([...part.item.subarray(0, part.rows)]).toEqual([1, 3, 2, 5, 4]);
  expect(partOf(7, 3, 0)).toEqual(part);
});
