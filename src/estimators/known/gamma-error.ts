import type { ExponentTest } from '../results/exponent-test.js';

/** As good as a calibration has to be to be used. */
const MOST_BETA_ERROR = 0.15;
/** This many standard errors apart, two sources of γ contradict each other. */
export const SOURCES_APART = 2;
const Z = 1.96;

/** Where γ comes from, and its standard error; 0 where it is fixed. */
interface GammaInUse {
  readonly source: string;
  readonly gammaStdErr: number;
}

/** Whether randomised traffic gives β well enough, and the one in use agrees with it. */
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
