import type { WindowPart } from '../../state/panes/window-part.js';
import type { Denominators } from '../uncertainty/moments.js';
import type { Selection } from './selection.js';

/**
 * What needs the numerators and denominators of single users beside a lane's moments: they exist
 * for one chunk only.
 */
export interface UserSumsObserver {
  /** Starts a chunk: users from .. to − 1 of the part. */
  begin(part: WindowPart, from: number, to: number): void;
  /**
   * Takes one metric's sums under one estimator and aggregation.
   *
   * @param slot see `slotOf`. @param numerators N_u of the selection's users; not to be kept.
   */
  observe(
    slot: number,
    numerators: Float64Array,
    denominators: Denominators,
    selection: Selection,
  ): void;
}

/** Index of a number in a lane: by metric, then estimator, then aggregation (user 0, pooled 1). */
export function slotOf(
  metric: number,
  estimator: number,
  aggregation: 0 | 1,
  estimators: number,
): number {
  return (metric * estimators + estimator) * 2 + aggregation;
}
