/** What is nothing but rounding, by itself or beside what it is the error of. */
const ROUNDING = 1e-12;

/**
 * How many standard errors a value is off 0, the same in any order of the sums that it is made from.
 *
 * z = value / stdErr; 0 where the value is nothing but rounding, infinite where its error is: what
 * does not vary at all and is off 0 is off by more than chance, and noise of 1e-17 says no number.
 *
 * @example
 * [zScore(0.3, 0.1), zScore(1e-16, 1e-17), zScore(-0.2, 1e-17)]; // [3, 0, -Infinity]
 */
export function zScore(value: number, stdErr: number): number {
  if (Math.abs(value) < ROUNDING) return 0;
  return value / (stdErr < ROUNDING * Math.abs(value) ? 0 : stdErr);
}
