// The page compiles apart: what these declare of a window goes with their names.
import type {} from './on-policy/report.js';
import type { FeatureOutput } from './output.js';
import { RATINGS_OUTPUT } from './ratings/output.js';
import type {} from './values/window-values.js';

/** In the order in which they are shown. */
export const OUTPUTS: readonly FeatureOutput[] = [RATINGS_OUTPUT];
