import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';

/** What a window holds of randomised traffic. */
export interface RandomizedTraffic {
  /** Interactions in the popularity horizon: what wtd takes its targets from. */
  readonly interactions: number;
  /** Users whom it reached in the window, by a list or an interaction. */
  readonly users: number;
  /** Items that its lists showed in the window; NaN where not all of its lists are logged. */
  readonly itemsShown: number;
  /** Pairs of the window with a positive interaction from it: what ure is measured on. */
  readonly positives: number;
  /** Users who have such a pair. */
  readonly usersWithPositive: number;
  /** Share of the users reached who have none, and so no part in ure; NaN where none was reached. */
  readonly withoutPositive: number;
}

/**
 * Counts the randomised traffic of a window, yielding between slices.
 *
 * @param parts the window. @param rows its rows from randomised traffic, see `separateTraffic`.
 */
export function* randomizedTraffic(
  parts: readonly WindowPart[],
  rows: readonly WindowPart[],
  counts: ItemCounts,
  sliceRows: number,
): Generator<void, RandomizedTraffic> {
  let interactions = 0;
  for (let i = 0; i < counts.items; i++) interactions += counts.randomized[i];
  let users = 0;
  let itemsShown = 0;
  for (const part of parts) {
    users += part.randomizedUsers;
    itemsShown += part.randomizedItems;
  }
  let positives = 0;
  let usersWithPositive = 0;
  let work = 0;
  for (const { userStart, positive, ...part } of rows) {
    for (let s = 0; s < part.users; s++) {
      let own = 0;
      for (let r = userStart[s]; r < userStart[s + 1]; r++) own += positive[r];
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
  return { interactions, users, itemsShown, positives, usersWithPositive, withoutPositive };
}
