import { enlarged } from '../../events/column-table.js';
import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import { madeOnce } from '../lanes/made-once.js';
import { perItem } from '../lanes/per-item.js';
import type { InterventionName } from '../names.js';
import type { EstimateOptions } from '../options.js';
import { perLevel } from '../propensity/power-law.js';
import type { Intervention, SideWeights } from '../rules/estimator.js';
import { interventionOf } from '../rules/registry.js';
import {
  inclusionProbability,
  samplingTime,
  samplingTimeOf,
  type WeightCells,
} from './expected-inclusion.js';
import { type LevelIndex, levelIndex } from './level-index.js';
import { rake } from './raking.js';
import { type RowTallies, rowTallies } from './row-tallies.js';
import { type WeightSummary, weightSummary } from './sample-distance.js';
import { WeightBins } from './weight-bins.js';

/**
 * Groups all rows of a window by the level of their user and of their item.
 *
 * A cell is one pair of levels (user's count n_u, item's count n_i): its rows have one weight. Cells
 * come in level order, so that sums over them do not depend on the order of rows or users.
 * Only cells with rows are stored: O(rows) at most, however many levels there are.
 *
 * @param users levels of n_u. @param weightOf weight of a cell, by level of the user and of the item;
 * a cell of weight 0 is left out.
 */
function* weightCells(
  { part, levels: { index, ofItem }, sliceRows }: LevelledRows,
  users: LevelIndex,
  weightOf: (userLevel: number, itemLevel: number) => number,
): Generator<void, WeightCells> {
  const cells = new CellList();
  const tally = new LevelTally(index.counts.length);
  const order = usersByLevel(part, users);
  yield;
  const { userStart, item } = part;
  let work = 0;
  for (let userLevel = 0; userLevel < users.counts.length; userLevel++) {
    for (let o = order.start[userLevel]; o < order.start[userLevel + 1]; o++) {
      const s = order.segment[o];
      tally.add(item, userStart[s], userStart[s + 1], ofItem);
      work += userStart[s + 1] - userStart[s] + 1;
      if (work >= sliceRows) {
        yield;
        work = 0;
      }
    }
    work += tally.flush((level, rows) => cells.push(weightOf(userLevel, level), rows));
  }
  return cells;
}

/** Rows of a window, and the levels of their items. */
interface LevelledRows {
  readonly part: WindowPart;
  readonly levels: ItemLevels;
  readonly sliceRows: number;
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
      if (rows[level] === 0) {
        met[size++] = level;
      }
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
function usersByLevel({ users: segments, userCount }: WindowPart, users: LevelIndex) {
  const start = new Int32Array(users.counts.length + 1);
  for (let s = 0; s < segments; s++) {
    start[users.indexOf(userCount[s]) + 1]++;
  }
  for (let level = 1; level < start.length; level++) {
    start[level] += start[level - 1];
  }
  const next = start.slice();
  const segment = new Int32Array(segments);
  for (let s = 0; s < segments; s++) {
    segment[next[users.indexOf(userCount[s])]++] = s;
  }
  return { start, segment };
}

class CellList implements WeightCells {
  cells = 0;
  weight: Float64Array = new Float64Array(1024);
  rows: Float64Array = new Float64Array(1024);

  push(weight: number, rows: number): void {
    if (weight === 0) return;
    if (this.cells === this.weight.length) {
      this.weight = enlarged(this.weight, this.weight.length * 2);
      this.rows = enlarged(this.rows, this.rows.length * 2);
    }
    this.weight[this.cells] = weight;
    this.rows[this.cells++] = rows;
  }
}

/**
 * Adds all rows by their weight, where it differs from user to user. Where weights follow from the two
 * counts alone, many rows share one.
 */
function* binnedRows(
  name: InterventionName,
  sides: InterventionSides,
  rows: LevelledRows,
): Generator<void, WeightBins> {
  const bins = new WeightBins();
  const { weights } = interventionOf(name);
  const followCounts = weights !== 'raked' && !weights.isTargeted;
  if (followCounts) {
    yield* addCells(sides, bins, rows);
  } else {
    yield* addEach(sides, bins, rows);
  }
  return bins;
}

function* addCells(
  { userSide, itemSide }: InterventionSides,
  bins: WeightBins,
  rows: LevelledRows,
): Generator<void, void> {
  const { part, levels } = rows;
  const itemSideAt = new Float64Array(levels.index.counts.length);
  for (let i = 0; i < itemSide.length; i++) {
    itemSideAt[levels.ofItem[i]] = itemSide[i];
  }
  const users = yield* levelIndex(part.userCount.subarray(0, part.users));
  const userSideAt = new Float64Array(users.counts.length);
  for (let s = 0; s < part.users; s++) {
    userSideAt[users.indexOf(part.userCount[s])] = userSide![s];
  }
  const weightOf = (user: number, item: number) => userSideAt[user] * itemSideAt[item];
  const cells = yield* weightCells(rows, users, weightOf);
  for (let c = 0; c < cells.cells; c++) {
    bins.add(cells.weight[c], cells.rows[c]);
  }
  yield;
}

function* addEach(
  { userSide, itemSide }: InterventionSides,
  bins: WeightBins,
  { part: { users, userStart, item }, sliceRows }: LevelledRows,
): Generator<void, void> {
  let yieldAt = sliceRows;
  for (let s = 0; s < users; s++) {
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      const weight = userSide![s] * itemSide[item[r]];
      if (weight > 0) {
        bins.add(weight, 1);
      }
    }
    if (userStart[s + 1] < yieldAt) continue;
    yieldAt = userStart[s + 1] + sliceRows;
    yield;
  }
}

/** How an intervention draws its rows: w = (user's side) · (item's side), π = 1 − e^(−w τ). */
export interface PreparedIntervention {
  readonly name: InterventionName;
  readonly sides: InterventionSides;
  /** How many rows it keeps, as expected. */
  readonly kept: number;
  /** τ. */
  readonly time: number;
  /** π per item, where the user's side is 1. */
  readonly itemChance: Float64Array | null;
  /** Σ w over all rows. */
  readonly weight: number;
  /** What the weights amount to. Where the user's side counts, its distance is yet to be summed. */
  readonly summary: WeightSummary;
}

/** Rows that interventions draw from, and by what. */
export interface InterventionJob {
  readonly part: WindowPart;
  readonly counts: ItemTotals;
  readonly options: EstimateOptions;
}

/**
 * Solves for the sampling times of interventions on one window.
 *
 * Their weights are those of `interventionSides`; the sample keeps a share of the window's rows,
 * positive or not, or all of them. Where weights follow from the item alone, rows are counted by level
 * of its count; else what a draw keeps follows from binned moments of the weights (`WeightBins`).
 * Source: Carraro & Bridge 2020, sections 4 and 5.3.
 *
 * @returns the interventions; in a window without rows their time is 0. Yields between slices.
 */
export function* prepareInterventions(
  names: readonly InterventionName[],
  job: InterventionJob,
  sliceRows: number,
): Generator<
  void,
  {
    readonly prepared: readonly PreparedIntervention[];
    readonly rows: RowTallies;
  }
> {
  const { part, counts, options } = job;
  const levels = yield* madeOnce(counts.interactions, ['levels', counts.items], () =>
    itemLevels(counts),
  );
  const rows = yield* rowTallies(part, levels.ofItem, levels.index.counts.length, sliceRows);
  const prepared: PreparedIntervention[] = [];
  for (const name of names) {
    const own = interventionOf(name);
    const sides = yield* interventionSides(own, job, sliceRows);
    const kept = own.keepsAll ? rows.rows : options.sampleShare * rows.rows;
    if (sides.userSide === null) {
      const cells = cellsByLevel(sides.itemSide, rows.byLevel, levels.ofItem);
      yield;
      prepared.push(yield* byItem(name, sides, cells, kept));
    } else {
      const bins = yield* binnedRows(name, sides, {
        part,
        levels,
        sliceRows,
      });
      prepared.push(yield* byRow(name, sides, bins, kept));
    }
  }
  return { prepared, rows };
}

interface ItemLevels {
  readonly index: LevelIndex;
  readonly ofItem: Int32Array;
}

/** Items by the count that weights follow from. */
function* itemLevels({ items, interactions }: ItemTotals): Generator<void, ItemLevels> {
  const counts = interactions.subarray(0, items);
  const index = yield* levelIndex(counts);
  return {
    index,
    ofItem: yield* perItem(counts, index.indexOf, new Int32Array(items)),
  };
}

function* byItem(
  name: InterventionName,
  sides: InterventionSides,
  cells: WeightCells,
  kept: number,
): Generator<void, PreparedIntervention> {
  const { itemSide } = sides;
  const time = yield* samplingTime(cells, kept);
  const chanceOf = (weight: number) => inclusionProbability(weight, time);
  const itemChance = yield* perItem(itemSide, chanceOf, new Float64Array(itemSide.length));
  const summary = yield* weightSummary(cells, time);
  let weight = 0;
  for (let c = 0; c < cells.cells; c++) {
    weight += cells.rows[c] * cells.weight[c];
  }
  return {
    name,
    sides,
    kept,
    time,
    itemChance,
    weight,
    summary,
  };
}

/** Rows by weight, ascending by the item's count. */
function cellsByLevel(
  itemSide: Float64Array,
  byLevel: Float64Array,
  ofItem: Int32Array,
): WeightCells {
  const weight = new Float64Array(byLevel.length);
  for (let i = 0; i < itemSide.length; i++) {
    weight[ofItem[i]] = itemSide[i];
  }
  const rows = byLevel.slice();
  let cells = 0;
  for (let level = 0; level < rows.length; level++) {
    if (weight[level] === 0 || rows[level] === 0) continue;
    weight[cells] = weight[level];
    rows[cells++] = rows[level];
  }
  return {
    cells,
    weight,
    rows,
  };
}

function* byRow(
  name: InterventionName,
  sides: InterventionSides,
  bins: WeightBins,
  kept: number,
): Generator<void, PreparedIntervention> {
  const time = yield* samplingTimeOf(bins, kept);
  const { rows, weight, squares, largest } = bins;
  const sums = {
    kept: 0,
    slope: 0,
  };
  yield* bins.addKept(time, sums);
  const expected = sums.kept;
  const isEmpty = !(weight > 0);
  const summary = {
    rows,
    expected,
    distance: 0,
    ess: isEmpty ? 0 : (weight / squares) * weight,
    largestShare: isEmpty ? 0 : largest / weight,
  };
  return {
    name,
    sides,
    kept,
    time,
    itemChance: null,
    weight,
    summary,
  };
}

/** Both sides of an intervention's weights. */
interface InterventionSides {
  /** Per segment; null where it is 1 for everybody. */
  readonly userSide: Float64Array | null;
  readonly itemSide: Float64Array;
  /** Of raked weights: whether both margins could be made uniform. */
  readonly raking?: {
    readonly components: number;
    readonly isDamped: boolean;
  };
}

type Exponents = Pick<EstimateOptions, 'smoothing' | 'posteriorExponent'>;

/**
 * The weights of an intervention, as a user's side times an item's; each defines its own
 * (`estimators/rules`).
 *
 * n is all interactions in the popularity horizon, m those of them from randomised traffic.
 * Source: Carraro & Bridge 2020, sections 4.2, 4.3 and 5.3; raked weights: see `rake`.
 */
function* interventionSides(
  { weights }: Intervention,
  { part, counts, options }: InterventionJob,
  sliceRows: number,
): Generator<void, InterventionSides> {
  if (weights === 'raked') {
    const { userSide, itemSide, components, isDamped } = yield* rake(part, counts.items, sliceRows);
    return {
      userSide,
      itemSide,
      raking: { components, isDamped },
    };
  }
  const userSide = weights.user === null ? null : yield* usersOf(weights, part, options);
  return {
    userSide,
    itemSide: yield* itemsOf(weights, counts, options),
  };
}

function* usersOf(
  { user, isTargeted }: SideWeights,
  { users, userCount, userRandomized }: WindowPart,
  { smoothing }: Exponents,
): Generator<void, Float64Array> {
  const side = new Float64Array(users);
  if (!isTargeted) {
    return yield* perItem(
      userCount,
      perLevel((n) => user!(n, 0, smoothing, 1)),
      side,
    );
  }
  for (let s = 0; s < users; s++) {
    side[s] = user!(userCount[s], userRandomized[s], smoothing, 1);
  }
  yield;
  return side;
}

function* itemsOf(
  { item, isTargeted }: SideWeights,
  { items, interactions, randomized }: ItemTotals,
  { smoothing, posteriorExponent }: Exponents,
): Generator<void, Float64Array> {
  const side = new Float64Array(items);
  if (item === null) return side.fill(1);
  if (!isTargeted) {
    const byCount = perLevel((n) => item(n, 0, smoothing, posteriorExponent));
    return yield* perItem(interactions.subarray(0, items), byCount, side);
  }
  for (let i = 0; i < items; i++) {
    side[i] = item(interactions[i], randomized[i], smoothing, posteriorExponent);
  }
  yield;
  return side;
}
