import type { CountedUsers } from '../../estimators/diagnostics/heavy-users.js';
import type { PopularityRule } from '../../state/counts/popularity-rule.js';
import type { ExperimentEvents } from '../../state/panes/experiment-events.js';
import type { RowSource, WindowPanes } from '../../state/panes/group-by-user.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import type { SeenUsers } from '../../state/panes/user-partitions.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import type { WindowRequests } from '../../state/requests/pane-requests.js';
import type { FeatureOptions } from '../feature-types.js';
import type { Ids, NamedModel } from '../ids.js';
import type { MonitorOptions } from '../options.js';
import type { CountedItems } from './item-counts.js';
import type { Learned } from './learned.js';
import type { ModelsLeftOut } from './snapshot.js';

/** A window that ends with the tick. */
export interface TickWindow extends WindowPanes {
  readonly name: string;
  readonly ms: number;
  /** Whether the window is computed at this tick; otherwise its last result is repeated. */
  readonly isDue: boolean;
}

/** A partition as input of a tick. */
export interface TickPartition {
  /** Sampling level: users of at least this depth have complete data. */
  readonly level: number;
  /** A sample of the users seen in the partition, if user ids are known. */
  readonly seen?: SeenUsers | undefined;
  /** Interaction counts of the partition's users over the popularity horizon, if needed. */
  readonly users?: CountedUsers | undefined;
  /** Select the partition's data of users of at least this depth. */
  sampled(level: number): SampledRows;
}

/** The rows of a partition that are in the sample, with requests and A/B test events. */
export interface SampledRows {
  readonly rows: readonly PaneRows[];
  /** Events for the A/B test, oldest first, if one is analysed. */
  readonly experiment?: readonly ExperimentEvents[] | undefined;
  /** Id of a user by number, if needed. */
  readonly nameOf?: ((user: number) => string) | undefined;
  /** One above the partition's largest user number. */
  userNumbers(): number;
  /** Why the users reached by the partition's lists are not known; undefined if they are. */
  readonly noReach?: string | undefined;
  /** All stored requests of panes through `lastPane`; each model is a column. */
  requests(models: readonly number[], lastPane: number): readonly WindowRequests[];
  /** Source from which the partition's part of a window is computed. */
  readonly source?: RowSource;
  /**
   * The partition's part of the window, if it was computed before the tick. There is then no
   * `source`.
   */
  readonly made?: WindowPart | undefined;
}

/** Options of a stream that a tick uses. */
export type TickOptions = Pick<
  MonitorOptions,
  'tickMs' | 'catalogueSize' | 'baseline' | 'attributionTtlMs' | 'estimates' | 'segments'
> &
  FeatureOptions & {
    readonly gamma: Pick<MonitorOptions['gamma'], 'periodMs'>;
    readonly popularity: PopularityRule;
    /** Whether the whole log, and so the whole catalogue, is known. */
    readonly isWholeLog?: boolean;
  };

/** Input of a tick, which does not change during the tick, except for learned state. */
export interface TickInput {
  /** Windows that end with the closed pane. */
  readonly windows: readonly TickWindow[];
  readonly options: TickOptions;
  readonly ids: Ids;
  /** Models that are evaluated, in the order of `namedModels`. */
  readonly models: readonly NamedModel[];
  /** Models that have lists but are not evaluated; undefined if there are none. */
  readonly leftOut?: ModelsLeftOut | undefined;
  /** Models with a list in the closed pane, for the change detectors. */
  readonly listing?: readonly number[];
  /** Partitions in the order of their numbers. */
  readonly partitions: readonly TickPartition[];
  readonly counted: CountedItems;
  /** Start of the counts behind popularity, event time in ms; undefined without a horizon. */
  readonly countedSince?: number;
  readonly learned: Learned;
}

/**
 * List the configured windows that end with a pane.
 *
 * @param everyPanes interval of windows without a configured interval, in panes
 */
export function tickWindows(
  pane: number,
  { tickMs, windows }: Pick<MonitorOptions, 'tickMs' | 'windows'>,
  everyPanes = 1,
): TickWindow[] {
  const to = (pane + 1) * tickMs;
  return windows.map(({ name, ms, everyMs = everyPanes * tickMs }) => ({
    name,
    ms,
    from: to - ms,
    to,
    isDue: to % everyMs === 0,
    firstPane: pane + 1 - ms / tickMs,
    lastPane: pane,
  }));
}
