import { likeliest } from './e-cusum.js';
import { type Evidence, type Excursion, evidenceOf, extend, newExcursion } from './excursion.js';
import { RANK_CHANGES } from './rank-e-values.js';

/** Of each shift λ. Plain numbers, so that it can be stored as it is. */
export interface RankDetectorState {
  /** R_λ or M_λ. */
  readonly evidence: number[];
  /** Excursions of the same shifts, which say when the likeliest change began. */
  readonly walks: Excursion[];
}

/** A pane's e-values, in the order of `RANK_CHANGES`, with its score and start. */
export interface RankedPane {
  readonly eValues: readonly number[];
  /** In standard deviations; sizes the change. */
  readonly z: number;
  /** Event time, ms. */
  readonly from: number;
}

/** An e-value of 0 ends an excursion, as any that is small enough. */
const LEAST = 1e-300;

export function newRankDetector(): RankDetectorState {
  return { evidence: RANK_CHANGES.map(() => 0), walks: RANK_CHANGES.map(newExcursion) };
}

/**
 * e-SR (Shiryaev–Roberts) of e-values: all possible times of the change added up.
 *
 * R_λ ← (1 + R_λ) E_λ; the score is their mean over λ, and it fires at A: at least A panes to a
 * false alarm in the mean, whatever the values' distribution, where their ranks are independent.
 * **Source**: Shin, Ramdas & Rinaldo 2023, E-detectors, section 2 (e-SR).
 *
 * @param state changed in place.
 * @example
 * rankShiryaevRoberts(newRankDetector(), { eValues: Array(10).fill(2), z: 1, from: 0 }).score; // 2
 */
export function rankShiryaevRoberts(state: RankDetectorState, pane: RankedPane): Evidence {
  return step(state, pane, (evidence, eValue) => (1 + evidence) * eValue);
}

/**
 * e-CUSUM of e-values: the best time of the change.
 *
 * M_λ ← max(1, M_λ) E_λ; the score is their mean over λ, and it fires at A, which is at most where
 * e-SR does.
 * **Source**: Shin, Ramdas & Rinaldo 2023, E-detectors, section 2 (e-CUSUM).
 *
 * @param state changed in place.
 * @example
 * rankECusum(newRankDetector(), { eValues: Array(10).fill(0.5), z: 0, from: 0 }).score; // 0.5
 */
export function rankECusum(state: RankDetectorState, pane: RankedPane): Evidence {
  return step(state, pane, (evidence, eValue) => Math.max(1, evidence) * eValue);
}

function step(
  state: RankDetectorState,
  { eValues, z, from }: RankedPane,
  next: (evidence: number, eValue: number) => number,
): Evidence {
  const { evidence, walks } = state;
  let sum = 0;
  for (let c = 0; c < evidence.length; c++) {
    evidence[c] = next(evidence[c], eValues[c]);
    sum += evidence[c];
    extend(walks[c], Math.log(Math.max(LEAST, eValues[c])), z, from);
  }
  return evidenceOf(sum / evidence.length, likeliest(walks));
}
