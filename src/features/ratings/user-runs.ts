import type { RatedPart } from '../../state/panes/window-part.js';

/**
 * Approximate number of rows per run of users. The δ of a run of this length fit in a short column.
 * Adding up one sum per run also rounds less than one long sum.
 */
const RUN_ROWS = 32_768;

/** A run of consecutive users u, from ≤ u < to. All runs have about the same number of rows. */
export interface UserRun {
  readonly from: number;
  readonly to: number;
}

/** Divide all users into runs. */
export function userRuns({ users, start }: Pick<RatedPart, 'users' | 'start'>): UserRun[] {
  const runs: UserRun[] = [];
  let from = 0;
  for (let u = 0; u < users; u++) {
    if (start[u + 1] - start[from] < RUN_ROWS && u + 1 < users) continue;
    runs.push({
      from,
      to: u + 1,
    });
    from = u + 1;
  }
  return runs;
}

/** Number of rows of the longest run. */
export function longestOf(runs: readonly UserRun[], { start }: Pick<RatedPart, 'start'>): number {
  return runs.reduce((most, { from, to }) => Math.max(most, start[to] - start[from]), 0);
}

/** Count the ratings that each user chose to give. */
export function chosenRatings({ users, start, isRandom }: RatedPart): Float64Array {
  const chosen = new Float64Array(users);
  for (let u = 0; u < users; u++) {
    for (let r = start[u]; r < start[u + 1]; r++) {
      chosen[u] += 1 - isRandom[r];
    }
  }
  return chosen;
}
