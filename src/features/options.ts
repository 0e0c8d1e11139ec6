import type { Config } from '../config.js';
import type { FeatureOptions } from '../stream/feature-types.js';
import { ratingOptions } from './ratings/options.js';
import type { Resources } from './resources.js';

/** What features are asked for, out of the configuration. */
export function featureOptions(config: Config, resources: Resources): FeatureOptions {
  return { ...ratingOptions(config, resources) };
}
