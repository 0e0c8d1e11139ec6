import { normalTail, normalUpperQuantile } from '../../estimators/mathematics/distributions.js';
import type { KeptPanes } from './kept-panes.js';
import {
  type Evidence,
  type Excursion,
  evidenceOf,
  extend,
  likeliest,
  newExcursion,
} from './level-detectors.js';
import { symmetricResiduals, type WhitenedResiduals, whitened } from './residuals.js';

/**
 * State of a detector on e-values, with one entry per shift λ. It consists of plain numbers, so it
 * can be stored directly.
 */
export interface RankDetectorState {
  /** Evidence for each shift λ: R_λ of e-SR, or M_λ of e-CUSUM. */
  readonly evidence: number[];
  /** Runs for the same shifts; the likeliest one gives the start of the change. */
  readonly walks: Excursion[];
}

/** E-values of a pane for the shifts in `RANK_CHANGES`, with its score and start. */
export interface RankedPane {
  readonly eValues: readonly number[];
  /** Standardised score of the pane, from which the size of a change is estimated. */
  readonly z: number;
  /** Start of the pane, event time, ms. */
  readonly from: number;
}

/** Smallest e-value whose logarithm is taken. An e-value this small ends a run, as 0 does. */
const LEAST = 1e-300;

export function newRankDetector(): RankDetectorState {
  return {
    evidence: RANK_CHANGES.map(() => 0),
    walks: RANK_CHANGES.map(newExcursion),
  };
}

/**
 * e-SR (Shiryaev–Roberts) of e-values: it sums over all possible times of the change.
 *
 * R_λ ← (1 + R_λ) E_λ. The score is the mean of R_λ over λ, and the detector fires at A. A false
 * alarm takes at least A panes on average, whatever the distribution of the values, if their ranks
 * are independent.
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
 * e-CUSUM over e-values: it takes the most likely time of the change.
 *
 * M_λ ← max(1, M_λ) E_λ. The score is the mean of M_λ over λ, and the detector fires at A. The
 * score is at most that of e-SR, so it fires no earlier.
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

/** Buffer for residuals, reused from series to series, since most have the same length. */
let residuals = new Float64Array(0);
/** Buffer for whitened residuals, reused from series to series. */
let white = new Float64Array(0);

/**
 * Rank the newest pane among all stored panes by its whitened residual.
 *
 * @param kept at least one pane, the newest last. O(panes).
 */
export function newestCell(kept: KeptPanes): RankCell {
  const panes = kept.value.length;
  if (residuals.length !== panes) {
    residuals = new Float64Array(panes);
    white = new Float64Array(panes);
  }
  return rankCell(whitened(symmetricResiduals(kept, residuals), kept.follows, white));
}

/** Shifts λ, in standard deviations, that the e-values target, upwards and downwards. */
export const RANK_CHANGES: readonly number[] = [0.25, 0.5, 1, 2, 3, -0.25, -0.5, -1, -2, -3];

/**
 * Cache of e-values. Its key is a number computed from the cell. Different cells may have the same
 * number, so an entry contains its cell too.
 */
const KNOWN = new Map<
  number,
  {
    readonly cell: RankCell;
    readonly eValues: readonly number[];
  }
>();
/** Maximum number of cached cells. */
const MOST_KNOWN = 2048;

/** Residuals closer together than this many standard deviations count as tied. */
const TIED = 1e-9;

/**
 * Range of ranks (cell) that the newest value shares with all values tied with it. `below` is the
 * fraction of values below it, `upTo` the fraction of values below it or tied. 0 ≤ below < upTo ≤
 * 1.
 */
export interface RankCell {
  readonly below: number;
  readonly upTo: number;
}

/**
 * Rank the newest residual among all residuals, including itself; ties share a range.
 *
 * @param residuals of all panes; the last one is a number. O(panes).
 * @example
 * rankCell({ values: Float64Array.of(2, 5, 3, 3), scale: 1 }); // { below: 0.25, upTo: 0.75 }
 */
export function rankCell({ values, scale }: WhitenedResiduals): RankCell {
  const newest = values[values.length - 1];
  const tolerance = TIED * scale;
  let below = 0;
  let tied = 0;
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isNaN(value)) continue;
    count++;
    if (value < newest - tolerance) {
      below++;
    } else if (value <= newest + tolerance) {
      tied++;
    }
  }
  return {
    below: below / count,
    upTo: (below + tied) / count,
  };
}

/**
 * Compute the e-value of a rank for each shift λ. It is the likelihood of the rank's cell if the
 * newest value is shifted by λ standard deviations, divided by that likelihood without a shift.
 *
 * E_λ = [Φ(Φ⁻¹(b) − λ) − Φ(Φ⁻¹(a) − λ)] / (b − a), (a, b] the cell. For each λ, the mean of E_λ
 * over the ranks is exactly 1, since Σ (b − a) E_λ = Φ(∞) − Φ(−∞). This holds for every
 * distribution of the values and every number of ties.
 * **Source**: our own, by Vovk & Wang 2021 (e-values from ranks); normal scores after van der
 * Waerden.
 *
 * @returns e-values in the order of `RANK_CHANGES`; at most 1 / (b − a).
 * @example
 * rankEValues({ below: 0, upTo: 1 }).every((e) => Math.abs(e - 1) < 1e-9); // true: all tied
 */
export function rankEValues(cell: RankCell): readonly number[] {
  // Series with the same number of panes share a few cells, and quantiles are the most expensive
  // step of a pane.
  const key = cell.below + 2 * cell.upTo;
  const known = KNOWN.get(key);
  if (known?.cell.below === cell.below && known.cell.upTo === cell.upTo) return known.eValues;
  const eValues = computed(cell);
  if (KNOWN.size >= MOST_KNOWN) {
    KNOWN.clear();
  }
  KNOWN.set(key, { cell, eValues });
  return eValues;
}

function computed({ below, upTo }: RankCell): number[] {
  const low = quantile(below);
  const high = quantile(upTo);
  return RANK_CHANGES.map((change) => {
    const inCell = shareBelow(high - change) - shareBelow(low - change);
    return Math.max(0, inCell) / (upTo - below);
  });
}

function quantile(share: number): number {
  if (share <= 0) return Number.NEGATIVE_INFINITY;
  return share >= 1 ? Number.POSITIVE_INFINITY : -normalUpperQuantile(share);
}

function shareBelow(z: number): number {
  if (Number.isFinite(z)) return normalTail(-z);
  return z > 0 ? 1 : 0;
}
