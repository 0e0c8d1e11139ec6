/** Whether randomised traffic tells the exponent of the propensity. */
export const CALIBRATION_STATUSES = ['ok', 'too_sparse'] as const;

/** The exponent of the propensity that randomised traffic calls for, free of the counts' noise. */
export interface Calibration {
  readonly status: (typeof CALIBRATION_STATUSES)[number];
  /** β̂ with its standard error and 95 % interval; NaN where it is too sparse. */
  readonly beta: number;
  readonly stdErr: number;
  readonly lower: number;
  readonly upper: number;
  /** Degrees of freedom of the interval. */
  readonly df: number;
  /** On how many items the error rests. */
  readonly effectiveItems: number;
  /** Share of the fitted sizes that comes from items of unknown size. */
  readonly unsizedShare: number;
  /** Items with organic positives, these positives, and the randomised ones of these items. */
  readonly items: number;
  readonly organic: number;
  readonly randomized: number;
}
