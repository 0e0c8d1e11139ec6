import { VALUE_ESTIMATORS } from './values/value-estimate.js';
import { WHY_FLAG } from './why/flag.js';

/** Estimators of features whose rows stand beside estimates. */
export const FEATURE_ESTIMATORS = [...VALUE_ESTIMATORS] as const;

/** Flags of what `evaluate` can be asked beside its numbers. */
export const QUESTION_FLAGS = [WHY_FLAG];
