import {
  normalTail,
  normalUpperQuantile,
  studentTQuantile,
  studentTTail,
} from '../mathematics/distributions.js';

/** Beyond it the tail of a t is below the least double. */
const FARTHEST_SCORE = 37;
/** A form is sharper only if its variance is at most so much of the anchor's, */
const MOST_VARIANCE = 0.9;
/** and in use only if it is no further from it than so many errors of their difference. */
const MOST_APART = 1.96;

/** A difference with its error, and the degrees of freedom that this is known with. */
export interface Measured {
  readonly value: number;
  readonly stdErr: number;
  /** At least 1; Infinity where the error is known. */
  readonly freedom: number;
}

/** The form that is right under one more assumption. */
export interface SharperScore {
  readonly score: number;
  /** z of the difference between the anchor and this form, paired by user. */
  readonly apart: number;
  /** se² of this form by that of the anchor. */
  readonly varianceRatio: number;
}

export interface AnchoredVerdict {
  /** Which is better: 1 the model, −1 the reference, 0 not known. */
  readonly sign: -1 | 0 | 1;
  /** The form whose number is to be printed. */
  readonly shown: 'anchor' | 'sharper';
}

/**
 * z* and z°, what the two forms have to reach where K pairs are judged together by one look.
 *
 *   z* = Φ⁻¹(1 − .025 / K),   z° = Φ⁻¹(1 − .05 / K)
 *
 * @example
 * scoreBars(1); // { whole: 1.959964, anchor: 1.644854 }
 */
export function scoreBars(comparisons: number): {
  readonly whole: number;
  readonly anchor: number;
} {
  const [whole, anchor] = [0.025, 0.05].map((level) => normalUpperQuantile(level / comparisons));
  return { whole, anchor };
}

/**
 * D / se as a normal score, with its sign: z ← Φ⁻¹(T_df(|z|)).
 *
 * @returns NaN where the error is unknown; 0 for no difference without an error.
 * @example
 * normalScoreOf({ value: 1.8708287, stdErr: 1, freedom: 4 }); // 1.4958
 */
export function normalScoreOf({ value, stdErr, freedom }: Measured): number {
  if (value === 0 && stdErr === 0) return 0;
  const score = Math.abs(value) / stdErr;
  if (Number.isNaN(score)) return Number.NaN;
  const tail = Number.isFinite(freedom)
    ? studentTTail(score, Math.max(1, freedom)) / 2
    : normalTail(score);
  return Math.sign(value) * (tail > 0 ? normalUpperQuantile(tail) : FARTHEST_SCORE);
}

/** Half the width of the interval that a normal score stands for, by the same map. */
export function halfWidth({ stdErr, freedom }: Measured, score: number): number {
  if (!Number.isFinite(freedom)) return score * stdErr;
  return studentTQuantile(1 - normalTail(score), Math.max(1, freedom)) * stdErr;
}

/**
 * Which of two is better, by the strongest evidence that the log holds and a sharper form of it.
 *
 * With a sharper form in use: |z_S| ≥ z* and |z_A| ≥ z°, of one sign. Else |z_A| ≥ z*. So a wrong sign
 * has a chance of at most .025 a side where the sharper form is right, and of at most .05 whatever users
 * do where the anchor is, since |z_A| ≥ z° always. That a test finds no difference between the two
 * licenses no more: letting the sharper form decide alone errs up to .43 a side.
 *
 * @example
 * preferredSign(1.7, { score: 2.1, apart: 0.2, varianceRatio: 0.5 }, 1).sign; // 1
 */
export function preferredSign(
  anchor: number,
  sharper: SharperScore | undefined,
  comparisons: number,
): AnchoredVerdict {
  const bars = scoreBars(comparisons);
  const sign = Math.sign(anchor) as -1 | 0 | 1;
  if (sharper === undefined || !isInUse(sharper)) {
    return { sign: Math.abs(anchor) >= bars.whole ? sign : 0, shown: 'anchor' };
  }
  const isSharp = sign * sharper.score >= bars.whole;
  const isAnchored = Math.abs(anchor) >= bars.anchor;
  if (isSharp && isAnchored) return { sign, shown: 'sharper' };
  // What is shown is the form that missed its bar, and the anchor if both did.
  return { sign: 0, shown: isAnchored ? 'sharper' : 'anchor' };
}

/** Whether a sharper form may lower or raise the bar at all. */
export function isInUse({ apart, varianceRatio }: SharperScore): boolean {
  return varianceRatio <= MOST_VARIANCE && Math.abs(apart) <= MOST_APART;
}
