import type { RatedItems, Ratings } from './rating-rows.js';

/**
 * Count the positive ratings of each item. The popularity ranker sorts items by these counts, for
 * every user alike.
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
  for (let r = 0; r < rating.length; r++) {
    if (rating[r] >= positiveFrom) {
      counts[item[r]]++;
    }
  }
  return counts;
}

export class PopularityRanker implements Ranker {
  /** @param counts number of positive ratings of each item, see `positiveCounts` */
  constructor(readonly counts: Float64Array) {}

  score(_user: unknown, scores: Float64Array): void {
    scores.set(this.counts);
  }
}

/** A user to rank items for, given by ratings. */
export interface AskedUser extends RatedItems {
  /** w = 1 / P of each rating; rankers that do not weight ratings ignore it. */
  readonly weight: Float64Array;
  /** Number of the user in the training data; −1 for a user who was not in it. */
  readonly known: number;
}

/** Scores all items for a user. A ranker does not remember the users that it scores for. */
export interface Ranker {
  /** Write the scores of all items. @param scores output, one per item; higher is better */
  score(user: AskedUser, scores: Float64Array): void;
}

/** Inverse of the precision that scores are rounded to; further digits are rounding errors. */
const SCORE_STEP = 1e9;

/** Round a score to 1e-9, so that ties are the same on every machine. */
export function roundedScore(score: number): number {
  return Math.round(score * SCORE_STEP) / SCORE_STEP;
}

/**
 * If a list is shorter than the catalogue by more than this factor, it is found by insertion
 * instead of sorting.
 */
const SHORT = 8;

/**
 * Find the items with the highest scores, best first. Ties go to the lower item number.
 *
 * @param most length of the list. @param left flag of each item: 1 if it must not be listed.
 * @example
 * topItems(Float64Array.of(1, 3, 2, 3), 2, Uint8Array.of(0, 0, 1, 0)); // [1, 3]
 */
export function topItems(scores: Float64Array, most: number, left?: Uint8Array): Int32Array {
  const candidates = Int32Array.from(scores.keys()).filter((item) => left?.[item] !== 1);
  if (most * SHORT < candidates.length) return highest(scores, candidates, most);
  return candidates.sort((a, b) => scores[b] - scores[a] || a - b).subarray(0, most);
}

/**
 * Find the best items by insertion into a short sorted list. Faster than sorting, since most items
 * fail the first comparison.
 */
function highest(scores: Float64Array, candidates: Int32Array, most: number): Int32Array {
  const found: number[] = [];
  for (const item of candidates) {
    if (found.length === most) {
      if (!(scores[item] > scores[found[most - 1]])) continue;
      found.pop();
    }
    let at = found.length;
    while (at > 0 && scores[found[at - 1]] < scores[item]) {
      at--;
    }
    found.splice(at, 0, item);
  }
  return Int32Array.from(found);
}
