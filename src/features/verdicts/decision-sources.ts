import type { Rounds } from '../../estimators/partitions/rounds.js';
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
  /** In the order of their numbers: sums are of the same bits then wherever they are made. */
  readonly partitions: readonly DecisionRows[];
  readonly pairs: Omit<NewPairsOf, 'pane'>;
  /** Requests that are kept, by partition; none where lists are not valued by them. */
  readonly requests: readonly (readonly WindowRequests[])[];
  /** Bring the sums of all partitions together, where some of them are elsewhere. */
  readonly rounds: Rounds;
  /** What an A/B test is read from; undefined where users live in several workers. */
  readonly test: Pick<LivePane, 'parts' | 'nameOf'> | undefined;
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
