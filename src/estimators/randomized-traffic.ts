import { type ItemCounts, RANDOMIZED_TRAFFIC, type WindowPart } from '../state/window-part.js';

/** What a window holds of randomised traffic. */
export interface RandomizedTraffic {
  /** Interactions in the popularity horizon: what wtd takes its targets from. */
  readonly interactions: number;
  /** Users whom it reached in the window, by a list or an interaction. */
  readonly users: number;
  /** Pairs of the window with a positive interaction from it: what ure is measured on. */
  readonly positives: number;
  /** Users who have such a pair. */
  readonly usersWithPositive: number;
  /** Share of the users reached who have none, and so no part in ure; NaN where none was reached. */
  readonly withoutPositive: number;
}

/** Counts the randomised traffic of a window, yielding between slices. */
export function* randomizedTraffic(
  parts: readonly WindowPart[],
  counts: ItemCounts,
  sliceRows: number,
): Generator<void, RandomizedTraffic> {
  let interactions = 0;
  for (let i = 0; i < counts.items; i++) interactions += counts.randomized[i];
  let users = 0;
  let positives = 0;
  let usersWithPositive = 0;
  let work = 0;
  for (const part of parts) {
    const { userStart, traffic, positive } = part;
    users += part.randomizedUsers;
    if (!isMixed(part)) {
      yield;
      continue;
    }
    for (let s = 0; s < part.users; s++) {
      let own = 0;
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        if (positive[r] !== 0 && (traffic[r] & RANDOMIZED_TRAFFIC) !== 0) own++;
      }
      positives += own;
      if (own > 0) usersWithPositive++;
      work += userStart[s + 1] - userStart[s];
      if (work >= sliceRows) {
        yield;
        work = 0;
      }
    }
  }
  // A user may have had the list in an earlier window and answer it in this one.
  users = Math.max(users, usersWithPositive);
  const withoutPositive = (users - usersWithPositive) / users;
  return { interactions, users, positives, usersWithPositive, withoutPositive };
}

/** Most windows hold organic rows alone: one quick look says so. */
function isMixed({ traffic, rows }: WindowPart): boolean {
  let any = 0;
  for (let r = 0; r < rows; r++) any |= traffic[r];
  return (any & RANDOMIZED_TRAFFIC) !== 0;
}
