/**
 * A value counts as rounding error if its absolute value is below this. A standard error counts as
 * rounding error if it is below this share of its value.
 */
const ROUNDING = 1e-12;

/**
 * Compute a z score that rounding does not change.
 *
 * z = value / stdErr; 0 if the value is rounding error, infinite if only its standard error is,
 * since a nonzero constant differs significantly from 0.
 *
 * @example
 * [zScore(0.3, 0.1), zScore(1e-16, 1e-17), zScore(-0.2, 1e-17)]; // [3, 0, -Infinity]
 */
export function zScore(value: number, stdErr: number): number {
  if (Math.abs(value) < ROUNDING) return 0;
  return value / (stdErr < ROUNDING * Math.abs(value) ? 0 : stdErr);
}
