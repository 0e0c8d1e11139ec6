import type { PlausibleGamma } from '../../estimators/propensity/gamma-error.js';
import type { ColdItems } from '../../estimators/propensity/power-law.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import type { WindowRequests } from '../../state/requests/pane-requests.js';
import type { ModelMark } from '../../stream/feature-types.js';
import type { NamedModel } from '../../stream/ids.js';
import type { LivePane } from './live-test.js';
import type { NewPairsOf } from './new-pairs.js';

/** The rows of a partition with what is known of their users. */
export interface DecisionRows {
  /** Of all panes that are kept, in their order. */
  readonly rows: readonly PaneRows[];
  /** Interactions over the horizon. */
  readonly userCounts: Int32Array;
  /** A hash of the user's id. */
  readonly keyOf: (user: number) => number;
}

/** What verdicts need of a tick, beside its snapshot. */
export interface DecisionSources {
  readonly tickMs: number;
  readonly models: readonly NamedModel[];
  /** In the order of their numbers. */
  readonly partitions: readonly DecisionRows[];
  readonly pairs: Omit<NewPairsOf, 'pane'>;
  /** Panes of requests that are kept; none where lists are not valued by them. */
  readonly requests: readonly WindowRequests[];
  /** What an A/B test is read from. */
  readonly test: Pick<LivePane, 'parts' | 'nameOf'>;
  /** n_i, by item. */
  readonly popularity: Float64Array;
  readonly options: ColdItems;
  /** What γ may be: a verdict holds at all of it. */
  readonly plausibleGamma: PlausibleGamma;
  /** Interactions from which on a user's rows are left out. */
  readonly heavyFrom: number;
  /** What was said to have changed of models, see `ModelMark`. */
  readonly modelMarks: readonly ModelMark[];
}
