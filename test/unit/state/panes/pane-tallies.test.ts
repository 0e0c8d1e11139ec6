import { expect, it } from 'vitest';
import { LATE, RANDOMIZED, SHOWN } from '../../../../src/events/columns.js';
import { NONE_UNPLACED } from '../../../../src/state/ids/heard-models.js';
import { PaneTallies } from '../../../../src/state/panes/pane-tallies.js';
import type { PendingExposures } from '../../../../src/state/panes/pending-exposures.js';

const NOTHING = { interactions: 0, exposures: 0 };

/** One list of a model after the other, of two items each. */
function exposures(lists: readonly (readonly [model: number, flags: number])[]): PendingExposures {
  return {
    user: Int32Array.from(lists, () => 0),
    model: Int32Array.from(lists, ([model]) => model),
    flags: Uint8Array.from(lists, ([, flags]) => flags),
    items: Int32Array.from(lists.flatMap(() => [3, 4])),
    listStart: Int32Array.from([...lists, 0], (_, n) => 2 * n),
  } as unknown as PendingExposures;
}

it('a closed pane names all models with lists, served or not', () => {
  const tallies = new PaneTallies();
  const lists = exposures([
    [5, 0],
    [2, SHOWN],
    [9, SHOWN | RANDOMIZED],
    [0, SHOWN | LATE],
  ]);
  for (let r = 0; r < 4; r++) tallies.countExposure(lists, r);
  // Lists of users who are not sampled are only counted.
  tallies.noteLists(7, 2);
  tallies.exposures(11).add(1);
  const drained = tallies.drain(0, NOTHING, NONE_UNPLACED);
  expect(drained.listing).toEqual([0, 2, 5, 7, 9, 11]);
  expect(drained.lists).toEqual([1, 1, 1, 2, 1, 0]);
  expect(tallies.drain(0, NOTHING, NONE_UNPLACED).listing).toEqual([]);
});
