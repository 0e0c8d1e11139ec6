import type { ExponentTest } from '../diagnostics/exponent-test.js';

/** As good as a calibration has to be to be used. */
const MOST_BETA_ERROR = 0.15;
/** Standard errors between two sources of γ from which they contradict each other. */
export const SOURCES_APART = 2;
const Z = 1.96;

/** Where γ comes from, and its standard error; 0 where it is fixed. */
interface GammaInUse {
  readonly source: string;
  readonly gammaStdErr: number;
}

/** γ between two limits. */
export interface PlausibleGamma {
  readonly lower: number;
  readonly upper: number;
}

/**
 * No traffic has a γ beyond ± 5. The interval of one that hardly any items carry may be of any width,
 * and weights at its ends would be infinite.
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
 * Half the width of the 95 % interval of γ; of a fixed one that randomised traffic confirms by what
 * that gives of β, of another fixed one 0: nothing gives it.
 */
export function gammaHalfWidth(
  { source, gammaStdErr }: GammaInUse,
  test: ExponentTest | null,
): number {
  // γ = 2β − 1: half the width of the one interval is all of the other's.
  return source === 'fixed' && isConfirmed(test) ? test.upper - test.lower : Z * gammaStdErr;
}

/**
 * Whether the data determine the γ in use: it is calibrated, fitted, or fixed at a value that
 * randomised traffic confirms. Otherwise a fixed γ or a last good fit is only assumed.
 */
export function isGivenByData(source: string, test: ExponentTest | null): boolean {
  return source === 'calibrated' || source === 'fit' || (source === 'fixed' && isConfirmed(test));
}

/**
 * What γ may be: its 95 % interval where the data tell it, else all that traffic may have, from no
 * correction (γ = −1) to equal relevance of all items (γ = 1), and the γ in use; no further
 * than ± 5 otherwise.
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
