import { UnskewError } from '../../errors.js';
import { choleskySolve } from '../../estimators/mathematics/cholesky.js';

/**
 * The least squares of one user over all items, most of which have a confidence of 1.
 *
 * x = (YᵀY + Σ_i α_i y_i y_iᵀ + λ I)⁻¹ Σ_i (1 + α_i) y_i over the positives: YᵀY is made once for all
 * rows, so that a row is O(n_u d² + d³) though it counts every item.
 * Source: Hu, Koren & Volinsky 2008, eq. 4.
 *
 * @example
 * // one item with y = 2, λ = 1: x = (4 + 3 · 4 + 1)⁻¹ · 4 · 2 for α = 3
 * new ConfidenceRows(Float64Array.of(2), 1, 1).solve(Int32Array.of(0), Float64Array.of(3)); // [8 / 17]
 */
export class ConfidenceRows {
  readonly #others: Float64Array;
  readonly #size: number;
  readonly #base: Float64Array;
  readonly #matrix: Float64Array;
  readonly #right: Float64Array;

  /** @param others d factors of each row of the other side. @param size d. @param lambda λ. */
  constructor(others: Float64Array, size: number, lambda: number) {
    this.#others = others;
    this.#size = size;
    this.#matrix = new Float64Array(size * size);
    this.#right = new Float64Array(size);
    for (let row = 0; row * size < others.length; row++) this.#add(row, 1, 0);
    for (let k = 0; k < size; k++) this.#matrix[k * size + k] += lambda;
    this.#base = this.#matrix.slice();
  }

  /**
   * @param columns rows of the other side that are positive. @param alpha confidence above 1 of each.
   * @returns d factors, in memory that the next call uses again.
   * @throws UnskewError USAGE if λ is too small for the digits of a number
   */
  solve(columns: Int32Array, alpha: Float64Array): Float64Array {
    this.#matrix.set(this.#base);
    this.#right.fill(0);
    for (let n = 0; n < columns.length; n++) this.#add(columns[n], alpha[n], 1 + alpha[n]);
    if (choleskySolve(this.#matrix, this.#right, this.#size)) return this.#right;
    throw new UnskewError('USAGE', 'lambda is too small for these ratings: raise it');
  }

  /** Adds weight · y yᵀ to the lower half and right · y to the right side. */
  #add(row: number, weight: number, right: number): void {
    const size = this.#size;
    const at = row * size;
    for (let k = 0; k < size; k++) {
      const value = this.#others[at + k];
      this.#right[k] += right * value;
      for (let l = 0; l <= k; l++) {
        this.#matrix[k * size + l] += weight * value * this.#others[at + l];
      }
    }
  }
}
