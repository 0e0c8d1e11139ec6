import type { WindowPart } from '../../state/panes/window-part.js';
import type { SideWeights } from '../rules/estimator.js';
import type { InterventionSides } from './intervention-sides.js';
import { type LevelIndex, levelIndex } from './level-index.js';
import type { WeightBins } from './weight-bins.js';
import { weightCells } from './weight-cells.js';

/** An intervention whose weights differ from user to user, and where its rows are summed up. */
export interface BinnedIntervention {
  readonly weights: SideWeights | 'raked';
  readonly sides: InterventionSides;
  readonly bins: WeightBins;
}

/**
 * Adds all rows of a part by their weight. Where that follows from the two counts alone, many rows
 * share one.
 */
export function* addRows(
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
    ...([[part], users, itemLevel, sideAt.length, weightOf, sliceRows] as const),
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
