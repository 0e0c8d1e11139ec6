import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import type { SeparateTraffic } from '../known/separate-traffic.js';
import type { ControlVariate } from '../results/control-variate.js';
import { quantileGroups } from './quantile-groups.js';

const DECILES = 10;
/** Groups of users by their number of interactions: the least, the middling, the most active. */
const ACTIVITY_GROUPS = 3;

/**
 * Holds the propensities against randomised traffic, by popularity of items and activity of users.
 *
 * Weighted by 1 / P̂ the organic rows should stand for all relevant pairs, as the randomised ones do
 * as they are. For each decile d of a group's items: s = Σ_d w / Σ w over organic rows, r the share
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
  { organic, randomized }: SeparateTraffic,
  { popularity, items }: ItemCounts,
  weight: Float64Array,
  sliceRows: number,
): Generator<void, ControlVariate[]> {
  const decileOf = quantileGroups(popularity.subarray(0, items), DECILES);
  yield;
  const activity = groupsOfUsers(organic);
  const sums = Array.from({ length: (ACTIVITY_GROUPS + 1) * DECILES }, () => new CellSums());
  for (const [traffic, parts] of [organic, randomized].entries()) {
    let seen = 0;
    for (const part of parts) {
      const { positive, item, userStart } = part;
      for (let s = 0; s < part.users; s++) {
        const group = activity(part, s);
        for (let r = userStart[s]; r < userStart[s + 1]; r++) {
          const w = weight[item[r]];
          if (positive[r] === 0 || w === 0) continue;
          const decile = decileOf(popularity[item[r]]);
          for (const own of [sums[decile], sums[(group + 1) * DECILES + decile]]) {
            own.add(traffic === 0, w);
          }
        }
        seen += userStart[s + 1] - userStart[s];
        if (seen >= sliceRows) {
          yield;
          seen = 0;
        }
      }
    }
  }
  return Array.from({ length: ACTIVITY_GROUPS + 1 }, (_, g) =>
    compared(sums.slice(g * DECILES, (g + 1) * DECILES), g === 0 ? null : g - 1),
  ).flat();
}

class CellSums {
  organic = 0;
  weight = 0;
  squares = 0;
  randomized = 0;

  add(isOrganic: boolean, weight: number): void {
    if (!isOrganic) {
      this.randomized++;
      return;
    }
    this.organic++;
    this.weight += weight;
    this.squares += weight * weight;
  }
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
        ...{ userGroup, decile, organic: cell.organic, randomized: cell.randomized },
        ...{ weightShare: s, randomizedShare: r },
        z: (s - r) / Math.sqrt(organicVariance + (p * (1 - p)) / randomized),
      },
    ];
  });
}

/** Thirds of the users who have an organic row, by their interactions in the horizon. */
function groupsOfUsers(parts: readonly WindowPart[]): (part: WindowPart, s: number) => number {
  const counts: number[] = [];
  for (const { users, userStart, userCount } of parts) {
    for (let s = 0; s < users; s++) if (userStart[s + 1] > userStart[s]) counts.push(userCount[s]);
  }
  const groupOf = quantileGroups(Float64Array.from(counts), ACTIVITY_GROUPS);
  return ({ userCount }, s) => groupOf(userCount[s]);
}
