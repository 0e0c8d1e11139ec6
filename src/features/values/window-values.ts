import type { PairEvidence } from '../evidence.js';
import type { SampleRatioTest } from './sample-ratio.js';
import type { ValueDifferenceRow } from './value-differences.js';
import type { ValueOptions } from './value-options.js';
import type { ValueRow } from './value-row.js';

declare module '../../stream/feature-types.js' {
  interface FeatureOptions {
    /** How lists are valued by requests; nothing is joined without. */
    readonly value?: ValueOptions | undefined;
  }
  interface WindowReports {
    /** Reward per request; only if lists give the id of their request. */
    readonly values?: readonly ValueRow[];
    /** Those of each model minus the control's; there where `values` are. */
    readonly valueDifferences?: readonly ValueDifferenceRow[];
    /** Whether arms were served by their shares; only there where requests state them. */
    readonly sampleRatio?: SampleRatioTest;
    /** The configured control, where no request has a list of it and so no values are compared. */
    readonly controlAway?: string;
  }
}

/** Rewards per request in a window, and their differences. */
export interface WindowValues {
  readonly values: readonly ValueRow[];
  /** Each model's minus the control's, in the order of `values`. */
  readonly differences: readonly ValueDifferenceRow[];
  /** What they say of each model against the control. */
  readonly evidence: readonly PairEvidence[];
  /** Whether arms were served as often as was declared; only where shares are stated. */
  readonly sampleRatio?: SampleRatioTest;
  /** The configured control, where no request has a list of it and so nothing is compared. */
  readonly controlAway?: string;
}

export const NO_VALUES: WindowValues = {
  values: [],
  differences: [],
  evidence: [],
};
