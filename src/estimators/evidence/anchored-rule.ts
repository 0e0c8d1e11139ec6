import {
  normalTail,
  normalUpperQuantile,
  studentTQuantile,
  studentTTail,
} from '../mathematics/distributions.js';

/** Score beyond which the tail of a t distribution is below the smallest double. */
const FARTHEST_SCORE = 37;
/** Largest ratio of the sharper form's variance to the anchor's at which the sharper form is used. */
const MOST_VARIANCE = 0.9;
/**
 * Largest distance between the two forms, in standard errors of their difference, at which the
 * sharper form is used.
 */
const MOST_APART = 1.96;
/** Error probabilities (both signs together): of a form that decides alone, and of an anchor with a sharper form. */
const LEVELS = [0.05, 0.1] as const;
/** Probability that any verdict of an epoch is false, at most. */
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

/** Estimates of one difference, from an experiment or other evidence. */
export interface Forms {
  readonly anchor: Measured;
  /** The form that needs one more assumption, and its difference to the anchor, paired by user. */
  readonly sharper?:
    | {
        readonly form: Measured;
        readonly apart: Measured;
      }
    | undefined;
}

export interface AnchoredVerdict {
  /** 1 if the model is better, −1 if the reference is better, 0 if it is not known. */
  readonly sign: -1 | 0 | 1;
  /** The form whose value is displayed. */
  readonly shown: Measured;
  readonly isSharper: boolean;
}

/**
 * Compute the score |D| / se that an anytime-valid test must reach.
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
 * Critical scores when K pairs are compared together: for a form that decides alone, and for an
 * anchor with a sharper form. At one time
 *
 *   z* = Φ⁻¹(1 − .025 / K),   z° = Φ⁻¹(1 − .05 / K)
 *
 * and for anytime-valid tests the scores with Λ = K/.05 and Λ = K/.10.
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

/** Half the width of the interval of a normal score, by the inverse map of `normalScoreOf`. */
export function halfWidth({ stdErr, freedom }: Measured, score: number): number {
  if (!Number.isFinite(freedom) || Number.isNaN(score)) return score * stdErr;
  return studentTQuantile(1 - normalTail(score), Math.max(1, freedom)) * stdErr;
}

/**
 * Decide which of two models is better, from the strongest evidence in the log and a sharper form
 * of it.
 *
 * With a sharper form in use: |z_S| ≥ z* and |z_A| ≥ z°, of the same sign. Otherwise |z_A| ≥ z*. So
 * a wrong sign has a probability of at most .025 per side if the sharper form is right, and of at
 * most .05 if only the anchor is, since |z_A| ≥ z° is always required. The test that compares the
 * two forms does not justify more: if the sharper form decided alone, the error could reach .43 per
 * side.
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

/** Whether the sharper form is precise enough, and close enough to the anchor, to be used. */
export function isInUse({ anchor, sharper }: Forms): boolean {
  if (sharper === undefined) return false;
  const { form, apart } = sharper;
  // Without an error the two forms are the same.
  const score = apart.stdErr > 0 ? apart.value / apart.stdErr : 0;
  return (form.stdErr / anchor.stdErr) ** 2 <= MOST_VARIANCE && Math.abs(score) <= MOST_APART;
}
