import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import { examinationOfLog } from './examination-by-arms.js';
import { shownPlaces } from './shown-places.js';
import type { WindowLog } from './window-log.js';

/** Examination probability of each rank, from all stored requests. */
export interface KeptExamination {
  /** By rank; 0 where clicks do not tell. No place behind the last is valued: see `shownPlaces`. */
  readonly theta: Float64Array;
  /** Of log θ; infinite where they do not. */
  readonly covariance: SquareMatrix;
}

/**
 * Fits examination to the requests of all panes that are kept, as one window has too few clicks.
 *
 * @param all undefined where there are none.
 * @returns undefined without any request that can be used.
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
