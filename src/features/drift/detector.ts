/** Detectors of a change in the level of a series, on standard scores. */
export const LEVEL_DETECTORS = ['cusum', 'e-cusum', 'e-sr'] as const;
export type LevelDetector = (typeof LEVEL_DETECTORS)[number];

/** Detectors of a change in a distribution, on binned counts. */
export const SHARE_DETECTORS = ['psi', 'js'] as const;
export type ShareDetector = (typeof SHARE_DETECTORS)[number];

/** Detectors of models that send lists no more. */
export const PRESENCE_DETECTORS = ['vanished'] as const;
export type PresenceDetector = (typeof PRESENCE_DETECTORS)[number];

/** Closed set of names; label values and settings use them as they stand here. */
export const DETECTORS = [...LEVEL_DETECTORS, ...SHARE_DETECTORS, ...PRESENCE_DETECTORS] as const;
export type DetectorName = (typeof DETECTORS)[number];

/**
 * How the values of a series are made comparable: `levels`, as normal scores with weights 1/SE²;
 * `ranks`, by their ranks among the series' own panes, weighted by effective sample size.
 */
export const STANDARDISATIONS = ['levels', 'ranks'] as const;
export type Standardisation = (typeof STANDARDISATIONS)[number];

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
  /** `levels` where it is not said. */
  readonly standardisation?: Standardisation;
  /** Period of the baseline; null or not said for none. */
  readonly seasonMs?: number | null;
}
