import {
  normalTail,
  normalUpperQuantile,
  studentTQuantile,
  studentTTail,
} from '../mathematics/distributions.js';

/** Normal score used where the tail probability of a t value underflows to 0. */
const FARTHEST_SCORE = 37;
/** The sharper form is used only if its variance is at most this multiple of the anchor's. */
const MOST_VARIANCE = 0.9;
/**
 * The sharper form is used only if it differs from the anchor by at most this many standard errors
 * of their difference.
 */
const MOST_APART = 1.96;
/**
 * Two-sided error probabilities of the tests: first of a form that decides alone, then of an anchor
 * that a sharper form confirms.
 */
const LEVELS = [0.05, 0.1] as const;
/** Upper bound on the probability that any verdict of an epoch is false. */
export const ALPHA = LEVELS[0];

/** A difference with its standard error and degrees of freedom. */
export interface Measured {
  readonly value: number;
  readonly stdErr: number;
  /** Degrees of freedom, at least 1; Infinity if the error is known exactly. */
  readonly freedom: number;
  /**
   * φ, the standard deviation of the prior over differences, for anytime-valid tests; NaN if it is
   * not known yet, undefined for a test at one time.
   */
  readonly spread?: number;
}

/**
 * Estimates of one difference between two models: the anchor, and possibly a sharper form, which is
 * more precise under one more assumption.
 */
export interface Forms {
  readonly anchor: Measured;
  /** The sharper form (`form`), and its difference to the anchor, paired by user (`apart`). */
  readonly sharper?:
    | {
        readonly form: Measured;
        readonly apart: Measured;
      }
    | undefined;
}

export interface AnchoredVerdict {
  /** 1 if the model is better, −1 if the reference is better, 0 if that is not known. */
  readonly sign: -1 | 0 | 1;
  /** The form whose value is displayed. */
  readonly shown: Measured;
  readonly isSharper: boolean;
}

/**
 * Critical score |D| / se of an anytime-valid test, for a difference D with standard error se.
 *
 *   Λ = √(se² / (se² + φ²)) · exp(D²φ² / (2 se² (se² + φ²))) ≥ bar
 *   z = √((1 + se²/φ²) · (ln(1 + φ²/se²) + 2 ln bar))
 *
 * Λ is the likelihood ratio of a normal prior over differences with standard deviation φ. If the
 * true difference is 0, the probability that Λ ever reaches 1/α is at most α. Source: Robbins 1970,
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
 * Critical scores when K pairs are compared together: z* (`whole`) for a form that decides alone,
 * and z° (`anchor`) for an anchor that a sharper form confirms. For a test at one time
 *
 *   z* = Φ⁻¹(1 − .025 / K),   z° = Φ⁻¹(1 − .05 / K)
 *
 * and for anytime-valid tests (`spread` is given) the scores with Λ = K/.05 and Λ = K/.10.
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
 * Convert D / se, a Student t value, to the normal score z with the same tail probability and sign.
 *
 * z = ± Φ⁻¹(T_df(|D| / se)), T_df the distribution function of Student's t.
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

/**
 * Half-width of the interval for a critical normal score: the score is converted to Student's t, as
 * the inverse of `normalScoreOf`, and multiplied by the standard error.
 */
export function halfWidth({ stdErr, freedom }: Measured, score: number): number {
  if (!Number.isFinite(freedom) || Number.isNaN(score)) return score * stdErr;
  return studentTQuantile(1 - normalTail(score), Math.max(1, freedom)) * stdErr;
}

/**
 * Decide which of two models is better, from the anchor (the strongest evidence in the log) and a
 * sharper form of it.
 *
 * z_A is the score of the anchor, z_S that of the sharper form; z* and z° come from `scoreBars`. If
 * the sharper form is in use, a decision requires |z_S| ≥ z* and |z_A| ≥ z°, with the same sign.
 * Otherwise it requires |z_A| ≥ z*. So a wrong sign has a probability of at most .025 per side if
 * the sharper form is right, and of at most .05 if only the anchor is, since |z_A| ≥ z° is always
 * required. The test that compares the two forms does not justify more: if the sharper form decided
 * alone, the error could reach .43 per side.
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
  // Without a verdict, the form that missed its critical score is displayed; the anchor if both
  // did.
  return {
    sign: isSharp && isAnchored ? sign : 0,
    shown: isAnchored ? form : anchor,
    isSharper: isAnchored,
  };
}

/** Whether the sharper form is precise enough, and close enough to the anchor, to be used. */
export function isInUse({ anchor, sharper }: Forms): boolean {
  if (sharper === undefined) return false;
  const { form, apart } = sharper;
  // Without an error the two forms are the same.
  const score = apart.stdErr > 0 ? apart.value / apart.stdErr : 0;
  return (form.stdErr / anchor.stdErr) ** 2 <= MOST_VARIANCE && Math.abs(score) <= MOST_APART;
}
