import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import type { InterventionName } from '../names.js';
import type { EstimateOptions } from '../options.js';
import { BinSums } from '../partitions/bin-sums.js';
import type { Rounds } from '../partitions/rounds.js';
import { RowTallies } from '../partitions/row-tallies.js';
import { interventionOf } from '../rules/registry.js';
import { perItem } from '../window/per-item.js';
import {
  inclusionProbability,
  samplingTime,
  samplingTimeOf,
  type WeightCells,
} from './expected-inclusion.js';
import { type InterventionSides, interventionSides } from './intervention-sides.js';
import { type LevelIndex, levelIndex } from './level-index.js';
import { addRows } from './row-bins.js';
import { type WeightSummary, weightSummary } from './sample-distance.js';
import type { WeightBins } from './weight-bins.js';

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
  const none = new RowTallies(counts.items, rounds.names);
  const rows = yield* rounds.gather(none, parts, (tallies, part) => tallies.add(part, sliceRows));
  const sides: InterventionSides[] = [];
  for (const name of names) {
    sides.push(yield* interventionSides(interventionOf(name), parts, counts, options, sliceRows));
  }
  const levels = yield* itemLevels(counts);
  const own = [...names.keys()].filter((n) => sides[n].userSides !== null);
  const bins = new BinSums(own.length);
  if (own.length > 0) {
    const fill = (sums: BinSums, part: WindowPart) =>
      addRows(
        own.map((n, b) => ({ weights: weightsOf(names[n]), sides: sides[n], bins: sums.bins[b] })),
        ...([part, levels.ofItem, levels.index, sliceRows] as const),
      );
    yield* rounds.gather(bins, parts, fill);
  }
  const prepared: PreparedIntervention[] = [];
  for (const [n, name] of names.entries()) {
    const kept = interventionOf(name).keepsAll ? rows.rows : options.sampleShare * rows.rows;
    const place = own.indexOf(n);
    prepared.push(
      place < 0
        ? yield* byItem(name, sides[n], rows.byItem, levels, kept)
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
  const index = yield* levelIndex([counts]);
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
  const cells = cellsByLevel(itemSide, rows, levels);
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
  rows: Float64Array,
  { index, ofItem }: ItemLevels,
): WeightCells {
  const size = index.counts.length;
  const [weight, byLevel] = [new Float64Array(size), new Float64Array(size)];
  for (let i = 0; i < itemSide.length; i++) {
    weight[ofItem[i]] = itemSide[i];
    byLevel[ofItem[i]] += rows[i];
  }
  let cells = 0;
  for (let level = 0; level < size; level++) {
    if (weight[level] === 0 || byLevel[level] === 0) continue;
    weight[cells] = weight[level];
    byLevel[cells++] = byLevel[level];
  }
  return { cells, weight, rows: byLevel };
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
    ...{ rows, expected, distance: 0 },
    ess: isEmpty ? 0 : (weight / squares) * weight,
    largestShare: isEmpty ? 0 : largest / weight,
  };
  return { name, sides, kept, time, itemChance: null, weight, summary };
}
