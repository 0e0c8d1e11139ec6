/** Items between two yields: about a millisecond. */
const SLICE_ITEMS = 32_768;

/**
 * Fills a column with a function of each item's count, yielding between slices: catalogues may be
 * as large as windows.
 */
export function* perItem<Column extends Float64Array | Int32Array | Uint16Array>(
  counts: Float64Array,
  of: (count: number) => number,
  column: Column,
): Generator<void, Column> {
  for (let from = 0; from < column.length; from += SLICE_ITEMS) {
    fill(counts, of, column, from, Math.min(column.length, from + SLICE_ITEMS));
    yield;
  }
  return column;
}

function fill(
  counts: Float64Array,
  of: (count: number) => number,
  column: Float64Array | Int32Array | Uint16Array,
  from: number,
  to: number,
): void {
  for (let item = from; item < to; item++) {
    column[item] = of(counts[item]);
  }
}
