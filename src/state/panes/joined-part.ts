import type { Reach } from '../counts/reach.js';
import type { WindowRequests } from '../requests/pane-requests.js';
import type { RowCauses } from './row-causes.js';
import type { RowSegments } from './row-segments.js';
import type { ServedLists } from './served-lists.js';
import type { RatedPart, WindowPart } from './window-part.js';

type Column = Float64Array | Float32Array | Int32Array | Uint16Array | Uint8Array;

/** A part of one partition with an offset for its user numbers. */
export interface Numbered<Of> {
  readonly of: Of;
  /** Offset that makes user numbers unique over all partitions. */
  readonly firstUser: number;
}

/**
 * Join the rows of a window over all partitions, in the order of the partitions. A single part is
 * returned unchanged. O(rows · models).
 *
 * @param parts at least one, all with the same models and for the same request
 */
export function joinedPart(parts: readonly Numbered<WindowPart>[]): WindowPart {
  if (parts.length === 1) return parts[0].of;
  const all = parts.map(({ of }) => of);
  const rows = {
    users: sum(all.map(({ users }) => users)),
    userStart: joinedStarts(all.map(({ userStart }) => userStart)),
    userCount: joined(all.map(({ userCount }) => userCount)),
    userRandomized: joined(all.map(({ userRandomized }) => userRandomized)),
    randomizedUsers: sum(all.map(({ randomizedUsers }) => randomizedUsers)),
    randomizedItems: sum(all.map(({ randomizedItems }) => randomizedItems)),
    repeatedPositives: sum(all.map(({ repeatedPositives = 0 }) => repeatedPositives)),
    rows: sum(all.map(({ rows }) => rows)),
    item: joined(all.map(({ item }) => item)),
    positive: joined(all.map(({ positive }) => positive)),
    traffic: joined(all.map(({ traffic }) => traffic)),
  };
  const userKey = everyOne(all.map((part) => part.userKey));
  const reach = everyOne(all.map((part) => part.reach));
  const rated = everyOne(all.map((part) => part.rated));
  const served = parts.flatMap(shiftedLists);
  const requests = joinedRequests(
    parts.map(({ of, firstUser }) => ({
      of: of.requests ?? [],
      firstUser,
    })),
  );
  return {
    ...rows,
    ranks: all[0].ranks.map((_, m) => joined(all.map(({ ranks }) => ranks[m]))),
    lists: all[0].lists.map((_, m) => joined(all.map(({ lists }) => lists[m]))),
    ...(all.some(({ propensity }) => propensity) && { propensity: joinedPropensities(all) }),
    ...(all.some(({ causes }) => causes) && { causes: joinedCauses(all) }),
    ...(all.some(({ segments }) => segments) && { segments: joinedSegments(all) }),
    ...(userKey && { userKey: joined(userKey) }),
    ...(reach && { reach: joinedReach(reach) }),
    ...(served.length > 0 && { served }),
    ...(requests.length > 0 && { requests }),
    ...(rated && {
      rated: joinedRatings(
        rated.map((of, p) => ({
          of,
          firstUser: parts[p].firstUser,
        })),
      ),
    }),
  };
}

/** The largest user number in the columns plus one; 0 if the columns are empty. */
export function userNumbers(columns: readonly { readonly user: Int32Array }[]): number {
  let numbers = 0;
  for (const { user } of columns) {
    for (const own of user) {
      numbers = Math.max(numbers, own + 1);
    }
  }
  return numbers;
}

/** Join the requests of all partitions in one list of panes. */
export function joinedRequests(
  parts: readonly Numbered<readonly WindowRequests[]>[],
): readonly WindowRequests[] {
  return parts.flatMap(({ of, firstUser }) =>
    firstUser === 0
      ? of
      : of.map((pane) => ({
          ...pane,
          user: shifted(pane.user, firstUser),
        })),
  );
}

/** Join the functions that name each partition's users; undefined if a partition has none. */
export function joinedNames(
  parts: readonly Numbered<((user: number) => string) | undefined>[],
): ((user: number) => string) | undefined {
  if (parts.length === 1) return parts[0].of;
  if (parts.some(({ of }) => of === undefined)) return undefined;
  const lastFirst = parts.toReversed();
  return (user) => {
    const { of, firstUser } = lastFirst.find((part) => user >= part.firstUser)!;
    return of!(user - firstUser);
  };
}

function shiftedLists({ of, firstUser }: Numbered<WindowPart>): readonly ServedLists[] {
  const { served = [] } = of;
  if (firstUser === 0) return served;
  return served.map((lists) => ({
    ...lists,
    user: shifted(lists.user, firstUser),
  }));
}

function joinedPropensities(parts: readonly WindowPart[]): Float32Array {
  return joined(parts.map(({ propensity, rows }) => propensity ?? new Float32Array(rows)));
}

function joinedCauses(parts: readonly WindowPart[]): RowCauses {
  return {
    cause: joined(parts.map(({ causes, rows }) => causes?.cause ?? new Uint16Array(rows))),
    served: joined(parts.map(({ causes, rows }) => causes?.served ?? new Uint16Array(rows))),
  };
}

function joinedSegments(parts: readonly WindowPart[]): RowSegments {
  const { dimensions, names } = parts.find(({ segments }) => segments)!.segments!;
  const codes = dimensions.map((_, d) =>
    joined(parts.map(({ segments, rows }) => segments?.codes[d] ?? new Uint16Array(rows))),
  );
  return {
    dimensions,
    names,
    codes,
  };
}

function joinedReach(parts: readonly Reach[]): Reach {
  const items = new Float64Array(Math.max(...parts.map((part) => part.items.length)));
  for (const part of parts) {
    for (const [item, users] of part.items.entries()) {
      items[item] += users;
    }
  }
  return {
    users: sum(parts.map(({ users }) => users)),
    items,
  };
}

function joinedRatings(parts: readonly Numbered<RatedPart>[]): RatedPart {
  const all = parts.map(({ of }) => of);
  const learned = everyOne(all.map((part) => part.learned));
  return {
    users: sum(all.map(({ users }) => users)),
    start: joinedStarts(all.map(({ start }) => start)),
    user: joined(parts.map(({ of, firstUser }) => shifted(of.user, firstUser))),
    userCount: joined(all.map(({ userCount }) => userCount)),
    item: joined(all.map(({ item }) => item)),
    rating: joined(all.map(({ rating }) => rating)),
    isRandom: joined(all.map(({ isRandom }) => isRandom)),
    propensity: joined(all.map(({ propensity }) => propensity)),
    ...(learned && { learned: joined(learned) }),
    ranks: all[0].ranks.map((_, m) => joined(all.map(({ ranks }) => ranks[m]))),
    scores: all[0].scores.map((_, m) => joined(all.map(({ scores }) => scores[m]))),
    offScale: sum(all.map(({ offScale }) => offScale)),
  };
}

/** Join the row offsets of user segments, so that they refer to the joined rows. */
function joinedStarts(parts: readonly Int32Array[]): Int32Array {
  const starts = new Int32Array(1 + sum(parts.map((part) => part.length - 1)));
  let at = 1;
  let rows = 0;
  for (const part of parts) {
    for (let s = 1; s < part.length; s++) {
      starts[at++] = rows + part[s];
    }
    rows += part[part.length - 1];
  }
  return starts;
}

/** Concatenate columns. @param columns one at least */
export function joined<Of extends Column>(columns: readonly Of[]): Of {
  if (columns.length === 1) return columns[0];
  const length = sum(columns.map((column) => column.length));
  const into = new (columns[0].constructor as new (length: number) => Of)(length);
  let at = 0;
  for (const column of columns) {
    into.set(column, at);
    at += column.length;
  }
  return into;
}

function shifted(users: Int32Array, by: number): Int32Array {
  return by === 0 ? users : users.map((user) => user + by);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The values, if all are defined; otherwise undefined. */
function everyOne<T>(values: readonly (T | undefined)[]): T[] | undefined {
  const found = values.filter((value) => value !== undefined);
  return found.length === values.length ? found : undefined;
}
