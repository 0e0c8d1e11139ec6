import type { PropensitySource } from '../estimators/propensity/used-propensities.js';

/** Inputs of features in addition to the configuration. */
export interface Resources {
  readonly propensities?: PropensitySource | undefined;
  /** The configured metrics that decide between models, in the text form of the configuration. */
  readonly decides?: string | undefined;
}

/** A line of the memory budget: what a part of the program may use at most. */
export interface BudgetLine {
  readonly what: string;
  /** Upper bound, in bytes. */
  readonly bytes: number;
  /** Configuration keys that determine the bound; empty if it is fixed. */
  readonly keys: readonly string[];
  /** What happens to data that does not fit. */
  readonly atBound: string;
}
