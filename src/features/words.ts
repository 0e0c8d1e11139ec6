import { LEARNING_WORDS } from './drift/findings.js';
import { SHOWN_LIST_WORDS } from './on-policy/findings.js';
import { RATING_FILE_WORDS } from './ratings/findings.js';
import { COMPARED_VALUE_WORDS } from './values/compared-values.js';
import { VALUE_WORDS } from './values/value-reasons.js';
import { VALUES_LEAD_WORDS } from './values/values-lead.js';
import { GROUND_WORDS } from './verdicts/ground-findings.js';
import { TEST_WORDS } from './verdicts/test-words.js';
import { VERDICT_WORDS } from './verdicts/verdict-words.js';

/**
 * Texts of the findings that features report. A group has the texts whose codes are neighbours in
 * the list of all codes.
 */
export const FEATURE_WORDS = {
  shownLists: { ...SHOWN_LIST_WORDS },
  detectors: LEARNING_WORDS,
  ratings: { ...RATING_FILE_WORDS },
  worth: {
    ...VALUE_WORDS,
    ...VALUES_LEAD_WORDS,
    ...COMPARED_VALUE_WORDS,
  },
  verdicts: {
    ...VERDICT_WORDS,
    ...TEST_WORDS,
  },
  grounds: { ...GROUND_WORDS },
};
