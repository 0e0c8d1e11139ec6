import { groupedBy } from './grouped.js';
import type { Ratings } from './ratings.js';

/** What one user has rated, as a ranker sees it. */
export interface RatedItems {
  readonly item: Int32Array;
  readonly rating: Float64Array;
}

/** Rows of a sparse matrix: that of row r has columns column[start[r]] … and their values. */
export interface SparseRows {
  readonly start: Int32Array;
  readonly column: Int32Array;
  readonly value: Float64Array;
}

/** The ratings as a row of items for each user. */
export function rowsByUser({ users, user, item, rating }: Ratings): SparseRows {
  return sparseRows(user, users, item, rating);
}

/** The ratings as a row of users for each item. */
export function rowsByItem({ items, user, item, rating }: Ratings): SparseRows {
  return sparseRows(item, items, user, rating);
}

/** The matrix with rows and columns exchanged; columns of a row rise. */
export function transposed({ start, column, value }: SparseRows, columns: number): SparseRows {
  const row = new Int32Array(column.length);
  for (let r = 0; r + 1 < start.length; r++) row.fill(r, start[r], start[r + 1]);
  return sparseRows(column, columns, row, value);
}

/** What a user has rated. */
export function ratedBy({ start, column, value }: SparseRows, user: number): RatedItems {
  const [from, to] = [start[user], start[user + 1]];
  return { item: column.subarray(from, to), rating: value.subarray(from, to) };
}

function sparseRows(
  row: Int32Array,
  rows: number,
  column: Int32Array,
  value: Float64Array,
): SparseRows {
  const { start, order } = groupedBy(row, rows);
  return {
    start,
    column: Int32Array.from(order, (r) => column[r]),
    value: Float64Array.from(order, (r) => value[r]),
  };
}
