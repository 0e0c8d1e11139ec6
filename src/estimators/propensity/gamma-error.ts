import type { ExponentTest } from '../diagnostics/exponent-test.js';

/** Largest standard error of β̂ at which randomised traffic can confirm a fixed γ. */
const MOST_BETA_ERROR = 0.15;
/** Distance in standard errors at which two sources of γ contradict each other. */
export const SOURCES_APART = 2;
const Z = 1.96;

/** Source and standard error of the γ in use; the standard error is 0 if γ is fixed. */
interface GammaInUse {
  readonly source: string;
  readonly gammaStdErr: number;
}

/** Interval of plausible values of γ, see `plausibleGamma`. */
export interface PlausibleGamma {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Limit on |γ|. Intervals that rest on few items can be arbitrarily wide, and weights with such a γ
 * would overflow.
 */
export const WIDEST_GAMMA = 5;

/** Whether randomised traffic determines β well enough and agrees with the β in use. */
export function isConfirmed(test: ExponentTest | null): test is ExponentTest {
  // An unknown deviation is NaN.
  return test !== null && test.deviation <= SOURCES_APART && test.stdErr <= MOST_BETA_ERROR;
}

/** Whether randomised traffic contradicts the β in use. */
export function isContradicted(test: ExponentTest | null): boolean {
  return test !== null && test.deviation > SOURCES_APART;
}

/**
 * Half-width of the 95 % interval of the γ in use. If randomised traffic confirms a fixed γ, the
 * half-width follows from the exponent test; for any other fixed γ it is 0.
 */
export function gammaHalfWidth(
  { source, gammaStdErr }: GammaInUse,
  test: ExponentTest | null,
): number {
  // γ = 2β − 1, so the half-width of γ's interval is the width of β's.
  return source === 'fixed' && isConfirmed(test) ? test.upper - test.lower : Z * gammaStdErr;
}

/**
 * Whether the data determine the γ in use: it is calibrated, fitted, or fixed at a value that
 * randomised traffic confirms. Any other γ, such as the last good fit, is only assumed.
 */
export function isGivenByData(source: string, test: ExponentTest | null): boolean {
  return source === 'calibrated' || source === 'fit' || (source === 'fixed' && isConfirmed(test));
}

/**
 * Interval of plausible γ: its 95 % interval if the data determine γ, otherwise the range from no
 * correction (γ = −1) to equal relevance of all items (γ = 1), extended to the γ in use; at most ±
 * 5.
 *
 * @example
 * plausibleGamma({ gamma: 0.5, source: 'fit', gammaStdErr: 0.1 }, null); // { lower: 0.304, upper: 0.696 }
 * plausibleGamma({ gamma: 0.5, source: 'fixed', gammaStdErr: 0 }, null); // { lower: -1, upper: 1 }
 */
export function plausibleGamma(
  inUse: GammaInUse & { readonly gamma: number },
  test: ExponentTest | null,
): PlausibleGamma {
  const half = gammaHalfWidth(inUse, test);
  const most = Math.max(WIDEST_GAMMA, Math.abs(inUse.gamma));
  const lower = Math.max(-most, inUse.gamma - half);
  const upper = Math.min(most, inUse.gamma + half);
  if (isGivenByData(inUse.source, test)) return { lower, upper };
  return {
    lower: Math.min(-1, lower),
    upper: Math.max(1, upper),
  };
}
