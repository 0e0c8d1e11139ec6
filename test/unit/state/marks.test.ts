import { describe, expect, it } from 'vitest';
import { Popularity } from '../../../src/state/counts/popularity.js';
import { PopularityShare } from '../../../src/state/counts/popularity-share.js';
import { NO_COUNTS } from '../../../src/state/counts/sparse-counts.js';
import { ClosedPanes } from '../../../src/state/panes/closed-panes.js';
import { NO_PANE_COUNTS, type PaneContent } from '../../../src/state/panes/pane-content.js';
import { runAtOnce } from '../../../src/stream/sliced.js';

const counted = (...ids: number[]) => ({
  ids: Int32Array.from(ids),
  counts: new Uint8Array(ids.length).fill(1),
});

/** A row of user 1 and item 2. */
const rows = {
  pane: 0,
  length: 1,
  user: Int32Array.of(1, 9),
  item: Int32Array.of(2, 9),
  flags: new Uint8Array(2),
  propensity: undefined,
  ranks: [],
  lists: [],
};

const content = (change: Partial<PaneContent>): PaneContent => ({
  pane: 0,
  levels: { rows: 0, users: 0 },
  rows: undefined,
  users: NO_COUNTS,
  randomizedUsers: NO_COUNTS,
  randomized: { users: new Int32Array(0), shown: NO_COUNTS, isPartlyLogged: false },
  counts: NO_PANE_COUNTS,
  models: new Map(),
  ...change,
});

/** Numbers whose flags are set. */
function marked(mark: (flags: Uint8Array) => Generator<void, void>): number[] {
  const flags = new Uint8Array(10);
  runAtOnce(mark(flags));
  return [...flags.keys()].filter((id) => flags[id] === 1);
}

const OF_USERS: readonly (readonly [string, Partial<PaneContent>, number[]])[] = [
  ['rows', { rows }, [1]],
  ['interactions', { users: counted(3) }, [3]],
  ['randomised interactions', { randomizedUsers: counted(4) }, [4]],
  [
    'randomised lists',
    { randomized: { users: Int32Array.of(5, 6), shown: counted(5), isPartlyLogged: false } },
    [5, 6],
  ],
];

describe('users that are in use', () => {
  it.each(OF_USERS)('are those with %s in closed panes', (_, own, users) => {
    const closed = new ClosedPanes(1000, 10, 1000);
    closed.add(content(own), 10);
    expect(marked((flags) => closed.markUsers(flags))).toEqual(users);
  });
});

describe('items that are in use', () => {
  it.each([
    ['positives', { positives: counted(3) }, [3], 'positive'],
    ['interactions', { interactions: counted(4) }, [4], 'all'],
    ['randomised interactions', { randomized: counted(5) }, [5], 'all'],
    ['exposures', { exposures: [NO_COUNTS, counted(6, 7)] }, [6, 7], 'all'],
    ['lists that are not exposures', { listed: counted(8) }, [8], 'all'],
  ] as const)('are those with %s, until the horizon has passed', (_, own, items, of) => {
    const counts = { ...NO_PANE_COUNTS, ...own };
    const times = { paneMs: 10, horizonMs: 100, gammaPeriodMs: 50, windowsMs: [20] };
    const popularity = new Popularity({ ...times, of });
    const share = new PopularityShare(popularity);
    share.addInteractions(counts, 10);
    share.addExposures(counts, 10);
    share.advance(100);
    expect(marked((flags) => popularity.markItems(flags))).toEqual(items);
    share.advance(110);
    expect(marked((flags) => popularity.markItems(flags))).toEqual([]);
  });
});
