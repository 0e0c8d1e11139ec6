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
/** Chance of a wrong sign, of either: of a form that decides, and of an anchor beside a sharper one. */
const LEVELS = [0.05, 0.1] as const;
/** All verdicts of an epoch together are false with at most this chance. */
export const ALPHA = LEVELS[0];

/** A difference with its error, and the degrees of freedom that this is known with. */
export interface Measured {
  readonly value: number;
  readonly stdErr: number;
  /** At least 1; Infinity where the error is known. */
  readonly freedom: number;
  /**
   * φ, the spread of the differences that are thought possible, where one looks again and again; NaN
   * where it is not known yet. Left out at one look.
   */
  readonly spread?: number;
}

/** What an experiment, or other evidence, says of a difference. */
export interface Forms {
  readonly anchor: Measured;
  /** The form that is right under one more assumption, and the anchor less it, paired by user. */
  readonly sharper?:
    | {
        readonly form: Measured;
        readonly apart: Measured;
      }
    | undefined;
}

export interface AnchoredVerdict {
  /** Which is better: 1 the model, −1 the reference, 0 not known. */
  readonly sign: -1 | 0 | 1;
  /** The form whose number is to be printed. */
  readonly shown: Measured;
  readonly isSharper: boolean;
}

/**
 * Compute the score from which the evidence over all looks is sufficient.
 *
 *   Λ = √(se² / (se² + φ²)) · exp(D²φ² / (2 se² (se² + φ²))) ≥ bar
 *   z = √((1 + se²/φ²) · (ln(1 + φ²/se²) + 2 ln bar))
 *
 * Without a difference, the probability that Λ ever reaches 1/α is at most α. Source: Robbins 1970,
 * *Statistical methods related to the law of the iterated logarithm*; Waudby-Smith et al. 2021,
 * *Time-uniform central limit theory* (asymptotic).
 *
 * @param spread φ / se, above 0. @param bar K / α, with K differences judged together.
 * @returns the least |D| / se with Λ ≥ bar: half the width of the interval, in se.
 * @example
 * scoreNeeded(2, 20); // 3.08239
 */
export function scoreNeeded(spread: number, bar: number): number {
  const square = spread * spread;
  return Math.sqrt((1 + 1 / square) * (Math.log1p(square) + 2 * Math.log(bar)));
}

/**
 * What the forms have to reach where K pairs are judged together: one that decides, and an anchor beside
 * a sharper one. By one look
 *
 *   z* = Φ⁻¹(1 − .025 / K),   z° = Φ⁻¹(1 − .05 / K)
 *
 * and where one looks again and again, Λ = K/.05 and Λ = K/.10.
 *
 * @example
 * scoreBars(1); // { whole: 1.959964, anchor: 1.644854 }
 */
export function scoreBars(
  comparisons: number,
  { spread, stdErr = 1 }: Partial<Measured> = {},
): {
  readonly whole: number;
  readonly anchor: number;
} {
  const [whole, anchor] = LEVELS.map((level) =>
    spread === undefined
      ? normalUpperQuantile(level / 2 / comparisons)
      : scoreNeeded(spread / stdErr, comparisons / level),
  );
  return { whole, anchor };
}

/**
 * Convert D / se to a signed normal score: z ← Φ⁻¹(T_df(|z|)).
 *
 * @returns NaN if the error is unknown; 0 if difference and error are 0.
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
  if (!Number.isFinite(freedom) || Number.isNaN(score)) return score * stdErr;
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
 * const exact = (value, stdErr) => ({ value, stdErr, freedom: Infinity });
 * const sharper = { form: exact(1.5, 0.7), apart: exact(0.2, 0.7) };
 * preferredSign({ anchor: exact(1.7, 1), sharper }, 1).sign; // 1
 */
export function preferredSign(forms: Forms, comparisons: number): AnchoredVerdict {
  const { anchor, sharper } = forms;
  const score = normalScoreOf(anchor);
  const bars = scoreBars(comparisons, anchor);
  const sign = Math.sign(score) as -1 | 0 | 1;
  if (sharper === undefined || !isInUse(forms)) {
    const isClear = Math.abs(score) >= bars.whole;
    return {
      sign: isClear ? sign : 0,
      shown: anchor,
      isSharper: false,
    };
  }
  const { form } = sharper;
  const isSharp = sign * normalScoreOf(form) >= scoreBars(comparisons, form).whole;
  const isAnchored = Math.abs(score) >= bars.anchor;
  // What is shown is the form that missed its bar, and the anchor if both did.
  return {
    sign: isSharp && isAnchored ? sign : 0,
    shown: isAnchored ? form : anchor,
    isSharper: isAnchored,
  };
}

/** Whether a sharper form may lower or raise the bar at all. */
export function isInUse({ anchor, sharper }: Forms): boolean {
  if (sharper === undefined) return false;
  const { form, apart } = sharper;
  // Without an error the two forms are the same.
  const score = apart.stdErr > 0 ? apart.value / apart.stdErr : 0;
  return (form.stdErr / anchor.stdErr) ** 2 <= MOST_VARIANCE && Math.abs(score) <= MOST_APART;
}
