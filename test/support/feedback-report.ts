import type { FeedbackReport } from '../../src/estimators/results/window-estimates.js';

/** What is known of causes in a window whose interactions name all lists, with changes. */
export function feedbackReport(
  caused: number,
  changes: Partial<FeedbackReport> = {},
): FeedbackReport {
  return {
    mode: 'withhold',
    source: 'named',
    caused,
    lower: caused,
    upper: caused,
    named: caused,
    arms: null,
    served: [],
    uncaused: null,
    ...changes,
  };
}
