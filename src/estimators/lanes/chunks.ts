import type { WindowPart } from '../../state/panes/window-part.js';

/**
 * Rows that are weighted together. A constant, so that sums are grouped alike, and results are the
 * same to the bit, however the work is sliced.
 */
export const CHUNK_ROWS = 2048;

/** Runs of whole users with about `CHUNK_ROWS` rows, in order. */
export function* chunks(
  parts: readonly WindowPart[],
): Generator<{ part: WindowPart; from: number; to: number }> {
  for (const part of parts) {
    let from = 0;
    while (from < part.users) {
      let to = from + 1;
      const end = part.userStart[from] + CHUNK_ROWS;
      while (to < part.users && part.userStart[to + 1] <= end) to++;
      yield { part, from, to };
      from = to;
    }
  }
}
