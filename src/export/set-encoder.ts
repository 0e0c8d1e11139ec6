import type { SetRows } from './set-rows.js';

/** Writes rows of a set in one format, as bytes that follow one another. */
export interface SetEncoder {
  /** What comes before the first row. */
  head(): Uint8Array;
  rows(rows: SetRows): Uint8Array;
  /** What comes after the last row. */
  tail(): Uint8Array;
}

export const NOTHING = new Uint8Array(0);
