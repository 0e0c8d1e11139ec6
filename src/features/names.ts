import { VALUE_ESTIMATORS } from './values/value-estimate.js';
import { WHY_FLAG } from './why/flag.js';

/** Estimators of features whose rows are shown with the estimates. */
export const FEATURE_ESTIMATORS = [...VALUE_ESTIMATORS] as const;

/** Flags for questions that `evaluate` answers in addition to its numbers. */
export const QUESTION_FLAGS = [WHY_FLAG];
