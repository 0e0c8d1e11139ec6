// The page compiles apart: what these declare of a window goes with their names.
import type {} from './drift/drift-options.js';
import type {} from './on-policy/report.js';
import type { FeatureOutput } from './output.js';
import { RATINGS_OUTPUT } from './ratings/output.js';
import type {} from './values/window-values.js';
import type {} from './verdicts/decision-options.js';

/** In the order in which they are shown. */
export const OUTPUTS: readonly FeatureOutput[] = [RATINGS_OUTPUT];
