import type { WindowPart } from '../../state/panes/window-part.js';
import type { WeightCells } from './expected-inclusion.js';
import type { LevelIndex } from './level-index.js';

/**
 * Groups all rows of a window by the level of their user and of their item.
 *
 * A cell is one pair of levels (user's count n_u, item's count n_i): its rows have one weight. Cells
 * come in level order, so that sums over them do not depend on the order of rows, users or parts.
 * Only cells with rows are stored: O(rows) at most, however many levels there are.
 *
 * @param parts the window. @param users levels of n_u; null if the user's side is constant.
 * @param itemLevel level of n_i per item. @param itemLevels number of those.
 * @param weightOf weight of a cell; a cell of weight 0 is left out.
 * @param sliceRows rows of work between two yields.
 */
export function* weightCells(
  parts: readonly WindowPart[],
  users: LevelIndex | null,
  itemLevel: Int32Array,
  itemLevels: number,
  weightOf: (userLevel: number, itemLevel: number) => number,
  sliceRows: number,
): Generator<void, WeightCells> {
  const cells = new CellList();
  const tally = new LevelTally(itemLevels);
  if (users === null) {
    for (const part of parts) {
      for (let from = 0; from < part.rows; from += sliceRows) {
        tally.add(part.item, from, Math.min(part.rows, from + sliceRows), itemLevel);
        yield;
      }
    }
    tally.flush((level, rows) => cells.push(weightOf(0, level), rows));
    return cells;
  }
  const order = usersByLevel(parts, users);
  yield;
  let work = 0;
  for (let userLevel = 0; userLevel < users.counts.length; userLevel++) {
    for (let o = order.start[userLevel]; o < order.start[userLevel + 1]; o++) {
      const { userStart, item } = parts[order.part[o]];
      const segment = order.segment[o];
      tally.add(item, userStart[segment], userStart[segment + 1], itemLevel);
      work += userStart[segment + 1] - userStart[segment] + 1;
      if (work >= sliceRows) {
        yield;
        work = 0;
      }
    }
    work += tally.flush((level, rows) => cells.push(weightOf(userLevel, level), rows));
  }
  return cells;
}

/** Rows by item level; knows which levels it met, so that few rows cost little to flush. */
class LevelTally {
  private readonly rows: Float64Array;
  private readonly met: Int32Array;
  private size = 0;

  constructor(levels: number) {
    this.rows = new Float64Array(levels);
    this.met = new Int32Array(levels);
  }

  add(item: Int32Array, from: number, to: number, itemLevel: Int32Array): void {
    const { rows, met } = this;
    let size = this.size;
    for (let r = from; r < to; r++) {
      const level = itemLevel[item[r]];
      if (rows[level] === 0) met[size++] = level;
      rows[level]++;
    }
    this.size = size;
  }

  /** Hands over the levels that were met, ascending, and forgets them; answers how many. */
  flush(take: (level: number, rows: number) => void): number {
    const met = this.met.subarray(0, this.size).sort();
    for (const level of met) {
      take(level, this.rows[level]);
      this.rows[level] = 0;
    }
    this.size = 0;
    return met.length;
  }
}

/** User segments in order of their level, by counting sort. */
function usersByLevel(parts: readonly WindowPart[], users: LevelIndex) {
  const start = new Int32Array(users.counts.length + 1);
  for (const part of parts) {
    for (let s = 0; s < part.users; s++) start[users.indexOf(part.userCount[s]) + 1]++;
  }
  for (let level = 1; level < start.length; level++) start[level] += start[level - 1];
  const next = start.slice();
  const total = start[start.length - 1];
  const part = new Int32Array(total);
  const segment = new Int32Array(total);
  parts.forEach(({ users: segments, userCount }, p) => {
    for (let s = 0; s < segments; s++) {
      const at = next[users.indexOf(userCount[s])]++;
      part[at] = p;
      segment[at] = s;
    }
  });
  return { start, part, segment };
}

class CellList implements WeightCells {
  cells = 0;
  weight: Float64Array = new Float64Array(1024);
  rows: Float64Array = new Float64Array(1024);

  push(weight: number, rows: number): void {
    if (weight === 0) return;
    if (this.cells === this.weight.length) {
      this.weight = doubled(this.weight);
      this.rows = doubled(this.rows);
    }
    this.weight[this.cells] = weight;
    this.rows[this.cells++] = rows;
  }
}

function doubled(array: Float64Array): Float64Array {
  const longer = new Float64Array(array.length * 2);
  longer.set(array);
  return longer;
}
