import { UnskewError } from '../../errors.js';
import { choleskySolve } from '../../estimators/mathematics/cholesky.js';
import { Random } from '../../estimators/mathematics/random.js';
import { runAtOnce } from '../../stream/sliced.js';
import type { InSteps } from './in-steps.js';
import type { SparseRows } from './rating-rows.js';

export interface ImplicitOptions {
  /** d, number of factors per user and per item. */
  readonly size: number;
  /** λ > 0, weight of the ridge penalty. */
  readonly lambda: number;
  readonly seed: number;
  readonly sweeps: number;
}

export const IMPLICIT_DEFAULTS = {
  size: 20,
  lambda: 10,
  sweeps: 20,
} as const;

const START_SD = 0.1;

/**
 * Fit factors of items by implicit alternating least squares: positives against all other pairs.
 *
 * With x_u and y_i, the d factors of user u and item i, it minimises Σ_ui q_ui (p_ui − x_u · y_i)²
 * + λ (‖x‖² + ‖y‖²), with p = 1 and q = 1 + α for positives, p = 0 and q = 1 elsewhere. Source: Hu,
 * Koren & Volinsky 2008, eqs. 3 to 5. O(sweeps · (n d² + (U + I) d³)).
 *
 * @param byUser matrix of users by items: for each positive its confidence minus 1, which is α or α
 * · r. @param byItem the same matrix, transposed.
 * @returns y of all items, d numbers per item. `ConfidenceRows` computes the factors of users from
 * them.
 * @throws UnskewError USAGE for a size or λ that is out of range; EVENTS if nothing is positive
 */
export function implicitFactors(
  byUser: SparseRows,
  byItem: SparseRows,
  options: ImplicitOptions,
): Float64Array {
  return runAtOnce(implicitInSteps(byUser, byItem, options));
}

/**
 * Like `implicitFactors`, as a generator that yields after each sweep. @throws as `implicitFactors`
 */
export function* implicitInSteps(
  byUser: SparseRows,
  byItem: SparseRows,
  { size, lambda, seed, sweeps }: ImplicitOptions,
): InSteps<Float64Array> {
  const users = byUser.start.length - 1;
  const items = byItem.start.length - 1;
  check(size, lambda, byUser.column.length);
  const random = new Random(seed, 'implicit factors');
  let item = Float64Array.from({ length: items * size }, () => START_SD * random.normal());
  for (let done = 1; done <= sweeps; done++) {
    const user = solved(new ConfidenceRows(item, size, lambda), byUser, users, size);
    item = solved(new ConfidenceRows(user, size, lambda), byItem, items, size);
    yield {
      done,
      most: sweeps,
    };
  }
  return item;
}

function solved(
  solver: ConfidenceRows,
  { start, column, value }: SparseRows,
  rows: number,
  size: number,
) {
  const found = new Float64Array(rows * size);
  for (let row = 0; row < rows; row++) {
    const from = start[row];
    const to = start[row + 1];
    found.set(solver.solve(column.subarray(from, to), value.subarray(from, to)), row * size);
  }
  return found;
}

function check(size: number, lambda: number, positives: number): void {
  if (positives === 0) throw new UnskewError('EVENTS', 'no rating is positive: nothing to learn');
  if (!(lambda > 0 && lambda < Number.POSITIVE_INFINITY)) {
    throw new UnskewError('USAGE', `lambda must be a number above 0, not ${lambda}`);
  }
  if (Number.isInteger(size) && size >= 1 && size <= 500) return;
  throw new UnskewError('USAGE', `${size} factors: expected a whole number from 1 to 500`);
}

/**
 * Solves the weighted least squares of one user, given the factors of all items (or the reverse).
 * Most pairs have confidence 1.
 *
 * x = (YᵀY + Σ_i α_i y_i y_iᵀ + λ I)⁻¹ Σ_i (1 + α_i) y_i over the positives i. YᵀY is computed once
 * for all users, so each takes O(n_u d² + d³) although all items count.
 * Source: Hu, Koren & Volinsky 2008, eq. 4.
 *
 * @example
 * // one item with y = 2, λ = 1: x = (4 + 3 · 4 + 1)⁻¹ · 4 · 2 for α = 3
 * new ConfidenceRows(Float64Array.of(2), 1, 1).solve(Int32Array.of(0), Float64Array.of(3)); // [8 / 17]
 */
export class ConfidenceRows {
  readonly #base: Float64Array;
  readonly #matrix: Float64Array;
  readonly #right: Float64Array;

  /**
   * @param others factors of the fixed rows (items, when solving for users), d numbers each.
   * @param size d. @param lambda λ.
   */
  constructor(
    private readonly others: Float64Array,
    private readonly size: number,
    lambda: number,
  ) {
    this.#matrix = new Float64Array(size * size);
    this.#right = new Float64Array(size);
    for (let row = 0; row * size < others.length; row++) {
      this.#add(row, 1, 0);
    }
    for (let k = 0; k < size; k++) {
      this.#matrix[k * size + k] += lambda;
    }
    this.#base = this.#matrix.slice();
  }

  /**
   * Solve for the factors of one row. @param columns numbers of the fixed rows that are positive
   * for this row. @param alpha confidence minus 1 of each of these positives. @returns d factors,
   * in an array that the next call overwrites. @throws UnskewError USAGE if λ is too small for
   * double precision
   */
  solve(columns: Int32Array, alpha: Float64Array): Float64Array {
    this.#matrix.set(this.#base);
    this.#right.fill(0);
    for (let n = 0; n < columns.length; n++) {
      this.#add(columns[n], alpha[n], 1 + alpha[n]);
    }
    if (choleskySolve(this.#matrix, this.#right, this.size)) return this.#right;
    throw new UnskewError('USAGE', 'lambda is too small for these ratings: raise it');
  }

  /** Add weight · y yᵀ to the lower half of the matrix, and right · y to the right-hand side. */
  #add(row: number, weight: number, right: number): void {
    const size = this.size;
    const at = row * size;
    for (let k = 0; k < size; k++) {
      const value = this.others[at + k];
      this.#right[k] += right * value;
      for (let l = 0; l <= k; l++) {
        this.#matrix[k * size + l] += weight * value * this.others[at + l];
      }
    }
  }
}
