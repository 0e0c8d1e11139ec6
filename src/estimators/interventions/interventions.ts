import {
  inclusionProbability,
  samplingTime,
  type WeightCells,
} from '../../sampling/expected-inclusion.js';
import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import { perItem } from '../known/per-item.js';
import type { InterventionName } from '../names.js';
import type { EstimateOptions } from '../options.js';
import type { Intervention } from '../registry/estimator.js';
import { interventionOf } from '../registry/registry.js';
import { type InterventionSides, interventionSides } from './intervention-sides.js';
import { levelIndex } from './level-index.js';
import { rowCells } from './row-cells.js';
import { weightCells } from './weight-cells.js';

/** How an intervention draws its rows: w = (user's side) · (item's side), π = 1 − e^(−w τ). */
export interface PreparedIntervention {
  readonly name: InterventionName;
  readonly sides: InterventionSides;
  /** τ. */
  readonly time: number;
  /** π per item, where the user's side is 1. */
  readonly itemChance: Float64Array | null;
  /** All rows by weight; rows of weight 0 are not in it. */
  readonly cells: WeightCells;
}

/**
 * Solves for the sampling time of an intervention on one window.
 *
 * Its weights are those of `interventionSides`; the sample keeps a share of the window's rows,
 * positive or not, or all of them.
 * Source: Carraro & Bridge 2020, sections 4 and 5.3.
 *
 * @returns the intervention; in a window without rows its time is 0. Yields between slices.
 */
export function* prepareIntervention(
  name: InterventionName,
  parts: readonly WindowPart[],
  counts: ItemTotals,
  options: EstimateOptions,
  sliceRows: number,
): Generator<void, PreparedIntervention> {
  const entry = interventionOf(name);
  const sides = yield* interventionSides(entry, parts, counts, options, sliceRows);
  const { userSides, itemSide } = sides;
  const cells = yield* cellsOf(entry, parts, counts, sides, sliceRows);
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const share = entry.keepsAll ? 1 : options.sampleShare;
  const time = yield* samplingTime(cells, share * rows);
  let itemChance: Float64Array | null = null;
  if (userSides === null) {
    const chanceOf = (weight: number) => inclusionProbability(weight, time);
    itemChance = yield* perItem(itemSide, chanceOf, new Float64Array(counts.items));
  }
  return { name, sides, time, itemChance, cells };
}

/** Rows by weight: many share one where it follows from the two counts alone. */
function* cellsOf(
  { weights }: Intervention,
  parts: readonly WindowPart[],
  counts: ItemTotals,
  { userSides, itemSide }: InterventionSides,
  sliceRows: number,
): Generator<void, WeightCells> {
  const followCounts = weights !== 'raked' && !weights.isTargeted;
  if (userSides !== null && !followCounts) {
    return yield* rowCells(parts, userSides, itemSide, sliceRows);
  }
  const interactions = counts.interactions.subarray(0, counts.items);
  const levels = yield* levelIndex([interactions]);
  const itemLevel = yield* perItem(interactions, levels.indexOf, new Int32Array(counts.items));
  const sideAt = new Float64Array(levels.counts.length);
  for (let i = 0; i < counts.items; i++) sideAt[itemLevel[i]] = itemSide[i];
  const users =
    userSides === null
      ? null
      : yield* levelIndex(parts.map((part) => part.userCount.subarray(0, part.users)));
  const userSideAt = new Float64Array(users?.counts.length ?? 0);
  if (users !== null) {
    for (const part of parts) {
      const sides = userSides!.get(part)!;
      for (let s = 0; s < part.users; s++) userSideAt[users.indexOf(part.userCount[s])] = sides[s];
    }
  }
  const weightOf = (userLevel: number, level: number) =>
    (users === null ? 1 : userSideAt[userLevel]) * sideAt[level];
  return yield* weightCells(parts, users, itemLevel, sideAt.length, weightOf, sliceRows);
}
