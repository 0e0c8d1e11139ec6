import type { PropensitySource } from '../estimators/propensity/used-propensities.js';

/** What a feature is given beside its configuration. */
export interface Resources {
  readonly propensities?: PropensitySource | undefined;
  /** By which metrics models are judged, as it is configured. */
  readonly decides?: string | undefined;
}

/** Something that holds memory. */
export interface BudgetLine {
  readonly what: string;
  /** Never more than that. */
  readonly bytes: number;
  /** Keys of the configuration that bound it; none where it is fixed. */
  readonly keys: readonly string[];
  /** What happens to data that does not fit. */
  readonly atBound: string;
}
