import { enlarged } from '../../events/column-table.js';
import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import { madeOnce } from '../lanes/made-once.js';
import { perItem } from '../lanes/per-item.js';
import type { InterventionName } from '../names.js';
import type { EstimateOptions } from '../options.js';
import type { Rounds } from '../partitions/rounds.js';
import { RowTallies } from '../partitions/row-tallies.js';
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
import { type WeightSummary, weightSummary } from './sample-distance.js';
import { BinSums, type WeightBins } from './weight-bins.js';

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
function* weightCells(
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
      this.weight = enlarged(this.weight, this.weight.length * 2);
      this.rows = enlarged(this.rows, this.rows.length * 2);
    }
    this.weight[this.cells] = weight;
    this.rows[this.cells++] = rows;
  }
}

/** An intervention whose weights differ from user to user, and where its rows are summed up. */
interface BinnedIntervention {
  readonly weights: SideWeights | 'raked';
  readonly sides: InterventionSides;
  readonly bins: WeightBins;
}

/**
 * Adds all rows of a part by their weight. Where that follows from the two counts alone, many rows
 * share one.
 */
function* addRows(
  interventions: readonly BinnedIntervention[],
  part: WindowPart,
  itemLevel: Int32Array,
  itemLevels: LevelIndex,
  sliceRows: number,
): Generator<void, void> {
  for (const { weights, sides, bins } of interventions) {
    const followCounts = weights !== 'raked' && !weights.isTargeted;
    if (followCounts) yield* addCells(sides, bins, part, itemLevel, itemLevels, sliceRows);
    else yield* addEach(sides, bins, part, sliceRows);
  }
}

function* addCells(
  { userSides, itemSide }: InterventionSides,
  bins: WeightBins,
  part: WindowPart,
  itemLevel: Int32Array,
  itemLevels: LevelIndex,
  sliceRows: number,
): Generator<void, void> {
  const sideAt = new Float64Array(itemLevels.counts.length);
  for (let i = 0; i < itemLevel.length; i++) sideAt[itemLevel[i]] = itemSide[i];
  const users = yield* levelIndex([part.userCount.subarray(0, part.users)]);
  const own = userSides!.get(part)!;
  const userSideAt = new Float64Array(users.counts.length);
  for (let s = 0; s < part.users; s++) userSideAt[users.indexOf(part.userCount[s])] = own[s];
  const weightOf = (user: number, item: number) => userSideAt[user] * sideAt[item];
  const { cells, weight, rows } = yield* weightCells(
    [part],
    users,
    itemLevel,
    sideAt.length,
    weightOf,
    sliceRows,
  );
  for (let c = 0; c < cells; c++) bins.add(weight[c], rows[c]);
  yield;
}

function* addEach(
  { userSides, itemSide }: InterventionSides,
  bins: WeightBins,
  part: WindowPart,
  sliceRows: number,
): Generator<void, void> {
  const { users, userStart, item } = part;
  const own = userSides!.get(part)!;
  let yieldAt = sliceRows;
  for (let s = 0; s < users; s++) {
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      const weight = own[s] * itemSide[item[r]];
      if (weight > 0) bins.add(weight, 1);
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

export interface PreparedInterventions {
  readonly prepared: readonly PreparedIntervention[];
  /** Of the rows of all partitions. */
  readonly rows: RowTallies;
}

/**
 * Solves for the sampling times of interventions on one window.
 *
 * Their weights are those of `interventionSides`; the sample keeps a share of the window's rows,
 * positive or not, or all of them. Where weights follow from the item alone, rows are counted by level
 * of its count; else what a draw keeps follows from binned moments of the weights (`WeightBins`).
 * Source: Carraro & Bridge 2020, sections 4 and 5.3.
 *
 * @param rounds bring the sums of all partitions together: one round, and another where the user's
 * side of some intervention counts.
 * @returns the interventions; in a window without rows their time is 0. Yields between slices.
 */
export function* prepareInterventions(
  names: readonly InterventionName[],
  parts: readonly WindowPart[],
  counts: ItemTotals,
  options: EstimateOptions,
  sliceRows: number,
  rounds: Rounds,
): Generator<void, PreparedInterventions> {
  const levels = yield* madeOnce(counts.interactions, ['levels', counts.items], () =>
    itemLevels(counts),
  );
  const none = new RowTallies(levels.index.counts.length);
  const rows = yield* rounds.gather(none, parts, (tallies, part) =>
    tallies.add(part, levels.ofItem, sliceRows),
  );
  const sides: InterventionSides[] = [];
  for (const name of names) {
    sides.push(yield* interventionSides(interventionOf(name), parts, counts, options, sliceRows));
  }
  const own = [...names.keys()].filter((n) => sides[n].userSides !== null);
  const bins = new BinSums(own.length);
  if (own.length > 0) {
    const fill = (sums: BinSums, part: WindowPart) =>
      addRows(
        own.map((n, b) => ({ weights: weightsOf(names[n]), sides: sides[n], bins: sums.bins[b] })),
        part,
        levels.ofItem,
        levels.index,
        sliceRows,
      );
    yield* rounds.gather(bins, parts, fill);
  }
  const prepared: PreparedIntervention[] = [];
  for (const [n, name] of names.entries()) {
    const kept = interventionOf(name).keepsAll ? rows.rows : options.sampleShare * rows.rows;
    const place = own.indexOf(n);
    prepared.push(
      place < 0
        ? yield* byItem(name, sides[n], rows.byLevel, levels, kept)
        : yield* byRow(name, sides[n], bins.bins[place], kept),
    );
  }
  return { prepared, rows };
}

function weightsOf(name: InterventionName) {
  return interventionOf(name).weights;
}

interface ItemLevels {
  readonly index: LevelIndex;
  readonly ofItem: Int32Array;
}

/** Items by the count that weights follow from. */
function* itemLevels({ items, interactions }: ItemTotals): Generator<void, ItemLevels> {
  const counts = interactions.subarray(0, items);
  // 0 has a level in any case: whether a worker knows an item without a count is no matter of the log.
  const index = yield* levelIndex([counts, Float64Array.of(0)]);
  return { index, ofItem: yield* perItem(counts, index.indexOf, new Int32Array(items)) };
}

function* byItem(
  name: InterventionName,
  sides: InterventionSides,
  rows: Float64Array,
  levels: ItemLevels,
  kept: number,
): Generator<void, PreparedIntervention> {
  const { itemSide } = sides;
  const cells = cellsByLevel(itemSide, rows, levels.ofItem);
  yield;
  const time = yield* samplingTime(cells, kept);
  const chanceOf = (weight: number) => inclusionProbability(weight, time);
  const itemChance = yield* perItem(itemSide, chanceOf, new Float64Array(itemSide.length));
  const summary = yield* weightSummary(cells, time);
  let weight = 0;
  for (let c = 0; c < cells.cells; c++) weight += cells.rows[c] * cells.weight[c];
  return { name, sides, kept, time, itemChance, weight, summary };
}

/** Rows by weight, ascending by the item's count. */
function cellsByLevel(
  itemSide: Float64Array,
  byLevel: Float64Array,
  ofItem: Int32Array,
): WeightCells {
  const weight = new Float64Array(byLevel.length);
  for (let i = 0; i < itemSide.length; i++) weight[ofItem[i]] = itemSide[i];
  const rows = byLevel.slice();
  let cells = 0;
  for (let level = 0; level < rows.length; level++) {
    if (weight[level] === 0 || rows[level] === 0) continue;
    weight[cells] = weight[level];
    rows[cells++] = rows[level];
  }
  return { cells, weight, rows };
}

function* byRow(
  name: InterventionName,
  sides: InterventionSides,
  bins: WeightBins,
  kept: number,
): Generator<void, PreparedIntervention> {
  const time = yield* samplingTimeOf(bins, kept);
  const { rows, weight, squares, largest } = bins;
  const sums = { kept: 0, slope: 0 };
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
  return { name, sides, kept, time, itemChance: null, weight, summary };
}

/** Both sides of an intervention's weights. */
interface InterventionSides {
  /** Per segment of each part; null where it is 1 for everybody. */
  readonly userSides: ReadonlyMap<WindowPart, Float64Array> | null;
  readonly itemSide: Float64Array;
  /** Of raked weights: whether both margins could be made uniform. */
  readonly raking?: { readonly components: number; readonly isDamped: boolean };
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
  parts: readonly WindowPart[],
  counts: ItemTotals,
  options: Exponents,
  sliceRows: number,
): Generator<void, InterventionSides> {
  if (weights === 'raked') {
    const { userSides, itemSide, components, isDamped } = yield* rake(
      parts,
      counts.items,
      sliceRows,
    );
    return {
      userSides: new Map(parts.map((part, p) => [part, userSides[p]])),
      itemSide,
      raking: { components, isDamped },
    };
  }
  const userSides = weights.user === null ? null : yield* usersOf(weights, parts, options);
  return { userSides, itemSide: yield* itemsOf(weights, counts, options) };
}

function* usersOf(
  { user, isTargeted }: SideWeights,
  parts: readonly WindowPart[],
  { smoothing }: Exponents,
): Generator<void, Map<WindowPart, Float64Array>> {
  const sides = new Map<WindowPart, Float64Array>();
  const byCount = perLevel((n) => user!(n, 0, smoothing, 1));
  for (const part of parts) {
    const { userCount, userRandomized } = part;
    const side = new Float64Array(part.users);
    sides.set(part, side);
    if (!isTargeted) {
      yield* perItem(userCount, byCount, side);
      continue;
    }
    for (let s = 0; s < side.length; s++) {
      side[s] = user!(userCount[s], userRandomized[s], smoothing, 1);
    }
    yield;
  }
  return sides;
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
