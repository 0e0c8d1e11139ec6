import { DATED_PANES, dated, type ScoredPane } from '../detectors/change-point.js';
import { type CusumState, cusum, newCusum } from '../detectors/cusum.js';
import {
  type DetectorOptions,
  LEVEL_DETECTORS,
  type LevelDetector,
} from '../detectors/detector.js';
import type { Evidence } from '../detectors/excursion.js';
import { newPrewhitening, type PrewhiteningState, prewhiten } from '../levels/prewhitening.js';
import type { Pane } from '../pane.js';
import { type KeptPanes, keep, newKeptPanes, withPane } from './kept-panes.js';
import {
  newRankDetector,
  type RankDetectorState,
  rankECusum,
  rankShiryaevRoberts,
} from './rank-detectors.js';
import { rankCell, rankEValues } from './rank-e-values.js';
import { newSeasonalScore, type SeasonalScoreState, seasonalScore } from './seasonal-score.js';
import { symmetricResiduals } from './symmetric-residuals.js';
import { whitened } from './whitened-residuals.js';

/** Everything that is known of a series. Plain numbers, so that it can be stored as it is. */
export interface RankedSeriesState {
  readonly score: SeasonalScoreState;
  readonly prewhitening: PrewhiteningState;
  /** Empty where no e-detector is asked for. */
  readonly kept: KeptPanes;
  cusum: CusumState;
  eCusum: RankDetectorState;
  eShiryaevRoberts: RankDetectorState;
  /** The newest scores, oldest first. */
  recent: ScoredPane[];
}

/** What a pane says of a series. */
export interface WeighedValue {
  readonly value: number;
  /** Effective number of observations behind it. */
  readonly weight: number;
  /** Whether it joins what is held to be normal. */
  readonly teaches: boolean;
}

/** No single pane moves CUSUM by more, whatever tails its values have. */
const CLIP = 2.5;
/** Scores beyond it count as it in the correlation: a change must not pass for one. */
const CORRELATED = 4;

export function newRankedSeries(): RankedSeriesState {
  return {
    score: newSeasonalScore(),
    prewhitening: newPrewhitening(),
    kept: newKeptPanes(),
    cusum: newCusum(),
    eCusum: newRankDetector(),
    eShiryaevRoberts: newRankDetector(),
    recent: [],
  };
}

/**
 * Takes in a pane's value and hands it to each detector that is asked for: its rank among the panes
 * that are kept to the e-detectors, its prewhitened score within ±2.5 to CUSUM.
 *
 * Weights are numbers of observations, never 1/SE² of the same value: a low share has a small
 * error, so such weights make low values count most, and a value of 0 beyond all measure.
 *
 * @param state changed in place.
 * @returns null while the series is learned.
 */
export function observeRanked(
  state: RankedSeriesState,
  { value, weight, teaches }: WeighedValue,
  pane: Pane,
  options: DetectorOptions,
): ReadonlyMap<LevelDetector, Evidence> | null {
  const asked = LEVEL_DETECTORS.filter((name) => options.detectors.includes(name));
  const score = seasonalScore(state.score, value, weight, pane.slot, options.learn, teaches);
  const hasRanks = asked.some((name) => name !== 'cusum');
  const kept = hasRanks ? keptWith(state, { ...pane, value, weight }, teaches, options) : null;
  if (score === null) return null;
  const { prewhitening } = state;
  const z = prewhiten(prewhitening, score, pane.to, pane.to - pane.from, teaches, CORRELATED);
  const { from } = pane;
  const eValues = kept === null ? [] : rankEValues(newestCell(kept));
  const step: Readonly<Record<LevelDetector, () => Evidence>> = {
    cusum: () => cusum(state.cusum, clipped(z), from, options.allowance),
    'e-cusum': () => rankECusum(state.eCusum, { eValues, z, from }),
    'e-sr': () => rankShiryaevRoberts(state.eShiryaevRoberts, { eValues, z, from }),
  };
  state.recent = [...state.recent.slice(1 - DATED_PANES), { from, z }];
  return new Map(asked.map((name) => [name, dated(state.recent, step[name]())]));
}

/** Lets a detector start over; what is known of the series stays. */
export function restartRanked(state: RankedSeriesState, detector: LevelDetector): void {
  if (detector === 'cusum') state.cusum = newCusum();
  else if (detector === 'e-cusum') state.eCusum = newRankDetector();
  else state.eShiryaevRoberts = newRankDetector();
}

function keptWith(
  { kept }: RankedSeriesState,
  pane: Parameters<typeof keep>[1],
  teaches: boolean,
  { seasonMs = null }: DetectorOptions,
): KeptPanes {
  if (!teaches) return withPane(kept, pane, seasonMs !== null);
  keep(kept, pane, seasonMs !== null);
  return kept;
}

function newestCell(kept: KeptPanes) {
  return rankCell(whitened(symmetricResiduals(kept), kept.follows));
}

function clipped(z: number): number {
  return Math.max(-CLIP, Math.min(CLIP, z));
}
