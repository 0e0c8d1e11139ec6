import { hash53 } from '../../sampling/sampling-key.js';
import type { Ratings } from '../ratings/ratings.js';

/**
 * Which fold each rating is in, by a hash of seed, user and item: no order of the ratings matters.
 *
 * @returns a number from 0 to folds − 1 for each rating.
 */
export function foldsOf({ user, item }: Ratings, folds: number, seed: number): Uint8Array {
  return Uint8Array.from(user, (u, r) => Math.floor((hash53(seed, u, item[r]) / 2 ** 53) * folds));
}
