/**
 * Solve A x = b for a symmetric positive definite A, in the memory of A and b.
 *
 * A = L Lᵀ, then L y = b and Lᵀ x = y. O(size³ / 6); no allocation, for loops that solve a small
 * system for each user.
 * Source: Golub & Van Loan, Matrix Computations, 4.2.
 *
 * @param matrix A row by row, at least its lower half; overwritten with L.
 * @param right b; overwritten with x. @param size number of rows of A.
 * @returns false if A is not positive definite, or nearly singular; `right` is then invalid.
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
      for (let k = 0; k < column; k++) {
        sum -= matrix[rowStart + k] * matrix[columnStart + k];
      }
      const entry = sum / matrix[columnStart + column];
      matrix[rowStart + column] = entry;
      solved -= entry * right[column];
    }
    let pivot = matrix[rowStart + row];
    const least = LEAST_PIVOT * pivot;
    for (let k = 0; k < row; k++) {
      pivot -= matrix[rowStart + k] ** 2;
    }
    if (!(pivot > least)) return false;
    const root = Math.sqrt(pivot);
    matrix[rowStart + row] = root;
    right[row] = solved / root;
  }
  for (let row = size - 1; row >= 0; row--) {
    const value = right[row] / matrix[row * size + row];
    right[row] = value;
    for (let k = 0; k < row; k++) {
      right[k] -= matrix[row * size + k] * value;
    }
  }
  return true;
}

/** A symmetric matrix in row-major order: `values[row · size + column]`. */
export interface SquareMatrix {
  readonly size: number;
  readonly values: Float64Array;
}

/**
 * Invert a symmetric positive definite matrix by its Cholesky factor.
 *
 * A = L Lᵀ, A⁻¹ = L⁻ᵀ L⁻¹. O(size³).
 * Source: Golub & Van Loan, Matrix Computations, 4.2.
 *
 * @returns undefined if the matrix is not positive definite, or nearly singular.
 * @example
 * choleskyInverse({ size: 1, values: [4] }).values; // [0.25]
 */
export function choleskyInverse({ size, values }: SquareMatrix): SquareMatrix | undefined {
  const factor = choleskyFactor(size, values);
  if (factor === undefined) return undefined;
  const inverse = new Float64Array(size * size);
  // L⁻¹ in the lower half, column by column.
  for (let column = 0; column < size; column++) {
    for (let row = column; row < size; row++) {
      let sum = row === column ? 1 : 0;
      for (let k = column; k < row; k++) {
        sum -= factor[row * size + k] * inverse[k * size + column];
      }
      inverse[row * size + column] = sum / factor[row * size + row];
    }
  }
  const product = new Float64Array(size * size);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let sum = 0;
      for (let k = Math.max(row, column); k < size; k++) {
        sum += inverse[k * size + row] * inverse[k * size + column];
      }
      product[row * size + column] = sum;
    }
  }
  return {
    size,
    values: product,
  };
}

/** Least pivot relative to the diagonal element; a smaller one is rounding error. */
const LEAST_PIVOT = 1e-12;

function choleskyFactor(size: number, values: Float64Array): Float64Array | undefined {
  const factor = new Float64Array(size * size);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = values[row * size + column];
      for (let k = 0; k < column; k++) {
        sum -= factor[row * size + k] * factor[column * size + k];
      }
      if (row !== column) {
        factor[row * size + column] = sum / factor[column * size + column];
      } else if (sum > LEAST_PIVOT * values[row * size + row]) {
        factor[row * size + row] = Math.sqrt(sum);
      } else {
        return undefined;
      }
    }
  }
  return factor;
}
