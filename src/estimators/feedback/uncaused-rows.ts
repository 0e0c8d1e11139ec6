import { takenCauses, UNCAUSED } from '../../state/panes/row-causes.js';
import type { WindowPart } from '../../state/panes/window-part.js';

/**
 * The rows that no shown list caused: what users found by themselves. O(rows · models).
 *
 * Leaving out a model's own rows alone is not enough: what the lists of a rival caused is likelier
 * to stand in the lists of models that resemble the rival.
 *
 * @param parts of which every one says what caused its rows.
 * @returns parts with the same segments, some of them without rows; the very same part where
 * nothing in it was caused. Yields after each.
 */
export function* uncausedRows(parts: readonly WindowPart[]): Generator<void, WindowPart[]> {
  const left: WindowPart[] = [];
  for (const part of parts) {
    left.push(withoutCaused(part));
    yield;
  }
  return left;
}

function withoutCaused(part: WindowPart): WindowPart {
  const { users, userStart, causes, propensity } = part;
  if (causes === undefined || causes.cause.every((cause) => cause === UNCAUSED)) return part;
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
  const places = kept.subarray(0, rows);
  return {
    ...part,
    rows,
    userStart: start,
    item: Int32Array.from(places, (row) => part.item[row]),
    positive: Uint8Array.from(places, (row) => part.positive[row]),
    traffic: Uint8Array.from(places, (row) => part.traffic[row]),
    ...(propensity && { propensity: Float32Array.from(places, (row) => propensity[row]) }),
    causes: takenCauses(causes, places),
    ranks: part.ranks.map((column) => Uint16Array.from(places, (row) => column[row])),
    lists: part.lists.map((column) => Uint16Array.from(places, (row) => column[row])),
  };
}
