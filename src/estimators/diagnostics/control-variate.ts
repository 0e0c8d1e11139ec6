import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import { CountHistogram } from '../partitions/count-histogram.js';
import { NumberSums } from '../partitions/number-sums.js';
import type { Rounds } from '../partitions/rounds.js';
import type { ControlVariate } from '../results/window-estimates.js';

const DECILES = 10;
/** Groups of users by their number of interactions: the least, the middling, the most active. */
const ACTIVITY_GROUPS = 3;

/**
 * Holds the propensities against randomised traffic, by popularity of items and activity of users.
 *
 * Weighted by 1 / P̂ the organic rows should stand for all relevant pairs, as the randomised ones do
 * as they are. For each decile d of the items with a count: s = Σ_d w / Σ w over organic rows, r the share
 * of d among the M randomised ones, z = (s − r) / √(Σ w² (1_d − s)² / (Σ w)² + p (1 − p) / M), where
 * p is the share in both kinds together, with organic rows counting for (Σ w)² / Σ w².
 * The scale of P̂ cancels, as does how much of either traffic a user had.
 * Source: the control variate Σ 1/P̂ = U I of Swaminathan & Joachims 2015, which propensities that
 * were fitted to the aggregate meet whatever they are; so by group, and against rows at random
 * instead of the unknown number of relevant pairs.
 * z goes as a standard normal variable where P̂ is right and rows are independent; the variance takes
 * P̂ for small, and is too large by up to 1 / (1 − P̂) else.
 *
 * @param weight w = 1 / P̂ per item, up to a factor; items of 0 are left out.
 * @returns deciles of all users, then of each group; none if there is no row of either kind.
 */
export function* controlVariates(
  { organic, randomized }: Record<'organic' | 'randomized', readonly WindowPart[]>,
  { popularity, items }: ItemCounts,
  weight: Float64Array,
  sliceRows: number,
  rounds: Rounds,
): Generator<void, ControlVariate[]> {
  // Which items without a count are known is no matter of the log; they stand with the rarest.
  const counted = popularity.subarray(0, items).filter((count) => count > 0);
  const decileOf = quantileGroups(counted, DECILES);
  yield;
  const activity = yield* groupsOfUsers(organic, rounds);
  const none = new NumberSums((ACTIVITY_GROUPS + 1) * DECILES * CELL);
  const { values } = yield* rounds.gather(none, organic, function* add(sums, part) {
    const other = randomized[organic.indexOf(part)];
    for (const [traffic, { positive, item, userStart, userCount, users }] of [
      part,
      ...(other === undefined ? [] : [other]),
    ].entries()) {
      let seen = 0;
      for (let s = 0; s < users; s++) {
        const group = activity(userCount[s]);
        for (let r = userStart[s]; r < userStart[s + 1]; r++) {
          const w = weight[item[r]];
          if (positive[r] === 0 || w === 0) continue;
          const decile = decileOf(popularity[item[r]]);
          addRow(sums.values, decile, traffic === 0, w);
          addRow(sums.values, (group + 1) * DECILES + decile, traffic === 0, w);
        }
        seen += userStart[s + 1] - userStart[s];
        if (seen < sliceRows) continue;
        seen = 0;
        yield;
      }
    }
  });
  const sums = Array.from({ length: (ACTIVITY_GROUPS + 1) * DECILES }, (_, cell) =>
    cellAt(values, cell),
  );
  return Array.from({ length: ACTIVITY_GROUPS + 1 }, (_, g) =>
    compared(sums.slice(g * DECILES, (g + 1) * DECILES), g === 0 ? null : g - 1),
  ).flat();
}

interface CellSums {
  readonly organic: number;
  readonly weight: number;
  readonly squares: number;
  readonly randomized: number;
}

/** Numbers of a cell. */
const CELL = 4;

function addRow(values: Float64Array, cell: number, isOrganic: boolean, weight: number): void {
  const at = CELL * cell;
  if (!isOrganic) {
    values[at + 3]++;
    return;
  }
  values[at]++;
  values[at + 1] += weight;
  values[at + 2] += weight * weight;
}

function cellAt(values: Float64Array, cell: number): CellSums {
  const [organic, weight, squares, randomized] = values.subarray(CELL * cell, CELL * (cell + 1));
  return { organic, weight, squares, randomized };
}

function compared(cells: readonly CellSums[], userGroup: number | null): ControlVariate[] {
  const total = (of: (cell: CellSums) => number) => cells.reduce((sum, cell) => sum + of(cell), 0);
  const weight = total((cell) => cell.weight);
  const squares = total((cell) => cell.squares);
  const randomized = total((cell) => cell.randomized);
  const effective = weight ** 2 / squares;
  return cells.flatMap((cell, decile) => {
    if (cell.organic + cell.randomized === 0) return [];
    const s = cell.weight / weight;
    const r = cell.randomized / randomized;
    const organicVariance =
      ((1 - s) ** 2 * cell.squares + s * s * (squares - cell.squares)) / weight ** 2;
    // Both shares as one: where few rows are at random, theirs may be 0 and seem to be certain.
    const p = (effective * s + randomized * r) / (effective + randomized);
    return [
      {
        userGroup,
        decile,
        organic: cell.organic,
        randomized: cell.randomized,
        weightShare: s,
        randomizedShare: r,
        z: (s - r) / Math.sqrt(organicVariance + (p * (1 - p)) / randomized),
      },
    ];
  });
}

/** Thirds of the users who have an organic row, by their interactions in the horizon. */
function* groupsOfUsers(
  parts: readonly WindowPart[],
  rounds: Rounds,
): Generator<void, (count: number) => number> {
  const all = yield* rounds.gather(new CountHistogram(), parts, function* add(histogram, part) {
    const { users, userStart, userCount } = part;
    for (let s = 0; s < users; s++) {
      if (userStart[s + 1] > userStart[s]) histogram.add(userCount[s]);
    }
    yield;
  });
  return groupsOf(all.ascending(), ACTIVITY_GROUPS);
}

/**
 * Divides counts into groups of like size by their order.
 *
 * group(n) = ⌊G · r / N⌋, r how many of the N counts are less than n: equal counts are never parted.
 *
 * @param counts what the groups are made from; not changed. @param groups G ≥ 1.
 * @returns the group of a count, in [0, G); 0 for all if there are no counts.
 * @example
 * quantileGroups(Float64Array.of(1, 1, 2, 9), 2)(9); // 1
 */
export function quantileGroups(counts: Float64Array, groups: number): (count: number) => number {
  const histogram = new Map<number, number>();
  for (const count of counts) histogram.set(count, (histogram.get(count) ?? 0) + 1);
  return groupsOf(
    [...histogram].sort(([a], [b]) => a - b),
    groups,
  );
}

/** The same of counts that are each given once, ascending, with how often they come. */
export function groupsOf(
  histogram: readonly (readonly [count: number, times: number])[],
  groups: number,
): (count: number) => number {
  const all = histogram.reduce((sum, [, times]) => sum + times, 0);
  const known = new Map<number, number>();
  let less = 0;
  for (const [count, times] of histogram) {
    known.set(count, Math.floor((groups * less) / all));
    less += times;
  }
  return (count) => known.get(count) ?? 0;
}
