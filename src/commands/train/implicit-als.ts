import { UnskewError } from '../../errors.js';
import { Random } from '../../estimators/mathematics/random.js';
import { runToEnd } from '../../estimators/slices.js';
import { ConfidenceRows } from './confidence-rows.js';
import type { SparseRows } from './rating-rows.js';
import type { InSteps } from './steps.js';

export interface ImplicitOptions {
  /** d, factors of a user or an item. */
  readonly size: number;
  /** λ > 0. */
  readonly lambda: number;
  readonly seed: number;
  readonly sweeps: number;
}

export const IMPLICIT_DEFAULTS = { size: 20, lambda: 10, sweeps: 20 } as const;

const START_SD = 0.1;

/**
 * Factors of items by implicit alternating least squares: what was positive against all that was not.
 *
 * Minimises Σ_ui q_ui (p_ui − x_u · y_i)² + λ (‖x‖² + ‖y‖²), p = 1 and q = 1 + α for positives, p = 0
 * and q = 1 elsewhere. Source: Hu, Koren & Volinsky 2008, eqs. 3 to 5. O(sweeps · (n d² + (U + I) d³)).
 *
 * @param byUser confidence above 1, α or α · r, of each positive. @param byItem the same, transposed.
 * @returns y of each item, row by row of d numbers; the users' are `ConfidenceRows` over them.
 * @throws UnskewError USAGE for a size or λ that is out of range; EVENTS if nothing is positive
 */
export function implicitFactors(
  byUser: SparseRows,
  byItem: SparseRows,
  options: ImplicitOptions,
): Float64Array {
  return runToEnd(implicitInSteps(byUser, byItem, options));
}

/** The same a sweep at a time. @throws as `implicitFactors` */
export function* implicitInSteps(
  byUser: SparseRows,
  byItem: SparseRows,
  { size, lambda, seed, sweeps }: ImplicitOptions,
): InSteps<Float64Array> {
  const [users, items] = [byUser.start.length - 1, byItem.start.length - 1];
  check(size, lambda, byUser.column.length);
  const random = new Random(seed, 'implicit factors');
  let item = Float64Array.from({ length: items * size }, () => START_SD * random.normal());
  for (let done = 1; done <= sweeps; done++) {
    const user = solved(new ConfidenceRows(item, size, lambda), byUser, users, size);
    item = solved(new ConfidenceRows(user, size, lambda), byItem, items, size);
    yield { done, most: sweeps };
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
    const [from, to] = [start[row], start[row + 1]];
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
