import type { Config } from '../config.js';
import type { DecoderOptions } from '../events/decode.js';
import type { StateSettings } from '../rows/findings/facts.js';
import type { FeatureOptions } from '../stream/feature-types.js';
import type { MonitorOptions } from '../stream/options.js';
import { driftOptions, driftSettings } from './drift/options.js';
import { ratingFileOf, ratingOptions, ratingsDecoded } from './ratings/options.js';
import type { BudgetLine, Resources } from './resources.js';
import { segmentOptions, segmentsDecoded } from './segments/options.js';
import { valueOptions, valuesDecoded } from './values/options.js';
import {
  decisionOptions,
  judgedBy,
  marginOf,
  testMemory,
  verdictMemory,
} from './verdicts/options.js';

/** Functions that return the path of a feature's propensities file, if one is configured. */
export const PROPENSITY_FILES: readonly ((config: Config) => string | undefined)[] = [ratingFileOf];

/** Options of features from the configuration. */
export function featureOptions(
  config: Config,
  resources: Resources = {},
): FeatureOptions & Pick<MonitorOptions, 'segments'> {
  return {
    ...ratingOptions(config, {
      ...resources,
      decides: judgedBy(config),
    }),
    ...valueOptions(config, { ...marginOf(config) }),
    ...driftOptions(config),
    ...decisionOptions(config),
    ...segmentOptions(config),
  };
}

/** Options for past windows computed from rows, without the features that need every tick. */
export function pastOptions<Options extends FeatureOptions>(options: Options): Options {
  const { segments } = options as Options & Pick<MonitorOptions, 'segments'>;
  return {
    ...options,
    ratings: undefined,
    value: undefined,
    drift: undefined,
    decision: undefined,
    segments: segments && {
      ...segments,
      dimensions: [],
    },
  };
}

/** Fields of events that features need in addition to the common ones. */
export function decodedFor(
  config: Config,
): Pick<DecoderOptions, 'segments' | 'ratings' | 'earning'> {
  return {
    ...segmentsDecoded(config),
    ...ratingsDecoded(config),
    ...valuesDecoded(config),
  };
}

/** Settings that the status lines of features depend on. */
export function featureSettings(config: Config): Pick<StateSettings, 'drift'> {
  return { ...driftSettings(config) };
}

/** Functions that state how much memory a feature needs, in addition to rows and requests. */
export const FEATURE_MEMORY: readonly ((config: Config) => BudgetLine)[] = [
  verdictMemory,
  testMemory,
];
