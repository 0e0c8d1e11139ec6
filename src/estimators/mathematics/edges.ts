/** Relative tolerance: sums in another order may be slightly below or above a whole number. */
const EDGE = 1e-9;

/**
 * Whether a value lies below a limit by more than rounding.
 *
 * x < L (1 − 10⁻⁹). Where a branch is taken at a limit that values meet exactly, such as an effective
 * size of 1, the order of a sum must not choose the branch.
 *
 * @param limit L > 0. @returns false for NaN.
 * @example
 * isBelow(0.1 + 0.7, 0.8); // false
 */
export function isBelow(value: number, limit: number): boolean {
  return value < limit * (1 - EDGE);
}

/** Whether it lies above by more than rounding: x > L (1 + 10⁻⁹); see `isBelow`. */
export function isAbove(value: number, limit: number): boolean {
  return value > limit * (1 + EDGE);
}

/** Whether two values differ by rounding only. */
export function isEqual(value: number, other: number): boolean {
  return !isBelow(value, other) && !isAbove(value, other);
}

/** Relative, of a standard error: less is what rounding leaves of 0. */
const NO_ERROR = 1e-12;

/**
 * A sum of squared errors; 0 if rounding alone is left of it.
 *
 * @param squares Σe². @param size what the errors are differences of, squared and summed: errors that
 * are 10⁻¹² of it are none.
 * @example
 * beyondRounding(1e-33, 1); // 0
 */
export function beyondRounding(squares: number, size: number): number {
  return squares <= NO_ERROR * NO_ERROR * size ? 0 : squares;
}

/** Relative, of a sum of squares that all but cancels: less is rounding, which a root would show. */
const CANCELLED = 1e-12;

/**
 * What is left of squares that cancel, such as a² + b² − 2ρab; 0 if rounding alone is left.
 *
 * @param left the difference. @param size the squares before: what is 10⁻¹² of them is rounding.
 * @example
 * beyondCancelling(2 ** -54, 0.02); // 0
 */
export function beyondCancelling(left: number, size: number): number {
  return left <= CANCELLED * size ? 0 : left;
}
