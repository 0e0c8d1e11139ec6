import { type ECusumState, likeliest, newECusum } from './e-cusum.js';
import { E_CHANGES, logLikelihoodRatio, meanOfLogs } from './e-process.js';
import { type Evidence, evidenceOf, extend } from './excursion.js';

/** Plain numbers, so that it can be stored as it is. */
export interface EShiryaevRobertsState {
  /** ln(1 + R) of each change λ. */
  logs: number[];
  /** Excursions of the same changes, which say when the likeliest one began. */
  readonly walks: ECusumState;
}

export function newEShiryaevRoberts(): EShiryaevRobertsState {
  return { logs: E_CHANGES.map(() => 0), walks: newECusum() };
}

/**
 * e-SR (Shiryaev–Roberts) of standard scores: all possible times of the change added up, where
 * e-CUSUM takes the best one.
 *
 * R_λ = (1 + R_λ) · exp(λ z − λ²/2), λ ∈ ±{¼, ½, 1, 2}; the score is their mean, and it fires at A.
 * Guaranteed: at least A panes to a false alarm in the mean; measured 800 at A = 500. It is quicker
 * than e-CUSUM, and nearer to what is promised.
 * **Source**: Shin, Ramdas & Rinaldo 2023, E-detectors, section 2 (e-SR).
 *
 * @param state changed in place. @param z standard normal without a change. @param from start of
 * the pane, ms.
 * @example
 * eShiryaevRoberts(newEShiryaevRoberts(), 0, 0).score < 1; // true
 */
export function eShiryaevRoberts(state: EShiryaevRobertsState, z: number, from: number): Evidence {
  const logs = E_CHANGES.map((change, c) => {
    const gained = logLikelihoodRatio(z, change);
    extend(state.walks[c], gained, z, from);
    return state.logs[c] + gained;
  });
  state.logs = logs.map(logOfOnePlus);
  return evidenceOf(meanOfLogs(logs), likeliest(state.walks));
}

/** ln(1 + e^x), also if e^x is not a number. */
function logOfOnePlus(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}
