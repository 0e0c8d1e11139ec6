import type { RatingMetric } from '../estimators/metrics/rating-metrics.js';
import type { EstimatorName, Metric } from '../estimators/names.js';
import type { EstimateRow } from '../estimators/results/estimate.js';
import { FEW_USERS } from '../estimators/uncertainty/effective-sample-size.js';
import type { Snapshot, WindowSnapshot } from '../stream/tick/snapshot.js';

/**
 * How the values of a series are made comparable: `levels`, as normal scores with weights 1/SE²;
 * `ranks`, by their ranks among the series' own panes, weighted by effective sample size.
 */
export const STANDARDISATIONS = ['levels', 'ranks'] as const;
export type Standardisation = (typeof STANDARDISATIONS)[number];

/** What the detectors monitor models by. */
export interface Watched {
  /** The monitored metric of estimates; undefined: estimates are not monitored. */
  readonly metric:
    | {
        readonly metric: Metric;
        readonly k: number | null;
      }
    | undefined;
  /** The monitored metric of ratings; undefined: ratings are not monitored. */
  readonly ratings?:
    | {
        readonly metric: RatingMetric;
        readonly k: number | null;
      }
    | undefined;
  readonly estimators: readonly EstimatorName[];
  /** `levels` by default. */
  readonly standardisation?: Standardisation;
}

/** A pane's reading of one series. */
export interface SeriesReading {
  /** Unique; kind first, model last: `gini/exposures/blend`. */
  readonly series: string;
  /** Model of the series; null for all traffic. */
  readonly model: string | null;
  /** Why this pane cannot raise an alarm; null if it can. */
  readonly reason: string | null;
}

/** A reading with a single value. */
export interface LevelReading extends SeriesReading {
  readonly kind: 'level';
  readonly value: number;
  /**
   * Weight, inversely proportional to the value's variance: 1/SE², or a number of events or users.
   */
  readonly weight: number;
  /** Whether the weight is a number of events and the value depends on how many there are. */
  readonly dependsOnVolume: boolean;
  /** Whether the value depends on γ. */
  readonly restsOnGamma?: boolean;
}

/** Compute the readings of a window for the change detectors. */
export type ReadingsOf = (
  snapshot: Snapshot,
  window: WindowSnapshot,
  watched: Watched,
) => LevelReading[];

export type WeightOf = (row: Pick<EstimateRow, 'ess' | 'stdErr'>) => number;

/** Weight of a value among those of its series: ESS for `ranks`, otherwise 1/SE². */
export function weightOf(standardisation: Watched['standardisation']): WeightOf {
  return standardisation === 'ranks'
    ? ({ ess }) => ess
    : ({ stdErr }) => (stdErr > 0 ? stdErr ** -2 : 0);
}

/** Why a value with few effective users cannot raise an alarm; null if it can. */
export function tooFewUsers({ ess }: Pick<EstimateRow, 'ess'>): string | null {
  return ess >= FEW_USERS ? null : `effective sample size ${ess.toFixed(1)} is below ${FEW_USERS}`;
}
