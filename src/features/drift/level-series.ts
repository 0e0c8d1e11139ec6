import { type DetectorOptions, LEVEL_DETECTORS, type LevelDetector } from './drift-options.js';
import {
  type CusumState,
  cusum,
  type ECusumState,
  type EShiryaevRobertsState,
  type Evidence,
  eCusum,
  eShiryaevRoberts,
  newCusum,
  newECusum,
  newEShiryaevRoberts,
} from './level-detectors.js';
import { DATED_PANES, dated, type ScoredPane } from './level-shift.js';
import { newPrewhitening, type PrewhiteningState, prewhiten } from './prewhitening.js';
import type { WeighedValue } from './ranked-series.js';
import type { Pane } from './reading.js';
import { newStandardisation, type StandardisationState, standardise } from './standardisation.js';

/** State of a numeric series. It consists of plain numbers, so it can be stored directly. */
export interface LevelSeriesState {
  standardisation: StandardisationState;
  prewhitening: PrewhiteningState;
  cusum: CusumState;
  eCusum: ECusumState;
  eShiryaevRoberts: EShiryaevRobertsState;
  /** The newest scores, oldest first. */
  recent: ScoredPane[];
}

export function newLevelSeries(): LevelSeriesState {
  return {
    standardisation: newStandardisation(),
    prewhitening: newPrewhitening(),
    cusum: newCusum(),
    eCusum: newECusum(),
    eShiryaevRoberts: newEShiryaevRoberts(),
    recent: [],
  };
}

/**
 * Add a pane's value: standardise it against the series' own past, prewhiten the score, and pass it
 * to each configured detector.
 *
 * @param state changed in place.
 * @returns null while the series is in training.
 */
export function observeLevel(
  state: LevelSeriesState,
  { value, weight, teaches }: WeighedValue,
  pane: Pane,
  options: DetectorOptions,
): ReadonlyMap<LevelDetector, Evidence> | null {
  const own = {
    value,
    weight,
    slot: pane.slot,
  };
  const score = standardise(state.standardisation, own, options.learn, teaches);
  if (score === null) return null;
  const z = prewhiten(state.prewhitening, score, pane, { teaches });
  const step: Readonly<Record<LevelDetector, () => Evidence>> = {
    cusum: () => cusum(state.cusum, z, pane.from, options.allowance),
    'e-cusum': () => eCusum(state.eCusum, z, pane.from),
    'e-sr': () => eShiryaevRoberts(state.eShiryaevRoberts, z, pane.from),
  };
  state.recent = [
    ...state.recent.slice(1 - DATED_PANES),
    {
      from: pane.from,
      z,
    },
  ];
  const asked = LEVEL_DETECTORS.filter((name) => options.detectors.includes(name));
  return new Map(asked.map((name) => [name, dated(state.recent, step[name]())]));
}

/** Restart a detector on a series after an alarm, but retain what was learned about the series. */
export function restartLevel(state: LevelSeriesState, detector: LevelDetector): void {
  if (detector === 'cusum') {
    state.cusum = newCusum();
  } else if (detector === 'e-cusum') {
    state.eCusum = newECusum();
  } else {
    state.eShiryaevRoberts = newEShiryaevRoberts();
  }
}
