import { halfWidth, type Measured } from './anchored-rule.js';

/** Lower and upper bound of the difference D of two models if a part of D was not observed. */
export interface Bounds {
  readonly least: Measured;
  readonly most: Measured;
}

/** Conclusion from the bounds of a model's difference to another. */
export type BoundedAnswer = 'better' | 'worse' | 'unknown';

export interface BoundedVerdict {
  readonly answer: BoundedAnswer;
  readonly lower: number;
  readonly upper: number;
}

/**
 * Decide whether a model is better for every possible value of the unknown part.
 *
 * Better if D_lo − z* se_lo > 0; worse if D_hi + z* se_hi < 0; otherwise unknown.
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
 * Lower bound of a model's advantage in reward per request if it has no list for some requests.
 * There, the other model may be better by its whole reward.
 *
 * (1 − p) · lower − R_n, with R_n (`earnedThere`) the upper limit of the other model's reward in
 * those requests, divided by the number of all requests.
 *
 * @param missing p, the share of requests without a list. @param lower limit of the difference
 * where both have lists.
 * @example
 * leastWithMissing(0.05, 0.04, 0.03); // 0.008
 */
export function leastWithMissing(missing: number, lower: number, earnedThere: number): number {
  return (1 - missing) * lower - earnedThere;
}

/**
 * Rated (user, item) pairs that only one of two models predicted, and their effect on the
 * difference of mean errors.
 */
export interface UnpredictedPart {
  /**
   * Share of these pairs in the weight of all pairs that at least one of the two models predicted.
   */
  readonly share: number;
  /** Lower and upper bound of what these pairs add to the difference over all pairs. */
  readonly least: number;
  readonly most: number;
}

/**
 * Bound the difference of mean errors if one of two models did not predict some pairs.
 *
 * (1 − p)(D ± z* se), plus the bounds of what the pairs that only one model predicted add. D is the
 * difference over the pairs that both models predicted, p the weight share of the other pairs.
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
