/** Sources of absolute propensities (probabilities, not only up to a factor), best first. */
export const SCALES = ['logged', 'randomized', 'reach', 'relative'] as const;

export type ScaleName = (typeof SCALES)[number];

/** The source of absolute propensities in use, for display. */
export interface ScaleReport {
  readonly scale: ScaleName;
  /** Better sources that are not available, with the reason. */
  readonly passedOver: readonly {
    readonly scale: ScaleName;
    readonly reason: string;
  }[];
  /** Share of the positive organic rows with a logged propensity. */
  readonly loggedShare: number;
}
