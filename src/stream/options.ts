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

/** A window over which results are computed. */
export interface WindowOptions {
  /** Name as configured, such as `1h`. */
  readonly name: string;
  /** Length of the window, ms. */
  readonly ms: number;
  /** Interval at which the window is computed, ms; undefined means at every pane. */
  readonly everyMs?: number;
}

/** Options of estimates by segment. */
export interface SegmentOptions {
  readonly dimensions: readonly SegmentDimension[];
  /** Dimensions computed from the data, which need no field of events. */
  readonly builtIn: readonly BuiltInDimension[];
  /**
   * Maximum number of reported values of a dimension. The values with the most rows are reported,
   * and all others are merged.
   */
  readonly values: number;
  /** Effective number of users below which a value is not reported. */
  readonly minUsers: number;
}

/** Memory limits over all partitions. Users are sampled above them; Infinity sets no limit. */
export interface SampleLimits {
  /** Maximum number of interactions in the longest window. */
  readonly rows: number;
  /** Maximum number of items in the lists within `attribution.ttl`. */
  readonly listEntries: number;
  /** Maximum number of users with an interaction within the popularity horizon. */
  readonly users: number;
  /** Maximum number of requests in the longest window; unlimited by default. */
  readonly requests?: number | undefined;
}

/** All settings that the results depend on beside the log. All times are event time, in ms. */
export interface MonitorOptions extends FeatureOptions {
  /** Length of a pane; windows are multiples of it. */
  readonly tickMs: number;
  readonly windows: readonly WindowOptions[];
  /** Number of panes between computations while processing a backlog; 1 by default. */
  readonly backlogPanes?: number | undefined;
  /** Keys of users' pseudonyms, by the time from which they are valid. */
  readonly pseudonyms?: readonly PseudonymKey[] | undefined;
  /** How far an event may be behind the newest event of its partition and still be evaluated. */
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
    /**
     * How γ, the exponent of presentation bias, is chosen: a fixed value, the latest fit (`fit`),
     * or the value best supported by all evidence in the data (`auto`).
     */
    readonly use: number | 'fit' | 'auto';
    /** Method of fitting γ. */
    readonly fit: GammaFitName;
    /** γ used before the first usable fit. */
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
     * A table is swept of unreferenced ids when it has more than `sweepFrom` ids (4096 by default)
     * and more than `growth` times as many as its last sweep left (2 by default).
     */
    readonly sweepFrom?: number;
    readonly growth?: number;
  };
  /** Built-in model that is evaluated like the logged ones, as a baseline. */
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

/** Rewards of actions, including the action that the A/B test rewards. */
export function actionWorths(
  options: Pick<MonitorOptions, 'actions'> & FeatureOptions,
): ActionWorths {
  return new ActionWorths(options.actions ?? {}, experimentAsked(options)?.earning?.action);
}

/**
 * For each action code plus one: 1 if the A/B test takes the value of an event with that action as
 * its reward, otherwise 0. Undefined if the A/B test does not take rewards from values.
 */
export function earningValues(
  options: Pick<MonitorOptions, 'actions'> & FeatureOptions,
): Uint8Array | undefined {
  if (experimentAsked(options)?.earning?.by !== 'value') return undefined;
  const worths = actionWorths(options);
  return Uint8Array.from(worths.byCode(), (_, place) => Number(place - 1 === worths.earning));
}

/** Partition options for recording the rewards of the A/B test; undefined without a test. */
export function testRecorded(options: MonitorOptions): PartitionOptions['experiment'] {
  const asked = experimentAsked(options);
  return (
    asked && {
      worths: actionWorths(options),
      earning: asked.earning,
      isRecorded: true,
    }
  );
}

/** Whether each row must store which shown list led to its interaction. */
export function followsCauses({ estimates }: Pick<MonitorOptions, 'estimates'>): boolean {
  return isFollowed(estimates);
}

/** Partition options for tracing interactions to the lists that led to them. */
export function causesFollowed(
  options: Pick<MonitorOptions, 'estimates' | 'actions'> & FeatureOptions,
): Pick<PartitionOptions, 'followsCauses' | 'worths'> {
  if (!followsCauses(options)) return { followsCauses: false };
  return {
    followsCauses: true,
    worths: actionWorths(options),
  };
}

/**
 * Partition options for joining requests with their rewards; undefined if no feature needs
 * requests.
 */
export function requestsJoined(options: MonitorOptions): PartitionOptions['requests'] {
  const joined = joinedRequests(options);
  return (
    joined && {
      ...joined,
      worths: actionWorths(options),
    }
  );
}

/** Pseudonyms that replace user ids; undefined means that user ids are used as they are. */
export function pseudonymsOf({
  pseudonyms,
}: Pick<MonitorOptions, 'pseudonyms'>): Pseudonyms | undefined {
  return pseudonyms && new Pseudonyms(pseudonyms);
}

/**
 * Time at which users last got new pseudonyms, if the window still uses rows or lists from before
 * that time.
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

/** Options of the popularity counts. */
export function popularityOptions(options: MonitorOptions): PopularityOptions {
  return {
    ...options.popularity,
    paneMs: options.tickMs,
    gammaPeriodMs: options.gamma.periodMs,
    windowsMs: options.windows.map(({ ms }) => ms),
  };
}
