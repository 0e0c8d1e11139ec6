/** Where absolute propensities may come from, the best first. */
export const SCALES = ['logged', 'randomized', 'reach', 'relative'] as const;

export type ScaleName = (typeof SCALES)[number];

/** The scale in use, for people. */
export interface ScaleReport {
  readonly scale: ScaleName;
  /** The better ones, and why each cannot be had here. */
  readonly passedOver: readonly {
    readonly scale: ScaleName;
    readonly reason: string;
  }[];
  /** Share of the positive organic rows that carry a logged propensity. */
  readonly loggedShare: number;
}
