import type { LevelReading } from '../reading.js';
import {
  type DetectorName,
  type DetectorOptions,
  type LevelDetector,
  PRESENCE_DETECTORS,
  type PresenceDetector,
  SHARE_DETECTORS,
  type ShareDetector,
} from './drift-options.js';
import { type HomogeneityState, homogeneity, newHomogeneity } from './homogeneity.js';
import type { Evidence } from './level-detectors.js';
import {
  type LevelSeriesState,
  newLevelSeries,
  observeLevel,
  restartLevel,
} from './level-series.js';
import { type LevelShift, levelShift, type NewestValue, withValue } from './level-shift.js';
import {
  newPresenceSeries,
  observePresence,
  type PresenceSeriesState,
  restartPresence,
} from './presence-series.js';
import {
  newRankedSeries,
  observeRanked,
  type RankedSeriesState,
  restartRanked,
} from './ranked-series.js';
import type { Pane, PresenceReading, Reading, ShareReading } from './reading.js';
import { baselineOf } from './standardisation.js';

/**
 * State of one series for all detectors. It consists of plain numbers and text, so it can be stored
 * directly.
 */
export interface SeriesState {
  level?: LevelSeriesState;
  /** State that replaces `level` if values are standardised by ranks. */
  ranked?: RankedSeriesState;
  shares?: Partial<Record<ShareDetector, HomogeneityState>>;
  presence?: PresenceSeriesState;
  /** The newest values of a level, oldest first, for the text of an alarm. */
  newest?: NewestValue[];
  /**
   * The newest pane from which no alarm may be raised: its end `to` (event time, ms), and the
   * reason.
   */
  unsound?: {
    to: number;
    reason: string;
  };
}

/** Evidence of the configured detectors on a series; null while it is in training. */
export type HeldEvidence = readonly (readonly [DetectorName, Evidence | null])[];

/** Update a series with its reading in a pane. */
export function observe(
  own: SeriesState,
  reading: Reading,
  pane: Pane,
  options: DetectorOptions,
): HeldEvidence {
  if (reading.kind === 'level') return levelEvidence(own, reading, pane, options);
  if (reading.kind === 'shares') return shareEvidence(own, reading, pane, options);
  return presenceEvidence(own, reading, pane, options);
}

function levelEvidence(
  own: SeriesState,
  { value, weight, reason }: LevelReading,
  pane: Pane,
  options: DetectorOptions,
): HeldEvidence {
  const weighed = {
    value,
    weight,
    teaches: reason === null,
  };
  let evidence: ReadonlyMap<LevelDetector, Evidence> | null;
  if (options.standardisation === 'ranks') {
    own.ranked ??= newRankedSeries();
    evidence = observeRanked(own.ranked, weighed, pane, options);
  } else {
    own.level ??= newLevelSeries();
    evidence = observeLevel(own.level, weighed, pane, options);
  }
  const asked = options.detectors.filter((name) => !isOfShares(name) && !isOfPresence(name));
  return asked.map((name) => [name, evidence?.get(name as LevelDetector) ?? null]);
}

function shareEvidence(
  own: SeriesState,
  reading: ShareReading,
  pane: Pane,
  options: DetectorOptions,
): HeldEvidence {
  own.shares ??= {};
  const { shares } = own;
  const taught = {
    learn: options.learn,
    teaches: reading.reason === null,
  };
  return options.detectors.filter(isOfShares).map((name) => {
    shares[name] ??= newHomogeneity();
    const score = homogeneity(shares[name], reading, name, taught);
    return [
      name,
      score === null
        ? null
        : {
            score,
            since: pane.from,
            size: null,
          },
    ];
  });
}

/**
 * Evidence on whether a model stopped sending lists. A pane with a reason not to raise an alarm is
 * skipped.
 */
function presenceEvidence(
  own: SeriesState,
  { hasLists, reason }: PresenceReading,
  pane: Pane,
  options: DetectorOptions,
): HeldEvidence {
  own.presence ??= newPresenceSeries();
  const evidence = reason === null ? observePresence(own.presence, hasLists, pane, options) : null;
  return options.detectors.filter(isOfPresence).map((name) => [name, evidence]);
}

export function isOfShares(name: DetectorName): name is ShareDetector {
  return (SHARE_DETECTORS as readonly string[]).includes(name);
}

function isOfPresence(name: DetectorName): name is PresenceDetector {
  return (PRESENCE_DETECTORS as readonly string[]).includes(name);
}

/**
 * Baseline that a value in a seasonal slot is compared with: the mean, total weight and number of
 * earlier values. Undefined if there are none.
 */
export function comparedWith(
  { level, ranked }: SeriesState,
  slot: number,
):
  | {
      readonly mean: number;
      readonly weight: number;
      readonly values: number;
    }
  | undefined {
  if (ranked !== undefined) return baselineOf(ranked.score, slot);
  return level?.standardisation.slots[String(slot)];
}

/**
 * Store a pane's value and the baseline it is compared with. To be called before the pane updates
 * the baseline.
 */
export function noteLevel(own: SeriesState, reading: Reading, { from, slot }: Pane): void {
  if (reading.kind !== 'level') return;
  const known = comparedWith(own, slot);
  if (known === undefined) return;
  const { value, weight } = reading;
  own.newest = withValue(own.newest ?? [], {
    from,
    slot,
    value,
    weight,
    normal: known.mean,
  });
}

/** Level of a series before and after a change, for an alarm; undefined if the series has none. */
export function shiftOf(
  own: SeriesState,
  detector: DetectorName,
  since: number,
): LevelShift | undefined {
  if (isOfShares(detector)) return own.shares?.[detector]?.head;
  return isOfPresence(detector) ? undefined : levelShift(own.newest ?? [], since);
}

/**
 * Restart a detector that has fired; with `forget`, what was learned about the series is dropped
 * too.
 */
export function restart(own: SeriesState, detector: DetectorName, forget: boolean): void {
  if (isOfPresence(detector)) {
    if (own.presence !== undefined) {
      restartPresence(own.presence);
    }
  } else if (isOfShares(detector)) {
    if (forget) {
      delete own.shares?.[detector];
    }
  } else if (forget) {
    delete own.level;
    delete own.ranked;
    delete own.newest;
  } else {
    if (own.level !== undefined) {
      restartLevel(own.level, detector);
    }
    if (own.ranked !== undefined) {
      restartRanked(own.ranked, detector);
    }
  }
}
