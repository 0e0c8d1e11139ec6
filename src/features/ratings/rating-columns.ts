import { UnskewError } from '../../errors.js';

/**
 * Refuses columns that do not belong to the same ratings.
 *
 * @throws UnskewError USAGE if a column has not one value for each δ.
 */
export function checkLengths(delta: ArrayLike<number>, column: ArrayLike<number>): void {
  if (delta.length === column.length) return;
  throw new UnskewError(
    'USAGE',
    `${delta.length} ratings need as many values beside them, not ${column.length}`,
  );
}
