import type { SampleRatioTest } from './sample-ratio.js';
import type { ValueDifferenceRow } from './value-differences.js';
import type { ValueRow } from './value-row.js';

/** What lists are worth in a window, and beside each other. */
export interface WindowValues {
  readonly values: readonly ValueRow[];
  /** Each model's minus the control's, in the order of `values`. */
  readonly differences: readonly ValueDifferenceRow[];
  /** Whether arms were served as often as was declared; only where shares are stated. */
  readonly sampleRatio?: SampleRatioTest;
  /** The configured control, where no request has a list of it and so nothing is compared. */
  readonly controlAway?: string;
}

export const NO_VALUES: WindowValues = { values: [], differences: [] };
