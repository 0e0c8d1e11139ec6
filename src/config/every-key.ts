import { FEATURE_KEYS, JUDGING_KEYS } from '../features/keys.js';
import { KeyIndex } from './key-index.js';
import { BASELINE, COMPARISONS, ESTIMATES } from './keys/estimates.js';
import { DEAD_LETTERS, EVENTS } from './keys/events.js';
import { EXPORT } from './keys/export.js';
import { ESTIMATES_FILE, HISTORY, HTTP, LOG, PAGE, RESULTS } from './keys/http.js';
import { INTAKE } from './keys/intake.js';
import { KAFKA } from './keys/kafka.js';
import { CATALOGUE, GAMMA, POPULARITY, POSITIVE } from './keys/popularity.js';
import { REGISTRY } from './keys/registry.js';
import { LIMITS, MODELS, PANES, STATE, STOP_TIMEOUT } from './keys/state.js';
import { ATTRIBUTION, DEDUPE, TIME } from './keys/time.js';
import { PRESET } from './presets.js';

/**
 * Tree of all configuration keys, nested as in a configuration file. Each section defines its own
 * keys in `keys/`.
 */
export const KEYS = {
  preset: PRESET,
  kafka: KAFKA,
  registry: REGISTRY,
  intake: INTAKE,
  time: TIME,
  dedupe: DEDUPE,
  attribution: ATTRIBUTION,
  popularity: POPULARITY,
  positive: POSITIVE,
  ...GAMMA,
  estimates: ESTIMATES,
  ...FEATURE_KEYS,
  comparisons: COMPARISONS,
  baseline: BASELINE,
  ...JUDGING_KEYS,
  catalogue: CATALOGUE,
  state: STATE,
  panes: PANES,
  models: MODELS,
  limits: LIMITS,
  events: EVENTS,
  deadLetters: DEAD_LETTERS,
  http: HTTP,
  page: PAGE,
  history: HISTORY,
  export: EXPORT,
  results: RESULTS,
  estimatesFile: ESTIMATES_FILE,
  stopTimeout: STOP_TIMEOUT,
  log: LOG,
} as const;

export const KEY_INDEX = new KeyIndex(KEYS);
