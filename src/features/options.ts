import type { Config } from '../config.js';
import type { FeatureOptions } from '../stream/feature-types.js';
import type { MonitorOptions } from '../stream/options.js';
import { driftOptions } from './drift/options.js';
import { ratingSource } from './ratings/keys.js';
import { ratingOptions } from './ratings/options.js';
import type { Resources } from './resources.js';
import { decisionOptions } from './verdicts/options.js';

/** The file of propensities that each feature is given, if it is one. */
export const PROPENSITY_FILES: readonly ((
  config: Pick<Config, 'ratings'>,
) => string | undefined)[] = [({ ratings }) => ratingSource(ratings.propensities).file];

/** What features are asked for, out of the configuration. */
export function featureOptions(
  config: Config,
  resources: Resources,
): FeatureOptions & Pick<MonitorOptions, 'value' | 'drift' | 'decision'> {
  return {
    ...ratingOptions(config, resources),
    value: {
      ...{ ...config.value, control: config.comparisons.control },
      margin: config.decision.margin,
    },
    drift: driftOptions(config),
    decision: decisionOptions(config),
  };
}
