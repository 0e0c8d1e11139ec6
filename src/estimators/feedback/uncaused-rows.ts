import { hasCaused, UNCAUSED } from '../../state/panes/row-causes.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import { narrowedPart } from '../lanes/narrowed-part.js';

/**
 * The rows that no shown list caused: what users found by themselves. O(rows · models).
 *
 * Leaving out a model's own rows alone is not enough: what the lists of a rival caused is likelier
 * to stand in the lists of models that resemble the rival.
 *
 * @param parts of which every one says what caused its rows.
 * @returns parts with the same segments, some of them without rows; the very same part if
 * nothing in it was caused. Yields often.
 */
export function* uncausedRows(parts: readonly WindowPart[]): Generator<void, WindowPart[]> {
  const left: WindowPart[] = [];
  for (const part of parts) {
    left.push(yield* withoutCaused(part));
    yield;
  }
  return left;
}

function* withoutCaused(part: WindowPart): Generator<void, WindowPart> {
  const { users, userStart, causes } = part;
  if (causes === undefined || !hasCaused(causes.cause)) return part;
  const kept = new Int32Array(part.rows);
  const start = new Int32Array(users + 1);
  let rows = 0;
  for (let s = 0; s < users; s++) {
    start[s] = rows;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      if (causes.cause[r] === UNCAUSED) kept[rows++] = r;
    }
  }
  start[users] = rows;
  yield;
  return yield* narrowedPart(part, kept.subarray(0, rows), start);
}
