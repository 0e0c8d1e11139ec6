import { type DetectorOptions, LEVEL_DETECTORS, type LevelDetector } from './drift-options.js';
import { type KeptPanes, keep, newKeptPanes, type PaneValue, withPane } from './kept-panes.js';
import { type CusumState, cusum, type Evidence, newCusum } from './level-detectors.js';
import { DATED_PANES, dated, type ScoredPane } from './level-shift.js';
import { newPrewhitening, type PrewhiteningState, prewhiten } from './prewhitening.js';
import {
  newestCell,
  newRankDetector,
  type RankDetectorState,
  type RankedPane,
  rankECusum,
  rankEValues,
  rankShiryaevRoberts,
} from './ranks.js';
import type { Pane } from './reading.js';
import { newSeasonalScore, type SeasonalScoreState, seasonalScore } from './standardisation.js';

/**
 * State of a numeric series whose values are standardised by ranks. It consists of plain numbers,
 * so it can be stored directly.
 */
export interface RankedSeriesState {
  readonly score: SeasonalScoreState;
  readonly prewhitening: PrewhiteningState;
  /**
   * The newest values; the e-detectors rank the last one among them. Empty unless an e-detector is
   * configured.
   */
  readonly kept: KeptPanes;
  cusum: CusumState;
  eCusum: RankDetectorState;
  eShiryaevRoberts: RankDetectorState;
  /** The newest scores, oldest first. */
  readonly recent: ScoredPane[];
}

/** Value of a series in a pane. */
export interface WeighedValue {
  readonly value: number;
  /** Effective number of observations. */
  readonly weight: number;
  /** Whether the pane updates the baseline. */
  readonly teaches: boolean;
}

/**
 * Scores are clipped to this absolute value before CUSUM, in standard deviations, to limit the
 * effect of heavy tails.
 */
const CLIP = 2.5;
/**
 * Scores are clipped to this absolute value when autocorrelation is estimated, in standard
 * deviations, so that a change does not count as autocorrelation.
 */
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
 * Add a pane's value and pass it to each configured detector. The e-detectors use its rank among
 * the stored panes, CUSUM uses its prewhitened score clipped to ±2.5.
 *
 * Weights are numbers of observations, never 1/SE² of the same value. A low proportion has a small
 * error, so 1/SE² would favour low values, and give a value of 0 unlimited weight.
 *
 * @param state changed in place.
 * @returns null while the series is in training.
 */
export function observeRanked(
  state: RankedSeriesState,
  { value, weight, teaches }: WeighedValue,
  pane: Pane,
  options: DetectorOptions,
): ReadonlyMap<LevelDetector, Evidence> | null {
  const { from, to, slot } = pane;
  const { detectors, learn, seasonMs = null } = options;
  const score = seasonalScore(
    state.score,
    {
      value,
      weight,
      slot,
    },
    learn,
    teaches,
  );
  const hasRanks = detectors.includes('e-cusum') || detectors.includes('e-sr');
  const added = {
    value,
    weight,
    slot,
    from,
    to,
  };
  const kept = hasRanks ? keptWith(state.kept, added, teaches, seasonMs !== null) : null;
  if (score === null) return null;
  const z = prewhiten(state.prewhitening, score, pane, {
    teaches,
    within: CORRELATED,
  });
  const eValues = kept === null ? [] : rankEValues(newestCell(kept));
  state.recent.push({ from, z });
  if (state.recent.length > DATED_PANES) {
    state.recent.shift();
  }
  const held = new Map<LevelDetector, Evidence>();
  for (const name of LEVEL_DETECTORS) {
    if (!detectors.includes(name)) continue;
    held.set(
      name,
      dated(
        state.recent,
        step(
          state,
          name,
          {
            eValues,
            z,
            from,
          },
          options,
        ),
      ),
    );
  }
  return held;
}

function step(
  state: RankedSeriesState,
  detector: LevelDetector,
  pane: RankedPane,
  { allowance }: DetectorOptions,
): Evidence {
  if (detector === 'cusum') return cusum(state.cusum, clipped(pane.z), pane.from, allowance);
  if (detector === 'e-cusum') return rankECusum(state.eCusum, pane);
  return rankShiryaevRoberts(state.eShiryaevRoberts, pane);
}

/** Restart a detector on a series after an alarm, but retain what was learned about the series. */
export function restartRanked(state: RankedSeriesState, detector: LevelDetector): void {
  if (detector === 'cusum') {
    state.cusum = newCusum();
  } else if (detector === 'e-cusum') {
    state.eCusum = newRankDetector();
  } else {
    state.eShiryaevRoberts = newRankDetector();
  }
}

function keptWith(
  kept: KeptPanes,
  pane: PaneValue,
  teaches: boolean,
  hasSeason: boolean,
): KeptPanes {
  if (!teaches) return withPane(kept, pane, hasSeason);
  keep(kept, pane, hasSeason);
  return kept;
}

function clipped(z: number): number {
  return Math.max(-CLIP, Math.min(CLIP, z));
}
