import type { FeatureOutput } from './output.js';
import { RATINGS_OUTPUT } from './ratings/output.js';

/** In the order in which they are shown. */
export const OUTPUTS: readonly FeatureOutput[] = [RATINGS_OUTPUT];
