/** The propensity's exponent as randomised traffic shows it, held against the one that is used. */
export interface ExponentTest {
  /** β̂ and its quasi-Poisson standard error; NaN where the rows do not determine them. */
  readonly beta: number;
  readonly stdErr: number;
  /** (γ + 1) / 2 of the γ that the estimators use. */
  readonly used: number;
  /** |β̂ − used| in standard errors. */
  readonly deviation: number;
  /** Levels of popularity with organic positives, and the positives of either kind at them. */
  readonly levels: number;
  readonly organic: number;
  readonly randomized: number;
}
