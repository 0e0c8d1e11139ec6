import type { WindowPart } from '../../state/panes/window-part.js';
import type { Denominators } from '../uncertainty/moments.js';
import type { Selection } from './selection.js';

/** Observer of single users' numerators and denominators, which exist during one chunk only. */
export interface UserSumsObserver {
  /** Start a chunk: user segments `from` to `to` − 1 of the part. */
  begin(part: WindowPart, from: number, to: number): void;
  /**
   * Receive one metric's sums under one estimator and aggregation.
   *
   * @param slot see `slotOf`. @param numerators N_u of the selection's users, valid during the call
   * only.
   */
  observe(
    slot: number,
    numerators: Float64Array,
    denominators: Denominators,
    selection: Selection,
  ): void;
}

/**
 * Index of an estimate in a lane, ordered by metric, then estimator, then aggregation (user 0,
 * pooled 1).
 */
export function slotOf(
  metric: number,
  estimator: number,
  aggregation: 0 | 1,
  estimators: number,
): number {
  return (metric * estimators + estimator) * 2 + aggregation;
}
