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

/** The file of propensities that each feature is given, if it is one. */
export const PROPENSITY_FILES: readonly ((config: Config) => string | undefined)[] = [ratingFileOf];

/** What features are asked for, out of the configuration. */
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

/** The same of windows that are made of rows when they are past: without what goes on from tick to tick. */
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

/** What features read of events beside what all have. */
export function decodedFor(
  config: Config,
): Pick<DecoderOptions, 'segments' | 'ratings' | 'earning'> {
  return {
    ...segmentsDecoded(config),
    ...ratingsDecoded(config),
    ...valuesDecoded(config),
  };
}

/** The settings that their states go by. */
export function featureSettings(config: Config): Pick<StateSettings, 'drift'> {
  return { ...driftSettings(config) };
}

/** What they hold beside rows and requests, as lines of the budget of memory. */
export const FEATURE_MEMORY: readonly ((config: Config) => BudgetLine)[] = [
  verdictMemory,
  testMemory,
];
