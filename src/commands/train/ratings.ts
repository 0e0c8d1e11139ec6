import { UnskewError } from '../../errors.js';

/** Observed ratings, row r of every column one rating; users and items are dense integers. */
export interface Ratings {
  /** U, all users, rated or not. */
  readonly users: number;
  /** I, all items. */
  readonly items: number;
  readonly user: Int32Array;
  readonly item: Int32Array;
  readonly rating: Float64Array;
}

/**
 * Refuses ratings that nothing can be learned from.
 *
 * @throws UnskewError EVENTS without ratings, and with those of one user or one item only: what is
 * learned is how users and items differ.
 */
export function checkRatings({ rating, user, item }: Ratings): void {
  if (rating.length === 0) throw new UnskewError('EVENTS', 'there is no rating to learn from');
  if (isOne(user)) throw new UnskewError('EVENTS', 'all ratings are of one user: nothing to learn');
  if (isOne(item)) throw new UnskewError('EVENTS', 'all ratings are of one item: nothing to learn');
}

/** Some of the ratings, of the same users and items. */
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
