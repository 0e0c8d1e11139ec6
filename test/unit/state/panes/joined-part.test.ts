import { expect, it } from 'vitest';
import { POSITIVE, RANDOMIZED, RATED } from '../../../../src/events/columns.js';
import { type RowSource, windowPart } from '../../../../src/state/panes/group-by-user.js';
import {
  joinedNames,
  joinedPart,
  joinedRequests,
  userNumbers,
} from '../../../../src/state/panes/joined-part.js';
import type { PaneRows } from '../../../../src/state/panes/pane-rows.js';
import type { ServedLists } from '../../../../src/state/panes/served-lists.js';
import { NOT_IN_LIST, type WindowPart } from '../../../../src/state/panes/window-part.js';
import type { WindowRequests } from '../../../../src/state/requests/pane-requests.js';

const MODELS = [0, 2];
const WINDOW = { from: 0, to: 200, firstPane: 0, lastPane: 1 };
/** Users 0 to 2 live in the first partition, 3 and 4 in the second. */
const FIRST_OF_SECOND = 3;

interface Row {
  readonly user: number;
  readonly item: number;
  readonly flags: number;
}

/** Users of the first partition come first, as they do in a single partition. */
const ROWS: readonly Row[] = [
  { user: 2, item: 5, flags: POSITIVE | RATED },
  { user: 0, item: 1, flags: RATED },
  { user: 2, item: 5, flags: POSITIVE },
  { user: 0, item: 3, flags: POSITIVE | RANDOMIZED },
  { user: 1, item: 5, flags: 0 },
  { user: 3, item: 5, flags: POSITIVE | RATED },
  { user: 4, item: 2, flags: POSITIVE | RANDOMIZED },
  { user: 3, item: 1, flags: POSITIVE },
  { user: 3, item: 1, flags: POSITIVE },
];

function paneOf(rows: readonly Row[], first: number, says: Partial<PaneRows> = {}): PaneRows {
  const column = () => Uint16Array.from(rows, ({ item }) => (item > 3 ? NOT_IN_LIST : item));
  return {
    pane: 0,
    length: rows.length,
    user: Int32Array.from(rows, ({ user }) => user - first),
    item: Int32Array.from(rows, ({ item }) => item),
    flags: Uint8Array.from(rows, ({ flags }) => flags),
    propensity: undefined,
    ratings: {
      rating: Float32Array.from(rows, ({ item }) => item),
      scores: [undefined, undefined, Float32Array.from(rows, ({ item }) => item / 2)],
    },
    ranks: [column(), undefined, column()],
    lists: [column(), undefined, column()],
    ...says,
  };
}

function servedBy(users: readonly number[], first: number): ServedLists {
  return {
    length: users.length,
    user: Int32Array.from(users, (user) => user - first),
    model: new Uint16Array(users.length),
    shownAt: Float64Array.from(users),
    lists: new Uint8Array(users.length).fill(1),
    reward: new Float64Array(users.length),
  };
}

/** The part of a partition with users from `first` on: all rows, or those of one partition. */
function partOf(
  rows: readonly Row[],
  users: readonly number[],
  first: number,
  says: Partial<PaneRows> = {},
): WindowPart {
  const randomized = rows.filter(({ flags }) => (flags & RANDOMIZED) !== 0);
  const source: RowSource = {
    closed: {
      rows: [paneOf(rows, first, says)],
      randomizedTraffic: () => ({
        counts: Int32Array.from(users, (user) => user),
        users: randomized.length,
        shown: 2 * randomized.length,
      }),
      served: () => [servedBy(users, first)],
      requests: [],
    },
    userCounts: Int32Array.from(users, (user) => 10 + user),
    keyOf: (user) => 1000 + first + user,
    reach(_from, _to, items) {
      return { users: users.length, items: new Float64Array(items).fill(users.length) };
    },
  };
  return windowPart(source, {
    window: WINDOW,
    models: MODELS,
    isKeyed: true,
    reachItems: 6,
    asksRatings: true,
  });
}

const FIRST = ROWS.filter(({ user }) => user < FIRST_OF_SECOND);
const SECOND = ROWS.filter(({ user }) => user >= FIRST_OF_SECOND);

/** Merge served lists of several panes, since only their content is compared. */
function withOneList({ served, ...part }: WindowPart) {
  const users = served!.flatMap(({ user }) => [...user]);
  const shownAt = served!.flatMap((lists) => [...lists.shownAt]);
  return { ...part, served: { users, shownAt } };
}

it('joining two partitions gives the rows of one partition with all users', () => {
  const joined = joinedPart([
    { of: partOf(FIRST, [0, 1, 2], 0), firstUser: 0 },
    { of: partOf(SECOND, [3, 4], 3), firstUser: 3 },
  ]);
  expect(withOneList(joined)).toEqual(withOneList(partOf(ROWS, [0, 1, 2, 3, 4], 0)));
  expect([...joined.rated!.user]).toEqual([2, 0, 3]);
});

it('a part without a column gets its empty values', () => {
  const rows = SECOND.length;
  const says = {
    propensity: new Float32Array(rows).fill(0.5),
    causes: { cause: new Uint16Array(rows).fill(1), served: new Uint16Array(rows).fill(3) },
    segments: {
      dimensions: ['country'],
      names: [['', '', 'fr']],
      codes: [new Uint16Array(rows).fill(2)],
    },
  };
  const second = partOf(SECOND, [3, 4], 3, says);
  const first = partOf(FIRST, [0, 1, 2], 0);
  const { propensity, causes, segments } = joinedPart([
    { of: first, firstUser: 0 },
    { of: second, firstUser: 3 },
  ]);
  const after = (nothing: number, value: number) => [
    ...new Array(first.rows).fill(nothing),
    ...new Array(second.rows).fill(value),
  ];
  expect([...propensity!]).toEqual(after(0, 0.5));
  expect([...causes!.cause]).toEqual(after(0, 1));
  expect([...causes!.served]).toEqual(after(0, 2));
  expect([...segments!.codes[0]!]).toEqual(after(0, 2));
  expect(segments!.names).toBe(says.segments.names);
});

it('a single partition is returned without a copy', () => {
  const part = partOf(ROWS, [0, 1, 2, 3, 4], 0);
  expect(joinedPart([{ of: part, firstUser: 0 }])).toBe(part);
});

it('randomised items are unknown if they are in one partition', () => {
  const part = partOf(ROWS, [0, 1, 2, 3, 4], 0);
  const unknown = { ...part, randomizedItems: Number.NaN };
  const { randomizedItems } = joinedPart([
    { of: part, firstUser: 0 },
    { of: unknown, firstUser: 5 },
  ]);
  expect(randomizedItems).toBeNaN();
});

it('users have the same numbers in requests and names', () => {
  const panes = (...users: number[]) => [{ user: Int32Array.from(users) } as WindowRequests];
  const requests = joinedRequests([
    { of: panes(0, 2), firstUser: 0 },
    { of: panes(1, 0), firstUser: 3 },
  ]);
  expect(requests.map(({ user }) => [...user])).toEqual([
    [0, 2],
    [4, 3],
  ]);
  const named = (partition: string) => (user: number) => `${partition}${user}`;
  const names = joinedNames([
    { of: named('a'), firstUser: 0 },
    { of: named('b'), firstUser: 3 },
  ])!;
  expect([0, 2, 3, 4].map(names)).toEqual(['a0', 'a2', 'b0', 'b1']);
  expect(joinedNames([{ of: undefined, firstUser: 0 }])).toBeUndefined();
  expect(userNumbers(requests)).toBe(5);
  expect(userNumbers([])).toBe(0);
});
