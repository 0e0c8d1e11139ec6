import { halfWidth, type Measured } from './anchored-rule.js';

/** What is known of D where a part of it is not: it lies between the two. */
export interface Bounds {
  readonly least: Measured;
  readonly most: Measured;
}

/** What bounds say of a model against another. */
export type BoundedAnswer = 'better' | 'worse' | 'unknown';

export interface BoundedVerdict {
  readonly answer: BoundedAnswer;
  readonly lower: number;
  readonly upper: number;
}

/**
 * Whether a model is better whatever the part that is not known comes to.
 *
 * Lower limit D_lo − z* se_lo above 0: better; upper limit D_hi + z* se_hi below 0: worse; else it is
 * not known. A lower bound never speaks for the other, nor an upper one for the model.
 *
 * @param score z*.
 * @example
 * const of = (value) => ({ value, stdErr: 0.01, freedom: Infinity });
 * boundedVerdict({ least: of(-0.2), most: of(0.3) }, 1.96).answer; // 'unknown'
 */
export function boundedVerdict({ least, most }: Bounds, score: number): BoundedVerdict {
  const lower = least.value - halfWidth(least, score);
  const upper = most.value + halfWidth(most, score);
  return {
    answer: lower > 0 ? 'better' : upper < 0 ? 'worse' : 'unknown',
    lower,
    upper,
  };
}

/**
 * The least that a model is ahead where its lists lack in a part of the requests, and the other might
 * have been better by all that it earned there.
 *
 * (1 − p) · lower − R_n, R_n what the other earned in those, per request of all, at its upper limit.
 *
 * @param missing p. @param lower limit of the difference where both have lists.
 * @example
 * leastWithMissing(0.05, 0.04, 0.03); // 0.008
 */
export function leastWithMissing(missing: number, lower: number, earnedThere: number): number {
  return (1 - missing) * lower - earnedThere;
}

/** What the pairs that one of two models did not predict may add to the difference of their means. */
export interface UnpredictedPart {
  /** Their share of the weight of all pairs that either predicted. */
  readonly share: number;
  /** The least and the most that they add to the difference over all these. */
  readonly least: number;
  readonly most: number;
}

/**
 * The difference of mean errors over pairs of which one of two models did not predict some.
 *
 * (1 − p)(D ± z* se) over the pairs that both predicted, and the least and the most of the rest.
 *
 * @param common D. @param score z*.
 * @example
 * const common = { value: -0.2, stdErr: 0, freedom: Infinity };
 * withUnpredicted(common, { share: 0.1, least: -0.25, most: 0.05 }, 1.96); // { lower: -.43, upper: -.13 }
 */
export function withUnpredicted(
  common: Measured,
  { share, least, most }: UnpredictedPart,
  score: number,
): {
  readonly lower: number;
  readonly upper: number;
} {
  const half = halfWidth(common, score);
  const of = (end: number) => (1 - share) * (common.value + end);
  return {
    lower: of(-half) + least,
    upper: of(half) + most,
  };
}
