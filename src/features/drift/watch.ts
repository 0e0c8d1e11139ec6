import type { DetectorName, DetectorOptions } from './drift-options.js';
import { cusumThreshold, type Evidence } from './level-detectors.js';
import type { LevelShift } from './level-shift.js';
import type { Pane, Reading } from './reading.js';
import {
  comparedWith,
  isOfShares,
  noteLevel,
  observe,
  restart,
  type SeriesState,
  shiftOf,
} from './series-state.js';

/** State of all series, by name. */
export type WatchState = Record<string, SeriesState>;

/** What a detector concludes about a series after a pane. */
export interface Judgement {
  readonly series: string;
  readonly model: string | null;
  readonly detector: DetectorName;
  /** What the detector found; null while the series is in training. */
  readonly evidence: Evidence | null;
  /** Threshold, adjusted for the number of series of the detector. */
  readonly threshold: number;
  readonly hasFired: boolean;
  /** Level before and after the change, if the detector has fired. */
  readonly level?: LevelShift;
  /** Reason for which an alarm is suppressed, that is, notifies nobody; null if there is none. */
  readonly suppressed: string | null;
}

/**
 * If a pane has more events than the usual number times this factor, or fewer than the usual number
 * divided by it, it counts as a different kind of traffic.
 */
const UNUSUAL_VOLUME = 2;

/**
 * Add a pane's readings of all series, and evaluate each series with each detector.
 *
 * The threshold of a detector is raised so that its S series together give as many false alarms as
 * one series does at the configured threshold. CUSUM's h grows by ln S / (2k). An e-process fires
 * at S·A, which puts the mean of the S e-processes at A. A distribution has changed if P ≤ 1/(S·A).
 * A reading with a reason not to raise an alarm does not update the baseline. A reading whose only
 * reason is an unusual number of events does update it, since that number may be permanent. A
 * detector that has fired restarts. If its alarm is not suppressed, the baseline is dropped too,
 * and the series is learned again after the change.
 *
 * @param state changed in place. @param readings readings of one pane, each series once.
 */
export function watch(
  state: WatchState,
  readings: readonly Reading[],
  pane: Pane,
  options: DetectorOptions,
): Judgement[] {
  const found = readings.flatMap((reading) => {
    state[reading.series] ??= {};
    const own = state[reading.series];
    const reason = reading.reason ?? unusualVolume(own, reading, pane.slot);
    if (reason !== null) {
      own.unsound = {
        to: pane.to,
        reason,
      };
    }
    noteLevel(own, reading, pane);
    const held = observe(own, reading, pane, options);
    return held.map(([detector, evidence]) => ({
      reading,
      detector,
      evidence,
    }));
  });
  const judged = new Map<DetectorName, number>();
  for (const { detector, evidence } of found) {
    if (evidence !== null) {
      judged.set(detector, (judged.get(detector) ?? 0) + 1);
    }
  }
  const judgements = found.map(({ reading, detector, evidence }): Judgement => {
    const threshold = thresholdOf(detector, judged.get(detector) ?? 0, options);
    const { series, model } = reading;
    const judgement = {
      series,
      model,
      detector,
      evidence,
      threshold,
    };
    if (evidence === null) {
      return {
        ...judgement,
        hasFired: false,
        suppressed: null,
      };
    }
    const hasFired = evidence.score >= threshold;
    const suppressed = unsoundSince(state[series], evidence.since);
    const level = hasFired ? shiftOf(state[series], detector, evidence.since) : undefined;
    return {
      ...judgement,
      hasFired,
      suppressed,
      ...(level && { level }),
    };
  });
  for (const { hasFired, series, detector, suppressed } of judgements) {
    if (hasFired) {
      restart(state[series], detector, suppressed === null);
    }
  }
  return judgements;
}

function thresholdOf(detector: DetectorName, series: number, options: DetectorOptions): number {
  const { allowance, threshold, guarantee } = options;
  if (detector === 'cusum') return cusumThreshold(threshold, allowance, series);
  const together = guarantee * Math.max(1, series);
  return isOfShares(detector) ? Math.log10(together) : together;
}

/**
 * Why a pane with an unusual number of events must not raise an alarm: a value such as the Gini
 * index depends on that number. Null if the number is usual.
 */
function unusualVolume(own: SeriesState, reading: Reading, slot: number): string | null {
  if (reading.kind !== 'level' || !reading.dependsOnVolume) return null;
  const known = comparedWith(own, slot);
  if (known === undefined) return null;
  const times = (reading.weight * known.values) / known.weight;
  if (times <= UNUSUAL_VOLUME && times >= 1 / UNUSUAL_VOLUME) return null;
  return `the window has ${times.toFixed(times < 1 ? 2 : 1)} times the usual number of events`;
}

function unsoundSince({ unsound }: SeriesState, since: number): string | null {
  return unsound !== undefined && unsound.to > since ? unsound.reason : null;
}
