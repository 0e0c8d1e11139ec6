import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import type { RandomizedTraffic } from '../results/randomized-traffic.js';

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
