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
  /** Interval of computation, ms; undefined means every pane. */
  readonly everyMs?: number;
}

/** Options of estimates by segment. */
export interface SegmentOptions {
  readonly dimensions: readonly SegmentDimension[];
  /** Dimensions that need no field of events. */
  readonly builtIn: readonly BuiltInDimension[];
  /** Maximum number of reported values of a dimension, those with the most rows; the others are merged. */
  readonly values: number;
  /** Number of effective users below which a value is hidden. */
  readonly minUsers: number;
}

/** Memory limits for a whole topic; Infinity sets no limit. */
export interface SampleLimits {
  /** Interactions of the longest window. */
  readonly rows: number;
  /** Items of the lists within the attribution ttl. */
  readonly listEntries: number;
  /** Users with an interaction within the popularity horizon. */
  readonly users: number;
  /** Requests of the longest window; unlimited by default. */
  readonly requests?: number | undefined;
}

/** Everything that numbers depend on beside the log. All times are event time, in ms. */
export interface MonitorOptions extends FeatureOptions {
  /** Length of a pane; windows are multiples of it. */
  readonly tickMs: number;
  readonly windows: readonly WindowOptions[];
  /** Number of panes between computations during a backlog; 1 by default. */
  readonly backlogPanes?: number | undefined;
  /** Keys of users' pseudonyms, by the time from which they are valid. */
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
    /** A fixed exponent, the fitted one, or the one best supported by the data. */
    readonly use: number | 'fit' | 'auto';
    /** Which fit to use. */
    readonly fit: GammaFitName;
    /** γ before the first usable fit. */
    readonly default: number;
    readonly periodMs: number;
  };
  /** Configured size of the catalogue; undefined means the number of items seen. */
  readonly catalogueSize: number | undefined;
  /** Maximum number of evaluated models; lists of others are dropped and counted. */
  readonly maxModels: number;
  readonly ids?: {
    /** Maximum number of known items; events with further items are rejected. */
    readonly maxItems?: number;
    /**
     * Unreferenced ids are swept from a table with more than `sweepFrom` (4096) ids, and `growth`
     * (2) times as many as the last sweep left.
     */
    readonly sweepFrom?: number;
    readonly growth?: number;
  };
  /** Built-in model evaluated beside the others. */
  readonly baseline: Baseline;
  readonly estimates: Omit<EstimateOptions, 'gamma' | 'gammaStdErr' | 'catalogueSize'>;
  /** Segment options; undefined means no segments. */
  readonly segments?: SegmentOptions | undefined;
  /** Limits above which users are sampled; undefined means no limits. */
  readonly limits?: SampleLimits | undefined;
}

/** Values to assume for settings that are missing from a checkpoint of version 1. */
export const UNSTATED_SETTINGS = {
  'popularity.randomized': 'count',
  'popularity.caused': 'count',
  'popularity.userCap': 0,
  'estimates.feedback': 'ignore',
  'events.actions': 'worth 1 each',
} as const;

/** Rewards of actions, including the rewarded action of a test. */
export function actionWorths(
  options: Pick<MonitorOptions, 'actions'> & FeatureOptions,
): ActionWorths {
  return new ActionWorths(options.actions ?? {}, experimentAsked(options)?.earning?.action);
}

/** By action code plus one: 1 if such an event's value is its reward. */
export function earningValues(
  options: Pick<MonitorOptions, 'actions'> & FeatureOptions,
): Uint8Array | undefined {
  if (experimentAsked(options)?.earning?.by !== 'value') return undefined;
  const worths = actionWorths(options);
  return Uint8Array.from(worths.byCode(), (_, place) => Number(place - 1 === worths.earning));
}

/** Recorder options of the A/B test. */
export function testRecorded(options: MonitorOptions): PartitionOptions['experiment'] {
  const asked = experimentAsked(options);
  return (
    asked && {
      worths: actionWorths(options),
      earning: asked.earning,
    }
  );
}

/** Whether rows must record the shown list that led to them. */
export function followsCauses({ estimates }: Pick<MonitorOptions, 'estimates'>): boolean {
  return isFollowed(estimates);
}

/** Partition options if causes are determined. */
export function causesFollowed(
  options: Pick<MonitorOptions, 'estimates' | 'actions'> & FeatureOptions,
): Pick<PartitionOptions, 'followsCauses' | 'worths'> {
  if (!followsCauses(options)) return { followsCauses: false };
  return {
    followsCauses: true,
    worths: actionWorths(options),
  };
}

/** Partition options of joining requests. */
export function requestsJoined(options: MonitorOptions): PartitionOptions['requests'] {
  const joined = joinedRequests(options);
  return (
    joined && {
      ...joined,
      worths: actionWorths(options),
    }
  );
}

/** Pseudonyms of users; undefined means user ids. */
export function pseudonymsOf({
  pseudonyms,
}: Pick<MonitorOptions, 'pseudonyms'>): Pseudonyms | undefined {
  return pseudonyms && new Pseudonyms(pseudonyms);
}

/** Time of the last change of pseudonyms, if a window still contains older rows or lists. */
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

/** Options of the popularity counts. */
export function popularityOptions(options: MonitorOptions): PopularityOptions {
  return {
    ...options.popularity,
    paneMs: options.tickMs,
    gammaPeriodMs: options.gamma.periodMs,
    windowsMs: options.windows.map(({ ms }) => ms),
  };
}
