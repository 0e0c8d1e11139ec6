import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import { examinationOfLog } from './examination-by-arms.js';
import { shownPlaces } from './shown-places.js';
import type { WindowLog } from './window-log.js';

/** Examination probability of each rank, from all stored requests. */
export interface KeptExamination {
  /** θ by rank; 0 if it is not identified. Later positions are not evaluated, see `shownPlaces`. */
  readonly theta: Float64Array;
  /** Covariance of log θ; infinite for ranks that are not identified. */
  readonly covariance: SquareMatrix;
}

/**
 * Fit examination to the requests of all stored panes, since one window has too few clicks.
 *
 * @param all undefined if there are none.
 * @returns undefined without any usable request.
 */
export function keptExamination(all: WindowLog | undefined): KeptExamination | undefined {
  if (all === undefined || all.requests.places === 0 || all.requests.usable === 0) return undefined;
  const places = shownPlaces(all.log, all.requests.places);
  const { theta, covariance } = examinationOfLog(all.log, places);
  const { size } = covariance;
  const values = covariance.values.map((value, at) => {
    const k = Math.floor(at / size);
    const l = at % size;
    if (!Number.isNaN(value)) return value;
    return k === l ? Number.POSITIVE_INFINITY : 0;
  });
  return {
    theta: theta.map((each) => (Number.isNaN(each) ? 0 : each)),
    covariance: { size, values },
  };
}
