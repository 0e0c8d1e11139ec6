import type { PairEvidence } from '../evidence.js';
import type { SampleRatioTest } from './sample-ratio.js';
import type { ValueDifferenceRow } from './value-differences.js';
import type { ValueOptions } from './value-options.js';
import type { ValueRow } from './value-row.js';

declare module '../../stream/feature-types.js' {
  interface FeatureOptions {
    /**
     * Options of reward per request. If undefined, lists and interactions are not joined to
     * requests.
     */
    readonly value?: ValueOptions | undefined;
  }
  interface WindowReports {
    /** Reward per request; only if lists give the id of their request. */
    readonly values?: readonly ValueRow[];
    /** Difference of each model to the control; present if `values` are. */
    readonly valueDifferences?: readonly ValueDifferenceRow[];
    /** Test of the served split; present if requests have shares. */
    readonly sampleRatio?: SampleRatioTest;
    /** Name of the configured control if no request has its list; values are then not compared. */
    readonly controlAway?: string;
  }
}

/** Rewards per request in a window, with differences and evidence. */
export interface WindowValues {
  readonly values: readonly ValueRow[];
  /** Difference of each model to the control, in the order of `values`. */
  readonly differences: readonly ValueDifferenceRow[];
  /** Evidence on each model compared with the control. */
  readonly evidence: readonly PairEvidence[];
  /** Test of the served split; present if requests have shares. */
  readonly sampleRatio?: SampleRatioTest;
  /** Name of the configured control if no request has its list; values are then not compared. */
  readonly controlAway?: string;
}

export const NO_VALUES: WindowValues = {
  values: [],
  differences: [],
  evidence: [],
};
