import { inclusionProbability } from '../../sampling/expected-inclusion.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import type { Chances } from './intervened.js';
import type { PreparedIntervention } from './interventions.js';

/** Rows, Σ w and Σ π of each user or item. */
export class Margins {
  readonly before: Float64Array;
  readonly weights: Float64Array;
  readonly sample: Float64Array;

  constructor(size: number) {
    this.before = new Float64Array(size);
    this.weights = new Float64Array(size);
    this.sample = new Float64Array(size);
  }
}

/** What one look at every row gives: its chance to be drawn, and the margins of the draw. */
export interface DrawMargins {
  readonly chances: Chances;
  /** By part, over its segments. */
  readonly users: readonly Margins[];
  readonly items: Margins;
}

/**
 * The chance of every row of a window, π = 1 − e^(−w τ), with its sums by user and by item.
 *
 * The chances stay for the pass that weighs: an exponential costs more than the rest of a row's
 * work. O(rows), yielding between slices.
 */
export function* drawMargins(
  prepared: PreparedIntervention,
  parts: readonly WindowPart[],
  itemCount: number,
  sliceRows: number,
): Generator<void, DrawMargins> {
  const { itemChance } = prepared;
  const items = new Margins(itemCount);
  const users: Margins[] = [];
  const byRow = new Map<WindowPart, Float64Array>();
  for (const part of parts) {
    const own = new Margins(part.users);
    users.push(own);
    const chances = itemChance === null ? new Float64Array(part.rows) : null;
    if (chances !== null) byRow.set(part, chances);
    for (let from = 0; from < part.users; ) {
      const to = sliceEnd(part, from, sliceRows);
      addUsers(part, from, to, prepared, own, items, chances);
      from = to;
      yield;
    }
  }
  return { chances: itemChance ?? byRow, users, items };
}

/** End of the users who have about `rows` rows from `from` on. */
function sliceEnd({ userStart, users }: WindowPart, from: number, rows: number): number {
  let to = from + 1;
  while (to < users && userStart[to + 1] - userStart[from] <= rows) to++;
  return to;
}

function addUsers(
  part: WindowPart,
  from: number,
  to: number,
  { sides, time, itemChance }: PreparedIntervention,
  users: Margins,
  items: Margins,
  chances: Float64Array | null,
): void {
  const { userStart, item } = part;
  const { itemSide } = sides;
  const userSide = sides.userSides?.get(part);
  const { before, weights, sample } = items;
  for (let s = from; s < to; s++) {
    const side = userSide?.[s] ?? 1;
    let weightSum = 0;
    let chanceSum = 0;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      const i = item[r];
      const weight = side * itemSide[i];
      const chance = itemChance === null ? inclusionProbability(weight, time) : itemChance[i];
      if (chances !== null) chances[r] = chance;
      weightSum += weight;
      chanceSum += chance;
      before[i]++;
      weights[i] += weight;
      sample[i] += chance;
    }
    users.before[s] = userStart[s + 1] - userStart[s];
    users.weights[s] = weightSum;
    users.sample[s] = chanceSum;
  }
}
