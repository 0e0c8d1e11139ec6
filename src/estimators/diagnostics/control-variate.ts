import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import type { ControlVariate } from '../results/window-estimates.js';

const DECILES = 10;
/** Groups of users by their number of interactions: the least, the middling, the most active. */
const ACTIVITY_GROUPS = 3;

/** Organic and randomised rows of a window, with the same order of users. */
export interface SeparateTraffic {
  readonly organic: WindowPart;
  /** Null where there are none. */
  readonly randomized: WindowPart | null;
}

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
export function controlVariates(
  { organic, randomized }: SeparateTraffic,
  { popularity, items }: ItemCounts,
  weight: Float64Array,
): ControlVariate[] {
  // The log does not determine which items without a count are known; they count as the rarest.
  const counted = popularity.subarray(0, items).filter((count) => count > 0);
  const decileOf = quantileGroups(counted, DECILES);
  const { users, userStart, userCount } = organic;
  const activity = quantileGroups(
    userCount.filter((_, s) => userStart[s + 1] > userStart[s]),
    ACTIVITY_GROUPS,
  );
  const cells = Array.from({ length: (ACTIVITY_GROUPS + 1) * DECILES }, emptyCell);
  for (const [part, isOrganic] of [
    [organic, true],
    [randomized, false],
  ] as const) {
    if (part === null) continue;
    const { positive, item, userStart: starts } = part;
    for (let s = 0; s < users; s++) {
      const group = activity(userCount[s]);
      for (let r = starts[s]; r < starts[s + 1]; r++) {
        const w = weight[item[r]];
        if (positive[r] === 0 || w === 0) continue;
        const decile = decileOf(popularity[item[r]]);
        addRow(cells[decile], isOrganic, w);
        addRow(cells[(group + 1) * DECILES + decile], isOrganic, w);
      }
    }
  }
  return Array.from({ length: ACTIVITY_GROUPS + 1 }, (_, g) =>
    compared(cells.slice(g * DECILES, (g + 1) * DECILES), g === 0 ? null : g - 1),
  ).flat();
}

interface CellSums {
  organic: number;
  weight: number;
  squares: number;
  randomized: number;
}

function emptyCell(): CellSums {
  return {
    organic: 0,
    weight: 0,
    squares: 0,
    randomized: 0,
  };
}

function addRow(cell: CellSums, isOrganic: boolean, weight: number): void {
  if (!isOrganic) {
    cell.randomized++;
    return;
  }
  cell.organic++;
  cell.weight += weight;
  cell.squares += weight * weight;
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
  const known = new Map<number, number>();
  for (const [less, count] of counts.slice().sort().entries()) {
    if (!known.has(count)) {
      known.set(count, Math.floor((groups * less) / counts.length));
    }
  }
  return (count) => known.get(count) ?? 0;
}
