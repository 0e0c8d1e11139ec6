import type { PlausibleGamma } from '../../estimators/propensity/gamma-error.js';
import type { ColdItems } from '../../estimators/propensity/power-law.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import type { WindowRequests } from '../../state/requests/pane-requests.js';
import type { ModelMark } from '../../stream/feature-types.js';
import type { NamedModel } from '../../stream/ids.js';
import type { LivePane } from './live-test.js';
import type { NewPairsOf } from './new-pairs.js';

/** The rows of one partition, with the interaction count and the hashed id of each user. */
export interface DecisionRows {
  /** Rows of all stored panes, in their order. */
  readonly rows: readonly PaneRows[];
  /** Interactions of each user over the horizon. */
  readonly userCounts: Int32Array;
  /** A hash of the user's id. */
  readonly keyOf: (user: number) => number;
}

/** Inputs of verdicts from a tick, beside its snapshot. */
export interface DecisionSources {
  readonly tickMs: number;
  readonly models: readonly NamedModel[];
  /** Rows of each partition. */
  readonly partitions: readonly DecisionRows[];
  readonly pairs: Omit<NewPairsOf, 'pane'>;
  /** Stored panes of requests; empty if reward per request is not computed. */
  readonly requests: readonly WindowRequests[];
  /** Inputs of an A/B test. */
  readonly test: Pick<LivePane, 'parts' | 'nameOf'>;
  /** n_i, rolling interaction count of each item. */
  readonly popularity: Float64Array;
  readonly options: ColdItems;
  /** Plausible range of γ; a verdict must be valid in all of it. */
  readonly plausibleGamma: PlausibleGamma;
  /** Number of interactions from which on a user's rows are left out. */
  readonly heavyFrom: number;
  /** Marks of changes to models, see `ModelMark`. */
  readonly modelMarks: readonly ModelMark[];
}
