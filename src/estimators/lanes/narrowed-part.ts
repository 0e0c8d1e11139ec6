import { takenCauses } from '../../state/panes/row-causes.js';
import { takenSegments } from '../../state/panes/row-segments.js';
import { taken } from '../../state/panes/taken-rows.js';
import {
  ORGANIC_TRAFFIC,
  RANDOMIZED_TRAFFIC,
  type WindowPart,
} from '../../state/panes/window-part.js';
import { NumberSums } from '../partitions/number-sums.js';
import type { Rounds } from '../partitions/rounds.js';

/**
 * A part with some of its rows alone, and the same segments. O(rows kept · models). Yields between
 * columns.
 *
 * @param kept rows, ascending. @param userStart of the segments' rows among those that are kept.
 */
export function* narrowedPart(
  part: WindowPart,
  kept: Int32Array,
  userStart: Int32Array,
): Generator<void, WindowPart> {
  const { propensity, causes, segments } = part;
  const narrowed = {
    rows: kept.length,
    userStart,
    item: taken(part.item, kept),
    positive: taken(part.positive, kept),
    traffic: taken(part.traffic, kept),
    ...(propensity && { propensity: taken(propensity, kept) }),
    ...(causes && { causes: takenCauses(causes, kept) }),
    ...(segments && { segments: takenSegments(segments, kept) }),
    ranks: [] as Uint16Array[],
    lists: [] as Uint16Array[],
  };
  for (let m = 0; m < part.ranks.length; m++) {
    yield;
    narrowed.ranks.push(taken(part.ranks[m], kept));
    narrowed.lists.push(taken(part.lists[m], kept));
  }
  return { ...part, ...narrowed };
}

/**
 * The rows of users who have fewer interactions over the horizon than a limit; the very same part
 * where all have. O(rows · models) where somebody has not. Yields often.
 *
 * @param limit interactions from which on a user is left out; Infinity leaves nobody out.
 */
export function* rowsOfLighterUsers(part: WindowPart, limit: number): Generator<void, WindowPart> {
  const { users, userStart, userCount } = part;
  if (!userCount.some((count) => count >= limit)) return part;
  const kept = new Int32Array(part.rows);
  const start = new Int32Array(users + 1);
  let rows = 0;
  for (let s = 0; s < users; s++) {
    start[s] = rows;
    if (userCount[s] >= limit) continue;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) kept[rows++] = r;
  }
  start[users] = rows;
  yield;
  return yield* narrowedPart(part, kept.subarray(0, rows), start);
}

/** A window's rows by where they came from. */
export interface SeparateTraffic {
  /** Rows with an organic interaction; the very same parts where there are no others. */
  readonly organic: readonly WindowPart[];
  /** Rows with an interaction from randomised traffic; no parts where no partition has any. */
  readonly randomized: readonly WindowPart[];
  /** Some partition has them. */
  readonly isMixed: boolean;
}

/**
 * Separates the rows of organic traffic from those of randomised traffic.
 *
 * A pair that was found in both is a row of both: either would have found it without the other.
 * The weights n^−β undo an organic policy's selection, which a randomised row never went through,
 * so such a row has no place among the rows that they weigh; what is randomised is measured by ure.
 * O(rows) where there is randomised traffic, and a look at one column else.
 *
 * @param sliceRows rows of work between two yields. @param rounds say whether any partition has rows
 * of randomised traffic.
 * @returns parts with the same segments, some of them without rows.
 */
export function* separateTraffic(
  parts: readonly WindowPart[],
  sliceRows: number,
  rounds: Rounds,
): Generator<void, SeparateTraffic> {
  const found = yield* rounds.gather(new NumberSums(1), parts, function* look(sums, part) {
    sums.values[0] = hasRandomized(part) ? 1 : 0;
    yield;
  });
  if (found.values[0] === 0) return { organic: parts, randomized: [], isMixed: false };
  const organic: WindowPart[] = [];
  const randomized: WindowPart[] = [];
  for (const part of parts) {
    organic.push(hasRandomized(part) ? yield* rowsOf(part, ORGANIC_TRAFFIC, sliceRows) : part);
    randomized.push(yield* rowsOf(part, RANDOMIZED_TRAFFIC, sliceRows));
  }
  return { organic, randomized, isMixed: true };
}

/** Most windows hold organic rows alone: one quick look says so. */
function hasRandomized({ traffic, rows }: WindowPart): boolean {
  let any = 0;
  for (let r = 0; r < rows; r++) any |= traffic[r];
  return (any & RANDOMIZED_TRAFFIC) !== 0;
}

function* rowsOf(part: WindowPart, bit: number, sliceRows: number): Generator<void, WindowPart> {
  const { users, userStart, traffic } = part;
  const kept = new Int32Array(countOf(part, bit));
  const start = new Int32Array(users + 1);
  let rows = 0;
  let work = 0;
  for (let s = 0; s < users; s++) {
    start[s] = rows;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      if ((traffic[r] & bit) !== 0) kept[rows++] = r;
    }
    work += userStart[s + 1] - userStart[s];
    if (work >= sliceRows) {
      yield;
      work = 0;
    }
  }
  start[users] = rows;
  yield;
  return yield* narrowedPart(part, kept, start);
}

function countOf({ traffic, rows }: WindowPart, bit: number): number {
  let count = 0;
  for (let r = 0; r < rows; r++) if ((traffic[r] & bit) !== 0) count++;
  return count;
}
