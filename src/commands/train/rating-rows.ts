import { UnskewError } from '../../errors.js';

/** Items that one user rated, and the ratings, as input of a ranker. */
export interface RatedItems {
  readonly item: Int32Array;
  readonly rating: Float64Array;
}

/**
 * Sparse matrix in row form: row r has the columns column[start[r]] … column[start[r + 1] − 1],
 * with their values.
 */
export interface SparseRows {
  readonly start: Int32Array;
  readonly column: Int32Array;
  readonly value: Float64Array;
}

/** Convert ratings to one row of items per user. */
export function rowsByUser({ users, user, item, rating }: Ratings): SparseRows {
  return sparseRows(user, users, item, rating);
}

/** Convert ratings to one row of users per item. */
export function rowsByItem({ items, user, item, rating }: Ratings): SparseRows {
  return sparseRows(item, items, user, rating);
}

/** Transpose a matrix; columns within a row ascend. */
export function transposed({ start, column, value }: SparseRows, columns: number): SparseRows {
  const row = new Int32Array(column.length);
  for (let r = 0; r + 1 < start.length; r++) {
    row.fill(r, start[r], start[r + 1]);
  }
  return sparseRows(column, columns, row, value);
}

/** Select the ratings of a user. */
export function ratedBy({ start, column, value }: SparseRows, user: number): RatedItems {
  const from = start[user];
  const to = start[user + 1];
  return {
    item: column.subarray(from, to),
    rating: value.subarray(from, to),
  };
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

/** Observed ratings; row r of every column is one rating; users and items are dense integers. */
export interface Ratings {
  /** U, number of all users, including those without ratings. */
  readonly users: number;
  /** I, number of all items, including those without ratings. */
  readonly items: number;
  readonly user: Int32Array;
  readonly item: Int32Array;
  readonly rating: Float64Array;
}

/**
 * Check that there is something to learn: a model learns how users and items differ.
 *
 * @throws UnskewError EVENTS without ratings, or if they are of only one user or one item
 */
export function checkRatings({ rating, user, item }: Ratings): void {
  if (rating.length === 0) throw new UnskewError('EVENTS', 'there is no rating to learn from');
  if (isOne(user))
    throw new UnskewError('EVENTS', 'all ratings are from one user, so there is nothing to learn');
  if (isOne(item))
    throw new UnskewError('EVENTS', 'all ratings are on one item, so there is nothing to learn');
}

/** Select some rows of ratings; the numbers of users and items stay the same. */
export function chosenRatings(ratings: Ratings, rows: Int32Array): Ratings {
  return {
    users: ratings.users,
    items: ratings.items,
    user: Int32Array.from(rows, (row) => ratings.user[row]),
    item: Int32Array.from(rows, (row) => ratings.item[row]),
    rating: Float64Array.from(rows, (row) => ratings.rating[row]),
  };
}

function isOne(ids: Int32Array): boolean {
  return ids.every((id) => id === ids[0]);
}

/**
 * Row numbers by group: those of group g are order[start[g]] … order[start[g + 1] − 1], ascending.
 */
export interface Grouped {
  readonly start: Int32Array;
  readonly order: Int32Array;
}

/**
 * Group row numbers by counting sort.
 *
 * @param group the group of each row, from 0 to groups − 1.
 * @example
 * groupedBy(Int32Array.of(1, 0, 1), 2).order; // [1, 0, 2]
 */
export function groupedBy(group: Int32Array, groups: number): Grouped {
  const start = new Int32Array(groups + 1);
  for (let row = 0; row < group.length; row++) {
    start[group[row] + 1]++;
  }
  for (let g = 0; g < groups; g++) {
    start[g + 1] += start[g];
  }
  const next = start.slice(0, groups);
  const order = new Int32Array(group.length);
  for (let row = 0; row < group.length; row++) {
    order[next[group[row]]++] = row;
  }
  return { start, order };
}
