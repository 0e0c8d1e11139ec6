/** Rows of numbers, most of which are 0: what is not named is. */
export interface SparseRows {
  /** Numbers of a row, named or not. */
  readonly width: number;
  /** Row r names entries start[r] to start[r + 1]. */
  readonly start: Int32Array;
  readonly column: Int32Array;
  readonly value: Float64Array;
}

/**
 * The rows without their zeros.
 *
 * @param rows all of one width. @param width columns, where there may be no row.
 * @example
 * sparseRows([[0, 2], [1, 0]]).column; // [1, 0]
 */
export function sparseRows(
  rows: readonly ArrayLike<number>[],
  width = rows[0]?.length ?? 0,
): SparseRows {
  const start = Int32Array.of(0, ...rows.map(() => 0));
  const column: number[] = [];
  const value: number[] = [];
  rows.forEach((row, r) => {
    for (let c = 0; c < width; c++) {
      if (row[c] === 0) continue;
      column.push(c);
      value.push(row[c]);
    }
    start[r + 1] = column.length;
  });
  return { width, start, column: Int32Array.from(column), value: Float64Array.from(value) };
}

/** One column of ones: of a side without features. */
export function onesColumn(count: number): SparseRows {
  return {
    width: 1,
    start: Int32Array.from({ length: count + 1 }, (_, r) => r),
    column: new Int32Array(count),
    value: new Float64Array(count).fill(1),
  };
}

/** No column at all: of a regression on offsets alone. */
export function noColumns(count: number): SparseRows {
  return {
    ...{ width: 0, start: new Int32Array(count + 1) },
    ...{ column: new Int32Array(0), value: new Float64Array(0) },
  };
}
