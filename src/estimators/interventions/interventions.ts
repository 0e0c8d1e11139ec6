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
 * Rows of a window, and the level of each item: the index of its interaction count among the
 * distinct counts.
 */
interface LevelledRows {
  readonly part: WindowPart;
  readonly levels: ItemLevels;
}

/**
 * Number of rows by item level. It records which levels have rows, so that flushing few rows is
 * cheap.
 */
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

/**
 * Order user segments by their interaction count, by counting sort. Segments of level l are
 * `segment[start[l]]` to `segment[start[l + 1] − 1]`.
 */
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
 * Bin the rows of a window by sampling weight, for an intervention whose weights differ between
 * users. If weights depend only on the counts of user and item, many rows share a weight and are
 * added together.
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
 * An intervention prepared for one window: sampling weights w = (user factor) · (item factor) and
 * inclusion probabilities π = 1 − e^(−w τ).
 */
export interface PreparedIntervention {
  readonly name: InterventionName;
  readonly sides: InterventionSides;
  /**
   * Number of rows that the sample should have; it has fewer if too few rows have a weight above 0.
   */
  readonly kept: number;
  /**
   * τ, the sampling time at which the expected sample has `kept` rows; Infinity if every row with a
   * weight is in the sample.
   */
  readonly time: number;
  /** π by item if weights depend on the item alone; otherwise null. */
  readonly itemChance: Float64Array | null;
  /** Σ w over all rows. */
  readonly weight: number;
  /**
   * Summary of the weights. If weights depend on the user too, `distance` is 0 here and computed
   * later (`DrawMargins.excess`).
   */
  readonly summary: WeightSummary;
}

/** Rows that interventions draw from, and the counts they use. */
export interface InterventionJob {
  readonly part: WindowPart;
  readonly counts: ItemTotals;
  readonly options: EstimateOptions;
}

/**
 * Prepare interventions for one window: compute their weights, and solve for their sampling times.
 *
 * The sample keeps all rows of the window or a share of them, positive or not. If weights depend on
 * the item alone, rows are grouped by the interaction count of their item; otherwise the expected
 * size follows from binned moments of the weights (`WeightBins`).
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

/**
 * Group rows into cells by weight, in ascending order of the item's count; rows of weight 0 are
 * left out.
 */
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

/**
 * The two factors of an intervention's weights: the weight of a row is `userSide` of its user times
 * `itemSide` of its item.
 */
interface InterventionSides {
  /** Factor per user segment; null if it is 1 for all. */
  readonly userSide: Float64Array | null;
  /** Factor per item. */
  readonly itemSide: Float64Array;
  /** For raked weights only: whether both margins could be made uniform, see `Raking`. */
  readonly raking?: {
    readonly components: number;
    readonly isDamped: boolean;
  };
}

type Exponents = Pick<EstimateOptions, 'smoothing' | 'posteriorExponent'>;

/**
 * Compute the two factors of an intervention's weights, as the intervention defines them
 * (`estimators/rules`).
 *
 * Each factor is a function of n and m of its user or item: n counts all interactions in the
 * popularity horizon, m those from randomised traffic.
 * Source: Carraro & Bridge 2020, sections 4.2, 4.3 and 5.3; raked weights: see `rake`.
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
