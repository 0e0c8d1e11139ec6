import { DRIFT_STATE_WORDS } from './drift/alarm-states.js';
import { LEARNING_WORDS } from './drift/findings.js';
import { SHOWN_LIST_WORDS } from './on-policy/findings.js';
import { RATING_FILE_WORDS } from './ratings/findings.js';
import { COMPARED_VALUE_WORDS } from './values/compared-values.js';
import { VALUE_WORDS } from './values/value-reasons.js';
import { VALUES_LEAD_WORDS } from './values/values-lead.js';
import { VERDICT_WORDS } from './verdicts/verdict-words.js';

/** The sentences of features' findings. */
export const FEATURE_WORDS = {
  ...SHOWN_LIST_WORDS,
  ...LEARNING_WORDS,
  ...RATING_FILE_WORDS,
  ...VALUE_WORDS,
  ...VALUES_LEAD_WORDS,
  ...COMPARED_VALUE_WORDS,
  ...VERDICT_WORDS,
};

/** The words for states of a service that features find. */
export const FEATURE_STATE_WORDS = { ...DRIFT_STATE_WORDS };
