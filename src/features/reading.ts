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

/** By what models are watched. */
export interface Watched {
  /** The metric of estimates; undefined: models are not watched by their estimates. */
  readonly metric:
    | {
        readonly metric: Metric;
        readonly k: number | null;
      }
    | undefined;
  /** The same of predicted ratings; undefined: they are not watched. */
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
  /** Model that it is about; null for all traffic. */
  readonly model: string | null;
  /** Why no alarm may rest on this pane; null where nothing speaks against it. */
  readonly reason: string | null;
}

/** A reading of a number. */
export interface LevelReading extends SeriesReading {
  readonly kind: 'level';
  readonly value: number;
  /** In inverse proportion to the value's variance: 1/SE², or a number of events or users. */
  readonly weight: number;
  /** Whether the weight is a number of events and the value depends on how many there are. */
  readonly dependsOnVolume: boolean;
  /** Whether it is another number under another γ. */
  readonly restsOnGamma?: boolean;
}

/** What a window says to the detectors of change. */
export type ReadingsOf = (
  snapshot: Snapshot,
  window: WindowSnapshot,
  watched: Watched,
) => LevelReading[];

export type WeightOf = (row: Pick<EstimateRow, 'ess' | 'stdErr'>) => number;

/** What a value counts against others of its series. */
export function weightOf(standardisation: Watched['standardisation']): WeightOf {
  return standardisation === 'ranks'
    ? ({ ess }) => ess
    : ({ stdErr }) => (stdErr > 0 ? stdErr ** -2 : 0);
}

/** Why no alarm may rest on so few; null where one may. */
export function tooFewUsers({ ess }: Pick<EstimateRow, 'ess'>): string | null {
  return ess >= FEW_USERS ? null : `effective sample size ${ess.toFixed(1)} is below ${FEW_USERS}`;
}
