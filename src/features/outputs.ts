// The page is compiled separately, so the type-only imports here declare the features' reports of a
// window.
import type {} from './drift/drift-options.js';
import { ON_POLICY_OUTPUT } from './on-policy/output.js';
import type { FeatureOutput } from './output.js';
import { RATINGS_OUTPUT } from './ratings/output.js';
import { SEGMENTS_OUTPUT } from './segments/output.js';
import type {} from './values/ab/ab-read.js';
import { SAMPLE_RATIO_OUTPUT, VALUE_DIFFERENCES_OUTPUT, VALUES_OUTPUT } from './values/output.js';
import type {} from './verdicts/answer.js';
import type {} from './verdicts/decision-options.js';

/** Outputs of features that have result rows, in the order in which they are written. */
export const OUTPUTS = [
  ON_POLICY_OUTPUT,
  VALUES_OUTPUT,
  VALUE_DIFFERENCES_OUTPUT,
  SAMPLE_RATIO_OUTPUT,
  RATINGS_OUTPUT,
] as readonly FeatureOutput[];

/**
 * Outputs of all features, including those without result rows. The page only shows result rows, so
 * it is built with `OUTPUTS` alone.
 */
export function allOutputs(): readonly FeatureOutput[] {
  return [...OUTPUTS, SEGMENTS_OUTPUT as FeatureOutput];
}
