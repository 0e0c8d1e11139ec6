import type { Ratings } from '../../src/commands/train/rating-rows.js';

/** A matrix of users × items, 0 where there is no rating, as ratings. */
export function sparseRatings(matrix: readonly (readonly number[])[]): Ratings {
  const cells = matrix.flatMap((row, user) =>
    row.flatMap((rating, item) => (rating === 0 ? [] : [{ user, item, rating }])),
  );
  return {
    users: matrix.length,
    items: matrix[0]!.length,
    user: Int32Array.from(cells, ({ user }) => user),
    item: Int32Array.from(cells, ({ item }) => item),
    rating: Float64Array.from(cells, ({ rating }) => rating),
  };
}

/** One number of a matrix for each rating, such as 1 / P. */
export function cellsOf(
  { user, item }: Ratings,
  of: (user: number, item: number) => number,
): Float64Array {
  return Float64Array.from(user, (u, r) => of(u, item[r]));
}
