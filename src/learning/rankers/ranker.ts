import type { RatedItems } from '../ratings/rating-rows.js';

/** What a ranker is asked about: a user by what the user has rated. */
export interface AskedUser extends RatedItems {
  /** w = 1 / P of each rating; what does not weigh ratings does not look at it. */
  readonly weight: Float64Array;
  /** Number of the user among those that the ranker learned from; −1 for another. */
  readonly known: number;
}

/** Scores items for a user. It keeps nothing of those it was asked about. */
export interface Ranker {
  /** @param scores of every item, higher is better; is written. */
  score(user: AskedUser, scores: Float64Array): void;
}

/** Place of a product of floats behind which only rounding differs. */
const SCORE_STEP = 1e9;

/** A score without its rounding, so that ties are ties on any machine. */
export function roundedScore(score: number): number {
  return Math.round(score * SCORE_STEP) / SCORE_STEP;
}

/**
 * The items of the highest scores, best first, but those that are left out; ties by number.
 *
 * @param left items that are not to be listed, as a flag of each. @param most length of the list.
 * @example
 * topItems(Float64Array.of(1, 3, 2, 3), Uint8Array.of(0, 0, 1, 0), 2); // [1, 3]
 */
export function topItems(scores: Float64Array, left: Uint8Array, most: number): Int32Array {
  const candidates = Int32Array.from(scores.keys()).filter((item) => left[item] === 0);
  return candidates.sort((a, b) => scores[b] - scores[a] || a - b).subarray(0, most);
}
