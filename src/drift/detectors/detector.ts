/** Detectors of a change in the level of a series, on standard scores. */
export const LEVEL_DETECTORS = ['cusum', 'e-cusum', 'e-sr'] as const;
export type LevelDetector = (typeof LEVEL_DETECTORS)[number];

/** Detectors of a change in a distribution, on binned counts. */
export const SHARE_DETECTORS = ['psi', 'js'] as const;
export type ShareDetector = (typeof SHARE_DETECTORS)[number];

/** Closed set of names; label values and settings use them as they stand here. */
export const DETECTORS = [...LEVEL_DETECTORS, ...SHARE_DETECTORS] as const;
export type DetectorName = (typeof DETECTORS)[number];

export interface DetectorOptions {
  readonly detectors: readonly DetectorName[];
  /** k of CUSUM, in standard deviations. */
  readonly allowance: number;
  /** h of CUSUM, for one series. */
  readonly threshold: number;
  /** A: at least so many panes to a false alarm in the mean, of all other detectors. */
  readonly guarantee: number;
  /** Panes from which a series' normal state is learned before it is judged. */
  readonly learn: number;
}
