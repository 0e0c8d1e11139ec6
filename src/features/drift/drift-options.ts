import type { Standardisation, Watched } from '../reading.js';

/** Detectors of a change in the level of a series, applied to standardised values. */
export const LEVEL_DETECTORS = ['cusum', 'e-cusum', 'e-sr'] as const;
/** Name of a detector of level changes. */
export type LevelDetector = (typeof LEVEL_DETECTORS)[number];

/** Detectors of a change in a distribution, on binned counts. */
export const SHARE_DETECTORS = ['psi', 'js'] as const;
/** Name of a detector of changes in a distribution. */
export type ShareDetector = (typeof SHARE_DETECTORS)[number];

/** Detectors of models that stop sending lists. */
export const PRESENCE_DETECTORS = ['vanished'] as const;
/** Name of a detector of models that stop sending lists. */
export type PresenceDetector = (typeof PRESENCE_DETECTORS)[number];

/** Names of all detectors, as in label values and settings. */
export const DETECTORS = [...LEVEL_DETECTORS, ...SHARE_DETECTORS, ...PRESENCE_DETECTORS] as const;
/** Name of any detector. */
export type DetectorName = (typeof DETECTORS)[number];

/** Options of the detectors. Here, a pane is a drift window. */
export interface DetectorOptions {
  readonly detectors: readonly DetectorName[];
  /** Allowance k of CUSUM, in standard deviations: half the change that it detects fastest. */
  readonly allowance: number;
  /** Threshold h of CUSUM for a single series, in standard deviations. */
  readonly threshold: number;
  /**
   * Guaranteed minimum A of the average run length to a false alarm, in panes; for all detectors
   * except CUSUM.
   */
  readonly guarantee: number;
  /** Number of panes from which the baseline of a series is learned before its first score. */
  readonly learn: number;
  /** How values are standardised; `levels` by default. */
  readonly standardisation?: Standardisation;
  /** Seasonal period of the baseline, ms; null or undefined for no season. */
  readonly seasonMs?: number | null;
}

declare module '../../stream/feature-types.js' {
  interface FeatureOptions {
    /** Options of change detection; undefined without it. */
    readonly drift?: DriftOptions | undefined;
  }
  interface SnapshotReports {
    /** Scores of the detectors; present if changes are monitored. */
    readonly drift?: readonly DriftScore[];
  }
}

/** Which series are monitored, and by which detectors. All times are event time, in ms. */
export interface DriftOptions extends DetectorOptions, Watched {
  /**
   * Length of a drift window, ms; one of the configured windows has this length. Drift windows do
   * not overlap. The detectors call a drift window a pane.
   */
  readonly windowMs: number;
  /** Number of drift windows for which an alarm is displayed. */
  readonly hold: number;
  /**
   * Seasonal period of the baseline, ms; null for no season. The period is divided into slots of an
   * hour or a drift window, whichever is longer.
   */
  readonly seasonMs: number | null;
}

/** Score of one detector on one series in the newest drift window. */
export interface DriftScore {
  readonly series: string;
  /** Model of the series; null for all traffic. */
  readonly model: string | null;
  readonly detector: DetectorName;
  /** Score, compared with `threshold`; null while the series is in training. */
  readonly score: number | null;
  readonly threshold: number;
}
