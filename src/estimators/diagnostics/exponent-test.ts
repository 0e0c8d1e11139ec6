import { type Static, Type } from 'typebox';
import { type Memory, Num } from '../../rows/row.js';
import type { Calibration } from '../propensity/calibration.js';

const Z = 1.96;

/**
 * Compare the exponent β in use with the exponent β̂ that randomised traffic suggests.
 *
 * deviation = 1.96 |β̂ − β| / half the width of the 95 % interval of β̂: the distance in standard
 * errors, scaled so that the ends of this interval (Student’s t) are at 1.96 for any degrees of
 * freedom.
 * Source: own; β̂ by `calibration`. γ > 1 (β > 1) assumes that true relevance falls as observed
 * popularity rises; this test can refute that.
 *
 * @param calibration of organic and randomised positives (events). @param used β.
 * @returns NaN for the deviation if the calibration has no β̂.
 * @example
 * const organic = Float64Array.of(500, 1000, 2000);
 * const randomized = Float64Array.of(500, 500, 500);
 * exponentTest(calibration(organic, randomized, 3), 1.5).deviation > 3; // true: not 1.5
 */
export function exponentTest(
  { beta, stdErr, lower, upper, items, organic, randomized }: Calibration,
  used: number,
): ExponentTest {
  const deviation = (2 * Z * Math.abs(beta - used)) / (upper - lower);
  return {
    beta,
    stdErr,
    lower,
    upper,
    used,
    deviation,
    items,
    organic,
    randomized,
  };
}

/**
 * Exponent β̂ of the propensity estimated from randomised traffic, compared with the exponent in
 * use, `used` = (γ + 1) / 2. All but `used` and the counts are NaN if the counts are too small. The
 * standard error allows for a few items that dominate it. `organic` is the number of organic
 * positives of the `items`, `randomized` that of randomised positives of the same items.
 */
export const ExponentTest = Type.Object({
  beta: Num(),
  stdErr: Num(),
  lower: Num(),
  upper: Num(),
  used: Type.Number(),
  deviation: Num('Distance between β and the exponent in use, in standard errors'),
  items: Type.Number(),
  organic: Type.Number(),
  randomized: Type.Number(),
});
export type ExponentTest = Memory<Static<typeof ExponentTest>>;
