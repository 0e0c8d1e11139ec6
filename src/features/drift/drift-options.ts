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

/** Closed set of names; label values and settings use them as they stand here. */
export const DETECTORS = [...LEVEL_DETECTORS, ...SHARE_DETECTORS, ...PRESENCE_DETECTORS] as const;
export type DetectorName = (typeof DETECTORS)[number];

export interface DetectorOptions {
  readonly detectors: readonly DetectorName[];
  /** k of CUSUM, in standard deviations. */
  readonly allowance: number;
  /** h of CUSUM, for one series. */
  readonly threshold: number;
  /** A: at least this many panes to a false alarm in the mean, of all other detectors. */
  readonly guarantee: number;
  /** Panes from which a series' normal state is learned before it is judged. */
  readonly learn: number;
  /** `levels` by default. */
  readonly standardisation?: Standardisation;
  /** Period of the baseline; null or not said for none. */
  readonly seasonMs?: number | null;
}

declare module '../../stream/feature-types.js' {
  interface FeatureOptions {
    /** What is watched for changes; nothing is without. */
    readonly drift?: DriftOptions | undefined;
  }
  interface SnapshotReports {
    /** How far the detectors are from an alarm; only where changes are watched for. */
    readonly drift?: readonly DriftScore[];
  }
}

/** What is watched for changes, and how. All times are event time, in ms. */
export interface DriftOptions extends DetectorOptions, Watched {
  /** The window whose disjoint stretches are the panes of the detectors; one of the windows. */
  readonly windowMs: number;
  /** An alarm is shown for this many panes, and then its end is. */
  readonly hold: number;
  /** Period of the baseline, in places of an hour or a pane, whichever is longer; null for none. */
  readonly seasonMs: number | null;
}

/** How far a detector is from an alarm on a series, at the newest pane of the detectors. */
export interface DriftScore {
  readonly series: string;
  /** Null for all traffic. */
  readonly model: string | null;
  readonly detector: DetectorName;
  /** Null while the series is learned. */
  readonly score: number | null;
  readonly threshold: number;
}
