import type { WeighedPart } from './weighed-part.js';

const RUN_ROWS = 32_768;

/** Users of one part, one after the other, with about as many rows as any other run. */
export interface UserRun {
  readonly rows: WeighedPart;
  /** Segments from ≤ s < to. */
  readonly from: number;
  readonly to: number;
  /** What makes a segment the user's place among those of all parts: first + s. */
  readonly first: number;
}

/** The runs of a window, and of each of its parts. */
export interface RatingRuns {
  readonly parts: readonly WeighedPart[];
  readonly all: readonly UserRun[];
  of(part: WeighedPart): readonly UserRun[];
}

/** All users in runs of whole users. */
export function userRuns(parts: readonly WeighedPart[]): RatingRuns {
  const byPart = new Map<WeighedPart, UserRun[]>();
  let first = 0;
  for (const rows of parts) {
    const runs: UserRun[] = [];
    byPart.set(rows, runs);
    const { users, start } = rows.part;
    let from = 0;
    for (let s = 0; s < users; s++) {
      if (start[s + 1] - start[from] < RUN_ROWS && s + 1 < users) continue;
      runs.push({ rows, from, to: s + 1, first });
      from = s + 1;
    }
    first += users;
  }
  return { parts, all: [...byPart.values()].flat(), of: (part) => byPart.get(part)! };
}

/** Ratings that each user chose to give. */
export function* chosenRatings(runs: readonly UserRun[]): Generator<void, Float64Array> {
  const chosen = new Float64Array(usersOf(runs));
  for (const { rows, from, to, first } of runs) {
    const { start, isRandom } = rows.part;
    for (let s = from; s < to; s++) {
      let own = 0;
      for (let r = start[s]; r < start[s + 1]; r++) own += 1 - isRandom[r];
      chosen[first + s] = own;
    }
    yield;
  }
  return chosen;
}

export function usersOf(runs: readonly UserRun[]): number {
  const last = runs.at(-1);
  return last === undefined ? 0 : last.first + last.to;
}

/** Rows of the longest run. */
export function longestOf(runs: readonly UserRun[]): number {
  const rowsOf = ({ rows, from, to }: UserRun) => rows.part.start[to] - rows.part.start[from];
  return runs.reduce((most, run) => Math.max(most, rowsOf(run)), 0);
}
