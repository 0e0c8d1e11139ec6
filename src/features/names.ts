import { VALUE_ESTIMATORS } from './values/value-estimate.js';
import { WHY_FLAG } from './why/flag.js';

/** Names of the estimators of features whose rows are shown with the estimates. */
export const FEATURE_ESTIMATORS = [...VALUE_ESTIMATORS] as const;

/** Command-line flags for questions that `evaluate` answers in addition to its numbers. */
export const QUESTION_FLAGS = [WHY_FLAG];
