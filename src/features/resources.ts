import type { PropensitySource } from '../estimators/propensity/used-propensities.js';

/** What the service has that no configuration holds. */
export interface Resources {
  readonly propensities?: PropensitySource | undefined;
}

/** Something that holds memory. */
export interface BudgetLine {
  readonly what: string;
  /** Never more than that. */
  readonly bytes: number;
  /** Keys of the configuration that bound it; none where it is fixed. */
  readonly keys: readonly string[];
  /** What becomes of what does not fit. */
  readonly atBound: string;
}
