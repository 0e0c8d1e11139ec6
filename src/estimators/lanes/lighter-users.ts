import type { WindowPart } from '../../state/panes/window-part.js';
import { narrowedPart } from './narrowed-part.js';

/**
 * The rows of users who have fewer interactions over the horizon than a limit; the very same part
 * where all have. O(rows · models) where somebody has not. Yields often.
 *
 * @param limit interactions from which on a user is left out; Infinity leaves nobody out.
 */
export function* rowsOfLighterUsers(part: WindowPart, limit: number): Generator<void, WindowPart> {
  const { users, userStart, userCount } = part;
  if (!userCount.some((count) => count >= limit)) return part;
  const kept = new Int32Array(part.rows);
  const start = new Int32Array(users + 1);
  let rows = 0;
  for (let s = 0; s < users; s++) {
    start[s] = rows;
    if (userCount[s] >= limit) continue;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) kept[rows++] = r;
  }
  start[users] = rows;
  yield;
  return yield* narrowedPart(part, kept.subarray(0, rows), start);
}
