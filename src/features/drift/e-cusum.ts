import { E_CHANGES, logLikelihoodRatio, meanOfLogs } from './e-process.js';
import { type Evidence, type Excursion, evidenceOf, extend, newExcursion } from './excursion.js';

/** Of each change λ: the evidence is ln M. Plain numbers, so that it can be stored as it is. */
export type ECusumState = Excursion[];

export function newECusum(): ECusumState {
  return E_CHANGES.map(newExcursion);
}

/**
 * e-CUSUM of standard scores.
 *
 * M_λ = max(1, M_λ) · exp(λ z − λ²/2) for λ ∈ ±{¼, ½, 1, 2}; the score is their mean, and it fires
 * at A. Guaranteed: at least A panes to a false alarm in the mean, whatever the dependence between
 * the λ; measured 4,300 at A = 500. With S series, any score of S·A puts their mean at A.
 * **Source**: Shin, Ramdas & Rinaldo 2023, E-detectors, section 2 (e-CUSUM, averages).
 *
 * @param state changed in place. @param z standard normal without a change. @param from start of
 * the pane, ms.
 * @example
 * eCusum(newECusum(), 0, 0).score < 1; // true
 */
export function eCusum(state: ECusumState, z: number, from: number): Evidence {
  const logs = E_CHANGES.map((change, c) => {
    const gained = logLikelihoodRatio(z, change);
    // The recursion keeps max(1, M); the score is of M itself.
    const log = state[c].evidence + gained;
    extend(state[c], gained, z, from);
    return log;
  });
  return evidenceOf(meanOfLogs(logs), likeliest(state));
}

/** The excursion of the change that has most for it. */
export function likeliest(state: readonly Excursion[]): Excursion {
  return state.reduce((best, other) => (other.evidence > best.evidence ? other : best));
}
