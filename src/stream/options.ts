import { isFollowed } from '../estimators/feedback/feedback-mode.js';
import type { Baseline } from '../estimators/lanes/derived-parts.js';
import type { EstimateOptions } from '../estimators/options.js';
import type { GammaFitName } from '../estimators/propensity/gamma.js';
import type { BuiltInDimension } from '../estimators/segments/built-in-axes.js';
import { ActionWorths } from '../events/action-worths.js';
import type { SegmentDimension } from '../events/dimensions.js';
import { type PseudonymKey, Pseudonyms } from '../events/pseudonyms.js';
import { experimentAsked, joinedRequests } from '../features/works.js';
import type { PopularityOptions } from '../state/counts/popularity.js';
import type { PopularityRule } from '../state/counts/popularity-rule.js';
import type { PartitionOptions } from '../state/panes/partition.js';
import type { FeatureOptions } from './feature-types.js';

export interface WindowOptions {
  /** Name as configured, such as `1h`. */
  readonly name: string;
  readonly ms: number;
  /** How often it is computed; undefined: with every pane. */
  readonly everyMs?: number;
}

/** How estimates are divided. */
export interface SegmentOptions {
  readonly dimensions: readonly SegmentDimension[];
  /** Dimensions that no event has to say anything of. */
  readonly builtIn: readonly BuiltInDimension[];
  /** Values of a dimension that are shown at most, those with most rows; all others are one. */
  readonly values: number;
  /** Below this many effective users a value is hidden. */
  readonly minUsers: number;
}

/** What is kept of a whole topic; Infinity sets no limit. */
export interface SampleLimits {
  /** Interactions of the longest window. */
  readonly rows: number;
  /** Items of the lists within the attribution ttl. */
  readonly listEntries: number;
  /** Users with an interaction within the popularity horizon. */
  readonly users: number;
  /** Requests of the longest window; no limit if left out. */
  readonly requests?: number | undefined;
}

/** Everything that a number depends on beside the log. All times are event time, in ms. */
export interface MonitorOptions extends FeatureOptions {
  /** Length of a pane; windows are multiples of it. */
  readonly tickMs: number;
  readonly windows: readonly WindowOptions[];
  /** Every how many panes windows are computed in a backlog; 1 if left out. */
  readonly backlogPanes?: number | undefined;
  /** Keys of the pseudonyms that users are called by, by the time that they hold from. */
  readonly pseudonyms?: readonly PseudonymKey[] | undefined;
  /** How much older than its partition's newest an event may be and still have a row. */
  readonly latenessMs: number;
  readonly dedupeTtlMs: number;
  readonly attributionTtlMs: number;
  /** How much earlier than its attributed list an interaction may be; 0 by default. */
  readonly clockSkewMs?: number | undefined;
  readonly popularity: PopularityRule & { readonly horizonMs: number };
  readonly positiveMinValue: number;
  /** Rewards of actions, by name; 1 each by default. */
  readonly actions?: Readonly<Record<string, number>> | undefined;
  readonly gamma: {
    /** A fixed exponent, the one that is fitted, or the one that the data speak for best. */
    readonly use: number | 'fit' | 'auto';
    /** Which fit is used where one is. */
    readonly fit: GammaFitName;
    /** Used while no fit was ever `ok`. */
    readonly default: number;
    readonly periodMs: number;
  };
  /** Configured size of the catalogue; undefined: the items that were seen. */
  readonly catalogueSize: number | undefined;
  /** At most this many models are evaluated; the lists of others are dropped and counted. */
  readonly maxModels: number;
  readonly ids?: {
    /** Items that are known at most: what names another one is not taken in. */
    readonly maxItems?: number;
    /**
     * Ids that nothing refers to are swept from a table that holds more than `sweepFrom` (4096), and
     * `growth` (2) times what was left the last time.
     */
    readonly sweepFrom?: number;
    readonly growth?: number;
  };
  /** Built-in model that is evaluated beside the others. */
  readonly baseline: Baseline;
  readonly estimates: Omit<EstimateOptions, 'gamma' | 'gammaStdErr' | 'catalogueSize'>;
  /** What rows are divided by; nothing is without. */
  readonly segments?: SegmentOptions | undefined;
  /** Above which users are sampled; everybody is kept without. */
  readonly limits?: SampleLimits | undefined;
}

/** What a state of version 1 was made with that does not name them: these settings came after it. */
export const UNSTATED_SETTINGS = {
  'popularity.randomized': 'count',
  'popularity.caused': 'count',
  'popularity.userCap': 0,
  'estimates.feedback': 'ignore',
  'events.actions': 'worth 1 each',
} as const;

/** What actions are worth, with the one that earns in a test. */
export function actionWorths(
  options: Pick<MonitorOptions, 'actions'> & FeatureOptions,
): ActionWorths {
  return new ActionWorths(options.actions ?? {}, experimentAsked(options)?.earning?.action);
}

/** By what a column of actions holds plus one: 1 if the value of such an event is what it earns. */
export function earningValues(
  options: Pick<MonitorOptions, 'actions'> & FeatureOptions,
): Uint8Array | undefined {
  if (experimentAsked(options)?.earning?.by !== 'value') return undefined;
  const worths = actionWorths(options);
  return Uint8Array.from(worths.byCode(), (_, place) => Number(place - 1 === worths.earning));
}

/** What a partition records of an A/B test. */
export function testRecorded(options: MonitorOptions): PartitionOptions['experiment'] {
  const asked = experimentAsked(options);
  return (
    asked && {
      worths: actionWorths(options),
      earning: asked.earning,
    }
  );
}

/** Whether rows have to say which shown list led to them. */
export function followsCauses({ estimates }: Pick<MonitorOptions, 'estimates'>): boolean {
  return isFollowed(estimates);
}

/** What a partition does where causes are followed. */
export function causesFollowed(
  options: Pick<MonitorOptions, 'estimates' | 'actions'> & FeatureOptions,
): Pick<PartitionOptions, 'followsCauses' | 'worths'> {
  if (!followsCauses(options)) return { followsCauses: false };
  return {
    followsCauses: true,
    worths: actionWorths(options),
  };
}

/** How a partition joins requests. */
export function requestsJoined(options: MonitorOptions): PartitionOptions['requests'] {
  const joined = joinedRequests(options);
  return (
    joined && {
      ...joined,
      worths: actionWorths(options),
    }
  );
}

/** What users are called by; undefined: by their ids. */
export function pseudonymsOf({
  pseudonyms,
}: Pick<MonitorOptions, 'pseudonyms'>): Pseudonyms | undefined {
  return pseudonyms && new Pseudonyms(pseudonyms);
}

/**
 * When users got the pseudonyms that they have now, if a window still notices: its rows, or lists that
 * they could be ranked in, are from before.
 */
export function renamedIn(
  { pseudonyms = [], attributionTtlMs }: Pick<MonitorOptions, 'pseudonyms' | 'attributionTtlMs'>,
  {
    from,
    to,
  }: {
    readonly from: number;
    readonly to: number;
  },
): { readonly renamedAt?: number } {
  const cut = pseudonyms.findLast(({ fromMs }) => fromMs < to && fromMs + attributionTtlMs > from);
  return cut === undefined ? {} : { renamedAt: cut.fromMs };
}

/** What popularity is counted over. */
export function popularityOptions(options: MonitorOptions): PopularityOptions {
  return {
    ...options.popularity,
    paneMs: options.tickMs,
    gammaPeriodMs: options.gamma.periodMs,
    windowsMs: options.windows.map(({ ms }) => ms),
  };
}
