/** Relative tolerance for sums that rounding puts slightly below or above a limit. */
const EDGE = 1e-9;

/**
 * Whether a value lies below a limit by more than rounding.
 *
 * x < L (1 − 10⁻⁹). Use it for branches at limits that values reach exactly, such as an effective
 * sample size of 1. The order of summation then does not decide which branch is taken.
 *
 * @param limit L > 0. @returns false for NaN.
 * @example
 * isBelow(0.1 + 0.7, 0.8); // false
 */
export function isBelow(value: number, limit: number): boolean {
  return value < limit * (1 - EDGE);
}

/** Whether a value exceeds a limit by more than rounding: x > L (1 + 10⁻⁹); see `isBelow`. */
export function isAbove(value: number, limit: number): boolean {
  return value > limit * (1 + EDGE);
}

/** Whether two values differ by rounding only. */
export function isEqual(value: number, other: number): boolean {
  return !isBelow(value, other) && !isAbove(value, other);
}

/** Relative size below which a standard error is rounding error. */
const NO_ERROR = 1e-12;

/**
 * Return a sum of squared errors, or 0 if it is rounding error only.
 *
 * @param squares Σe². @param size sum of squares of the values whose differences are the errors;
 * the result is 0 if √squares ≤ 10⁻¹² √size.
 * @example
 * beyondRounding(1e-33, 1); // 0
 */
export function beyondRounding(squares: number, size: number): number {
  return squares <= NO_ERROR * NO_ERROR * size ? 0 : squares;
}

/** Relative size below which a difference of squares is rounding error. A square root would magnify it. */
const CANCELLED = 1e-12;

/**
 * Return a difference of squares such as a² + b² − 2ρab, or 0 if it is rounding error only.
 *
 * @param left the difference. @param size the sum of the squares before subtraction; the result is
 * 0 if left ≤ 10⁻¹² size.
 * @example
 * beyondCancelling(2 ** -54, 0.02); // 0
 */
export function beyondCancelling(left: number, size: number): number {
  return left <= CANCELLED * size ? 0 : left;
}
