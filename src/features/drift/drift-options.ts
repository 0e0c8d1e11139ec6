import type { Standardisation, Watched } from '../reading.js';

/** Detectors of a change in the level of a series, on standard scores. */
export const LEVEL_DETECTORS = ['cusum', 'e-cusum', 'e-sr'] as const;
export type LevelDetector = (typeof LEVEL_DETECTORS)[number];

/** Detectors of a change in a distribution, on binned counts. */
export const SHARE_DETECTORS = ['psi', 'js'] as const;
export type ShareDetector = (typeof SHARE_DETECTORS)[number];

/** Detectors of models that stop sending lists. */
export const PRESENCE_DETECTORS = ['vanished'] as const;
export type PresenceDetector = (typeof PRESENCE_DETECTORS)[number];

/** Names of all detectors, as in label values and settings. */
export const DETECTORS = [...LEVEL_DETECTORS, ...SHARE_DETECTORS, ...PRESENCE_DETECTORS] as const;
export type DetectorName = (typeof DETECTORS)[number];

export interface DetectorOptions {
  readonly detectors: readonly DetectorName[];
  /** k of CUSUM, in standard deviations. */
  readonly allowance: number;
  /** h of CUSUM, for one series. */
  readonly threshold: number;
  /**
   * A, the guaranteed minimum of the average run length to a false alarm, in panes; for all
   * detectors but CUSUM.
   */
  readonly guarantee: number;
  /** Number of panes from which the baseline of a series is learned first. */
  readonly learn: number;
  /** `levels` by default. */
  readonly standardisation?: Standardisation;
  /** Seasonal period of the baseline, ms; null or undefined for none. */
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

/** Monitored series and detectors. All times are event time, in ms. */
export interface DriftOptions extends DetectorOptions, Watched {
  /** Length of the detectors' panes, the disjoint drift windows; one of the windows. */
  readonly windowMs: number;
  /** Number of panes for which an alarm is displayed. */
  readonly hold: number;
  /**
   * Seasonal period of the baseline, ms; null for none. A slot is an hour or a pane, whichever is
   * longer.
   */
  readonly seasonMs: number | null;
}

/** Score of a detector on a series, at its newest pane. */
export interface DriftScore {
  readonly series: string;
  /** Null for all traffic. */
  readonly model: string | null;
  readonly detector: DetectorName;
  /** Null while the series is in training. */
  readonly score: number | null;
  readonly threshold: number;
}
