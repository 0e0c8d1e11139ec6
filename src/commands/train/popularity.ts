import type { Ranker } from './ranker.js';
import type { Ratings } from './ratings.js';

/**
 * Ranks items by how many of their ratings are positive, for all users alike.
 *
 * Source: the PosPop of Carraro & Bridge 2020, section 4. O(n) to learn.
 *
 * @example
 * const [user, item] = [Int32Array.of(0, 1, 1), Int32Array.of(0, 0, 1)];
 * positiveCounts({ users: 2, items: 2, user, item, rating: Float64Array.of(5, 4, 2) }, 4); // [2, 0]
 */
export function positiveCounts(
  { items, item, rating }: Ratings,
  positiveFrom: number,
): Float64Array {
  const counts = new Float64Array(items);
  for (let r = 0; r < rating.length; r++) if (rating[r] >= positiveFrom) counts[item[r]]++;
  return counts;
}

export class PopularityRanker implements Ranker {
  readonly counts: Float64Array;

  /** @param counts of each item, see `positiveCounts` */
  constructor(counts: Float64Array) {
    this.counts = counts;
  }

  score(_user: unknown, scores: Float64Array): void {
    scores.set(this.counts);
  }
}
