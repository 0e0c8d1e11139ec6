/** The propensity's exponent as randomised traffic shows it, compared with the one that is used. */
export interface ExponentTest {
  /** β̂ with its standard error and 95 % interval; NaN where counts are too small for an answer. */
  readonly beta: number;
  readonly stdErr: number;
  readonly lower: number;
  readonly upper: number;
  /** (γ + 1) / 2 of the γ that the estimators use. */
  readonly used: number;
  /** |β̂ − used| in standard errors, each as long as it has to be where few items carry the error. */
  readonly deviation: number;
  /** Items with organic positives, these positives, and the randomised ones of these items. */
  readonly items: number;
  readonly organic: number;
  readonly randomized: number;
}
