import type { PropensitySource } from '../estimators/propensity/used-propensities.js';

/** What the service has that no configuration holds. */
export interface Resources {
  readonly propensities?: PropensitySource | undefined;
}
