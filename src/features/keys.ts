import type { Complete, Report } from '../config/key.js';
import { checkDrift, completeDrift, DRIFT } from './drift/keys.js';
import { checkRatings, RATINGS } from './ratings/keys.js';
import { SEGMENTS } from './segments/keys.js';
import { EXPERIMENT, VALUE } from './values/keys.js';
import { checkDecision, completeDecision, DECISION } from './verdicts/keys.js';

/** Configuration sections of features that add numbers to a window. */
export const FEATURE_KEYS = {
  experiment: EXPERIMENT,
  value: VALUE,
  ratings: RATINGS,
  segments: SEGMENTS,
} as const;

/**
 * Configuration sections of features that judge the numbers of windows from tick to tick: change
 * detection and verdicts.
 */
export const JUDGING_KEYS = {
  drift: DRIFT,
  decision: DECISION,
} as const;

type Given = Parameters<typeof completeDrift>[0] & Parameters<typeof completeDecision>[0];
type Checked = Complete<typeof FEATURE_KEYS> &
  Complete<typeof JUDGING_KEYS> & {
    readonly estimates: { readonly metrics: readonly string[] };
  };

/** Fill in settings that are derived from other keys. */
export function completeFeatures(given: Given): Complete<typeof JUDGING_KEYS> {
  return {
    drift: completeDrift(given),
    decision: completeDecision(given),
  };
}

/** Check the rules between settings of features, and between these and other settings. */
export function checkFeatures(given: Given, complete: Checked, fault: Report, warn: Report): void {
  checkDrift(given, complete.drift, fault, warn);
  checkDecision(given, fault, warn);
  checkRatings(complete, fault);
}
