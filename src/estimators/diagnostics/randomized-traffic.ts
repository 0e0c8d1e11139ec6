import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import type { SeparateTraffic } from '../lanes/popularity-baseline.js';
import { NumberSums } from '../partitions/number-sums.js';
import type { Rounds } from '../partitions/rounds.js';
import type { RandomizedTraffic } from '../results/window-estimates.js';

/**
 * Counts the randomised traffic of a window, yielding between slices.
 *
 * @param parts the window. @param traffic its rows by where they came from. @param rounds bring the
 * counts of all partitions together.
 */
export function* randomizedTraffic(
  parts: readonly WindowPart[],
  { randomized: rows }: SeparateTraffic,
  counts: ItemCounts,
  sliceRows: number,
  rounds: Rounds,
): Generator<void, RandomizedTraffic> {
  let interactions = 0;
  for (let i = 0; i < counts.items; i++) interactions += counts.randomized[i];
  const { values } = yield* rounds.gather(new NumberSums(4), parts, function* count(sums, part) {
    const own = rows[parts.indexOf(part)];
    const found = own === undefined ? NONE : yield* countPositives(own, sliceRows);
    sums.values.set([part.randomizedUsers, part.randomizedItems, ...found]);
  });
  const [reached, itemsShown, positives, usersWithPositive] = values;
  // A user may have had the list in an earlier window and answer it in this one.
  const users = Math.max(reached, usersWithPositive);
  const withoutPositive = (users - usersWithPositive) / users;
  return { interactions, users, itemsShown, positives, usersWithPositive, withoutPositive };
}

const NONE = [0, 0] as const;

/** Positive rows, and users who have one. */
function* countPositives(
  { users, userStart, positive }: WindowPart,
  sliceRows: number,
): Generator<void, readonly [number, number]> {
  let positives = 0;
  let usersWithPositive = 0;
  let work = 0;
  for (let s = 0; s < users; s++) {
    let own = 0;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) own += positive[r];
    positives += own;
    if (own > 0) usersWithPositive++;
    work += userStart[s + 1] - userStart[s];
    if (work < sliceRows) continue;
    work = 0;
    yield;
  }
  return [positives, usersWithPositive];
}
