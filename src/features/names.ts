import { VALUE_ESTIMATORS } from './values/value-estimate.js';

/** Estimators of features whose rows stand beside estimates. */
export const FEATURE_ESTIMATORS = [...VALUE_ESTIMATORS] as const;
