import type { RatingMetric } from '../estimators/metrics/rating-metrics.js';
import type { EstimatorName, Metric } from '../estimators/names.js';
import type { EstimateRow } from '../estimators/results/estimate.js';
import { FEW_USERS } from '../estimators/uncertainty/effective-sample-size.js';
import type { Snapshot, WindowSnapshot } from '../stream/tick/snapshot.js';

/**
 * How the values of a series are made comparable: `levels` uses normal scores with weights 1/SE²;
 * `ranks` uses the rank of a value among the values of its own series, weighted by effective sample
 * size.
 */
export const STANDARDISATIONS = ['levels', 'ranks'] as const;
export type Standardisation = (typeof STANDARDISATIONS)[number];

/** Which metrics and estimators of models the change detectors monitor. */
export interface Watched {
  /** The monitored metric of estimates; undefined means that no estimates are monitored. */
  readonly metric:
    | {
        readonly metric: Metric;
        readonly k: number | null;
      }
    | undefined;
  /** The monitored rating metric; undefined means that no ratings are monitored. */
  readonly ratings?:
    | {
        readonly metric: RatingMetric;
        readonly k: number | null;
      }
    | undefined;
  readonly estimators: readonly EstimatorName[];
  /** How values are standardised; `levels` by default. */
  readonly standardisation?: Standardisation;
}

/** The reading of one series in one drift window (pane). */
export interface SeriesReading {
  /** Name of the series; unique, with the kind first and the model last: `gini/exposures/blend`. */
  readonly series: string;
  /** Model of the series; null for all traffic. */
  readonly model: string | null;
  /** Reason for which this pane cannot raise an alarm; null if there is none. */
  readonly reason: string | null;
}

/** A reading of a single number. */
export interface LevelReading extends SeriesReading {
  readonly kind: 'level';
  readonly value: number;
  /**
   * Weight, inversely proportional to the value's variance: 1/SE², or a number of events or users.
   */
  readonly weight: number;
  /**
   * Whether the weight is a number of events on which the value itself depends, as the Gini index
   * does.
   */
  readonly dependsOnVolume: boolean;
  /** Whether the value depends on γ. */
  readonly restsOnGamma?: boolean;
}

/** Computes readings of a window for the change detectors. */
export type ReadingsOf = (
  snapshot: Snapshot,
  window: WindowSnapshot,
  watched: Watched,
) => LevelReading[];

/** Computes the weight of a row's value among those of its series. */
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
