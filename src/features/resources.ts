import type { PropensitySource } from '../propensity/learned/used-propensities.js';

/** What the service has that no configuration holds. */
export interface Resources {
  readonly propensities?: PropensitySource | undefined;
}
