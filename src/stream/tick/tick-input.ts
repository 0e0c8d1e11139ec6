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
  /** Whether it is computed at this tick; if not, the one computed last stands on. */
  readonly isDue: boolean;
}

/** A partition as a tick reads it. */
export interface TickPartition {
  /** How deep users have to lie for everything to be known of them. */
  readonly level: number;
  /** Who was seen in it, of a sample of users; where their ids are known. */
  readonly seen?: SeenUsers | undefined;
  /** Its users' interactions over the horizon; only where they are looked at. */
  readonly users?: CountedUsers | undefined;
  /** What is left of it where users have to lie so deep. */
  sampled(level: number): SampledRows;
}

/** The rows of a partition that are in the sample. */
export interface SampledRows {
  readonly rows: readonly PaneRows[];
  /** What an A/B test is read from, oldest first; where one is looked for. */
  readonly experiment?: readonly ExperimentEvents[] | undefined;
  /** Ids of its users; only where they are asked for by id. */
  readonly nameOf?: ((user: number) => string) | undefined;
  /** One above the largest number of a user in what is here. */
  userNumbers(): number;
  /** Why it does not know its lists, and so not whom they reached; undefined if it does. */
  readonly noReach?: string | undefined;
  /** All requests that it keeps, by the models' columns, through a pane. */
  requests(models: readonly number[], lastPane: number): readonly WindowRequests[];
  /** What its part of a window is made from, */
  readonly source?: RowSource;
  /** or the part itself, where it is there already. */
  readonly made?: WindowPart | undefined;
}

/** Of a stream's options, those that a tick goes by. */
export type TickOptions = Pick<
  MonitorOptions,
  'tickMs' | 'catalogueSize' | 'baseline' | 'attributionTtlMs' | 'estimates' | 'segments'
> &
  FeatureOptions & {
    readonly gamma: Pick<MonitorOptions['gamma'], 'periodMs'>;
    readonly popularity: PopularityRule;
    /** All of the log is there, and so all of the catalogue. */
    readonly isWholeLog?: boolean;
  };

/** What a tick reads; none of it changes before the tick has ended, except for what it learns. */
export interface TickInput {
  /** They all end with the pane that has closed. */
  readonly windows: readonly TickWindow[];
  readonly options: TickOptions;
  readonly ids: Ids;
  /** In the order of `namedModels`. */
  readonly models: readonly NamedModel[];
  /** Those that find no place among them. */
  readonly leftOut?: ModelsLeftOut | undefined;
  /** Those that had a list in the pane that has closed; for the detectors of change. */
  readonly listing?: readonly number[];
  /** In the order of their numbers. */
  readonly partitions: readonly TickPartition[];
  readonly counted: CountedItems;
  /** Event time, ms, where what popularity counts begins; undefined if it has no horizon. */
  readonly countedSince?: number;
  readonly learned: Learned;
}

/**
 * List the configured windows that end with a pane.
 *
 * @param everyPanes how often windows without a period of their own are due, in panes
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
