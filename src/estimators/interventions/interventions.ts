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

/** Rows of a window, and the levels of their items. */
interface LevelledRows {
  readonly part: WindowPart;
  readonly levels: ItemLevels;
}

/** Rows by item level. It records the levels with rows, so that flushing few rows is cheap. */
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

  /** Pass each level with rows to `take`, in ascending order, and reset. */
  flush(take: (level: number, rows: number) => void): void {
    const met = this.met.subarray(0, this.size).sort();
    for (const level of met) {
      take(level, this.rows[level]);
      this.rows[level] = 0;
    }
    this.size = 0;
  }
}

/** User segments ordered by their level, by counting sort. */
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

/**
 * Bin all rows by weight, if weights differ between users. If weights depend on the two counts
 * alone, many rows share one.
 */
function binnedRows(
  name: InterventionName,
  sides: InterventionSides,
  rows: LevelledRows,
): WeightBins {
  const bins = new WeightBins();
  const { weights } = interventionOf(name);
  const followCounts = weights !== 'raked' && !weights.isTargeted;
  if (followCounts) {
    addByLevels(sides, bins, rows);
  } else {
    addEach(sides, bins, rows);
  }
  return bins;
}

/**
 * Add rows by the level of their user's count n_u and of their item's count n_i, since all rows of
 * a pair of levels have one weight. Pairs are visited in level order, so that sums do not depend on
 * the order of rows or users.
 */
function addByLevels(
  { userSide, itemSide }: InterventionSides,
  bins: WeightBins,
  { part, levels }: LevelledRows,
): void {
  const itemSideAt = new Float64Array(levels.index.counts.length);
  for (let i = 0; i < itemSide.length; i++) {
    itemSideAt[levels.ofItem[i]] = itemSide[i];
  }
  const users = levelIndex(part.userCount.subarray(0, part.users));
  const userSideAt = new Float64Array(users.counts.length);
  for (let s = 0; s < part.users; s++) {
    userSideAt[users.indexOf(part.userCount[s])] = userSide![s];
  }
  const tally = new LevelTally(itemSideAt.length);
  const order = usersByLevel(part, users);
  const { userStart, item } = part;
  for (const [userLevel, side] of userSideAt.entries()) {
    for (let o = order.start[userLevel]; o < order.start[userLevel + 1]; o++) {
      const s = order.segment[o];
      tally.add(item, userStart[s], userStart[s + 1], levels.ofItem);
    }
    tally.flush((level, rows) => {
      const weight = side * itemSideAt[level];
      if (weight > 0) {
        bins.add(weight, rows);
      }
    });
  }
}

function addEach(
  { userSide, itemSide }: InterventionSides,
  bins: WeightBins,
  { part: { users, userStart, item } }: LevelledRows,
): void {
  for (let s = 0; s < users; s++) {
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      const weight = userSide![s] * itemSide[item[r]];
      if (weight > 0) {
        bins.add(weight, 1);
      }
    }
  }
}

/**
 * A prepared intervention: sampling weight w = (user factor) · (item factor), inclusion probability
 * π = 1 − e^(−w τ).
 */
export interface PreparedIntervention {
  readonly name: InterventionName;
  readonly sides: InterventionSides;
  /** Expected number of rows that it keeps. */
  readonly kept: number;
  /** τ, the sampling time. */
  readonly time: number;
  /** π per item, if the user's side is 1. */
  readonly itemChance: Float64Array | null;
  /** Σ w over all rows. */
  readonly weight: number;
  /** Summary of the weights. If the user's side matters, its distance is added later. */
  readonly summary: WeightSummary;
}

/** Rows that interventions draw from, and the counts they use. */
export interface InterventionJob {
  readonly part: WindowPart;
  readonly counts: ItemTotals;
  readonly options: EstimateOptions;
}

/**
 * Solve for the sampling times of interventions on one window.
 *
 * Their weights are those of `interventionSides`; the sample keeps a share of the window's rows,
 * positive or not, or all of them. If weights depend on the item alone, rows are grouped by level
 * of its count; otherwise the expected size follows from binned moments of the weights
 * (`WeightBins`).
 * Source: Carraro & Bridge 2020, sections 4 and 5.3.
 *
 * @returns the interventions; in a window without rows their time is 0.
 */
export function prepareInterventions(
  names: readonly InterventionName[],
  job: InterventionJob,
): {
  readonly prepared: readonly PreparedIntervention[];
  readonly rows: RowTallies;
} {
  const { part, counts, options } = job;
  const levels = madeOnce(counts.interactions, ['levels', counts.items], () => itemLevels(counts));
  const rows = rowTallies(part, levels.ofItem, levels.index.counts.length);
  const prepared: PreparedIntervention[] = [];
  for (const name of names) {
    const own = interventionOf(name);
    const sides = interventionSides(own, job);
    const kept = own.keepsAll ? rows.rows : options.sampleShare * rows.rows;
    if (sides.userSide === null) {
      const cells = cellsByLevel(sides.itemSide, rows.byLevel, levels.ofItem);
      prepared.push(byItem(name, sides, cells, kept));
    } else {
      const bins = binnedRows(name, sides, {
        part,
        levels,
      });
      prepared.push(byRow(name, sides, bins, kept));
    }
  }
  return { prepared, rows };
}

interface ItemLevels {
  readonly index: LevelIndex;
  readonly ofItem: Int32Array;
}

/** Items grouped by the count that determines their weight. */
function itemLevels({ items, interactions }: ItemTotals): ItemLevels {
  const counts = interactions.subarray(0, items);
  const index = levelIndex(counts);
  return {
    index,
    ofItem: perItem(counts, index.indexOf, new Int32Array(items)),
  };
}

function byItem(
  name: InterventionName,
  sides: InterventionSides,
  cells: WeightCells,
  kept: number,
): PreparedIntervention {
  const { itemSide } = sides;
  const time = samplingTime(cells, kept);
  const chanceOf = (weight: number) => inclusionProbability(weight, time);
  const itemChance = perItem(itemSide, chanceOf, new Float64Array(itemSide.length));
  const summary = weightSummary(cells, time);
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

function byRow(
  name: InterventionName,
  sides: InterventionSides,
  bins: WeightBins,
  kept: number,
): PreparedIntervention {
  const time = samplingTimeOf(bins, kept);
  const { rows, weight, squares, largest } = bins;
  const sums = {
    kept: 0,
    slope: 0,
  };
  bins.addKept(time, sums);
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

/** Both factors of an intervention's weights. */
interface InterventionSides {
  /** Per segment; null if it is 1 for all. */
  readonly userSide: Float64Array | null;
  readonly itemSide: Float64Array;
  /** For raked weights: whether both margins could be made uniform. */
  readonly raking?: {
    readonly components: number;
    readonly isDamped: boolean;
  };
}

type Exponents = Pick<EstimateOptions, 'smoothing' | 'posteriorExponent'>;

/**
 * Weights of an intervention, as a user's side times an item's; each intervention defines its own
 * (`estimators/rules`).
 *
 * n counts all interactions in the popularity horizon, m those from randomised traffic. Source:
 * Carraro & Bridge 2020, sections 4.2, 4.3 and 5.3; raked weights: see `rake`.
 */
function interventionSides(
  { weights }: Intervention,
  { part, counts, options }: InterventionJob,
): InterventionSides {
  if (weights === 'raked') {
    const { userSide, itemSide, components, isDamped } = rake(part, counts.items);
    return {
      userSide,
      itemSide,
      raking: { components, isDamped },
    };
  }
  const userSide = weights.user === null ? null : usersOf(weights, part, options);
  return {
    userSide,
    itemSide: itemsOf(weights, counts, options),
  };
}

function usersOf(
  { user, isTargeted }: SideWeights,
  { users, userCount, userRandomized }: WindowPart,
  { smoothing }: Exponents,
): Float64Array {
  const side = new Float64Array(users);
  if (!isTargeted) {
    return perItem(
      userCount,
      perLevel((n) => user!(n, 0, smoothing, 1)),
      side,
    );
  }
  for (let s = 0; s < users; s++) {
    side[s] = user!(userCount[s], userRandomized[s], smoothing, 1);
  }
  return side;
}

function itemsOf(
  { item, isTargeted }: SideWeights,
  { items, interactions, randomized }: ItemTotals,
  { smoothing, posteriorExponent }: Exponents,
): Float64Array {
  const side = new Float64Array(items);
  if (item === null) return side.fill(1);
  if (!isTargeted) {
    const byCount = perLevel((n) => item(n, 0, smoothing, posteriorExponent));
    return perItem(interactions.subarray(0, items), byCount, side);
  }
  for (let i = 0; i < items; i++) {
    side[i] = item(interactions[i], randomized[i], smoothing, posteriorExponent);
  }
  return side;
}
