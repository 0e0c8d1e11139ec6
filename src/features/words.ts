import { RATING_FILE_WORDS } from './ratings/findings.js';

/** The sentences of features' findings. */
export const FEATURE_WORDS = { ...RATING_FILE_WORDS };
