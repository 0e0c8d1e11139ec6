import { RATINGS } from './ratings/page/now.js';
import { RATINGS_OVER_TIME } from './ratings/page/over-time.js';

/** The panels of features, in their order. */
export const FEATURE_PANELS = [RATINGS, RATINGS_OVER_TIME];
