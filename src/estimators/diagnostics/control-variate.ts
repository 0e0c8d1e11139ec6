import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import type { ControlVariate } from '../results/window-estimates.js';

const DECILES = 10;
/** Groups of users by their number of interactions: least, moderately and most active. */
const ACTIVITY_GROUPS = 3;

/** Organic and randomised rows of a window, with the same order of users. */
export interface SeparateTraffic {
  readonly organic: WindowPart;
  /** Null if the window has no randomised rows. */
  readonly randomized: WindowPart | null;
}

/**
 * Test the propensities against randomised traffic, by popularity of items and activity of users.
 *
 * Weighted by 1 / P̂, the organic rows should represent all relevant (user, item) pairs. Randomised
 * rows represent them without weights. The items with a count are divided into deciles by
 * popularity. For each decile d, s = Σ_d w / Σ w is its share of the weights of the organic rows,
 * and r its share of the M randomised rows. The score is z = (s − r) / √(Σ w² (1_d − s)² / (Σ w)² +
 * p (1 − p) / M). Here p is the share of d in both kinds of rows together, with organic rows
 * counted as (Σ w)² / Σ w² rows.
 * The scale of P̂ cancels, and so does the amount of each kind of traffic per user.
 * Source: the control variate Σ 1/P̂ = U I of Swaminathan & Joachims 2015. Propensities that were
 * fitted to the aggregate always satisfy it, so this test works by group. It uses randomised rows
 * instead of the unknown number of relevant pairs.
 * If P̂ is right and rows are independent, z is a standard normal variable. The variance assumes
 * small P̂, and is otherwise too large by up to a factor of 1 / (1 − P̂).
 *
 * @param weight w = 1 / P̂ per item, up to a factor; items of weight 0 are left out.
 * @returns one result for each decile with rows: of all users, then of each activity group of
 * users.
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
    // Pool both shares: with few randomised rows, r may be 0, and its own variance would be 0 too.
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
 * Divide counts into groups of similar size by their order.
 *
 * group(n) = ⌊G · r / N⌋, where r of the N counts are less than n. Equal counts always share a
 * group.
 *
 * @param counts values that define the groups; not changed. @param groups G ≥ 1.
 * @returns a function from a count to its group in [0, G); 0 for all if there are no counts.
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
