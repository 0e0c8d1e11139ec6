/** A pivot that is smaller than this part of its diagonal is rounding. */
const LEAST_PIVOT = 1e-12;

/**
 * Solves A x = b for a symmetric positive definite A, in the memory of A and b.
 *
 * A = L Lᵀ, then L y = b and Lᵀ x = y. O(size³ / 6); nothing is allocated, so it serves loops that
 * solve a small system for each user.
 * Source: Golub & Van Loan, Matrix Computations, 4.2.
 *
 * @param matrix A row by row, its lower half at least; L stands there afterwards.
 * @param right b; x stands there afterwards, if there is one. @param size rows of A.
 * @returns false if A is not positive definite, or all but not; `right` is then of no use.
 * @example
 * const right = Float64Array.of(8, 0);
 * choleskySolve(Float64Array.of(7, -2, -2, 7), right, 2); // true
 * right; // [56 / 45, 16 / 45]
 */
export function choleskySolve(matrix: Float64Array, right: Float64Array, size: number): boolean {
  for (let row = 0; row < size; row++) {
    const rowStart = row * size;
    let solved = right[row];
    for (let column = 0; column < row; column++) {
      const columnStart = column * size;
      let sum = matrix[rowStart + column];
      for (let k = 0; k < column; k++) sum -= matrix[rowStart + k] * matrix[columnStart + k];
      const entry = sum / matrix[columnStart + column];
      matrix[rowStart + column] = entry;
      solved -= entry * right[column];
    }
    let pivot = matrix[rowStart + row];
    const least = LEAST_PIVOT * pivot;
    for (let k = 0; k < row; k++) pivot -= matrix[rowStart + k] ** 2;
    if (!(pivot > least)) return false;
    const root = Math.sqrt(pivot);
    matrix[rowStart + row] = root;
    right[row] = solved / root;
  }
  for (let row = size - 1; row >= 0; row--) {
    const value = right[row] / matrix[row * size + row];
    right[row] = value;
    for (let k = 0; k < row; k++) right[k] -= matrix[row * size + k] * value;
  }
  return true;
}
