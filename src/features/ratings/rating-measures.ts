import {
  type PredictionMetric,
  type RankedRatingMetric,
  type RatingMeasureContext,
  type RatingMetric,
  ratingMetricOf,
} from '../../estimators/metrics/rating-metrics.js';
import { NOT_IN_LIST, type RatedPart, UNRANKED } from '../../state/panes/window-part.js';
import type { RatingOptions } from './rating-options.js';
import type { WeighedRatings } from './weighed-ratings.js';

/** Which rows of a model a measure takes: those with a prediction, or those with a list. */
export const PREDICTED = 0;
export const LISTED = 1;

/** Rows from ≤ r < to. */
interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** A metric, at a cut-off if it has any. */
export interface RatingMeasure {
  readonly metric: RatingMetric;
  readonly k: number | null;
  readonly rows: typeof PREDICTED | typeof LISTED;
  readonly isRoot: boolean;
  readonly most: number;
  /** Place among the measures of the first one that has the same δ: its own, or an earlier one. */
  readonly sameAs: number;
  /** δ of a model's rows, into `deltas` from 0 on; NaN for a row that is not taken. */
  fill(deltas: Float64Array, ratings: WeighedRatings, model: number, rows: RowRange): void;
}

/** The measures that are asked for, metrics in their order, uncut first. */
export function ratingMeasures(
  { metrics, ks, scale }: Pick<RatingOptions, 'metrics' | 'ks' | 'scale'>,
  items: number,
): RatingMeasure[] {
  const measures: RatingMeasure[] = [];
  const deltas: unknown[] = [];
  for (const metric of metrics) {
    const entry = ratingMetricOf(metric);
    const isPrediction = entry.kind === 'prediction';
    const cuts = isPrediction ? [null] : [...(entry.isUncut ? [null] : []), ...ks];
    for (const k of cuts) {
      const context = {
        scale,
        items,
        k: k ?? Number.POSITIVE_INFINITY,
      };
      const same = isPrediction ? deltas.indexOf(entry.delta) : -1;
      deltas.push(entry.delta);
      measures.push({
        metric,
        k,
        most: entry.most,
        isRoot: entry.isRoot ?? false,
        rows: isPrediction ? PREDICTED : LISTED,
        sameAs: same < 0 ? measures.length : same,
        fill: isPrediction ? ofPrediction(entry, context) : ofRank(entry, context),
      });
    }
  }
  return measures;
}

function ofPrediction(
  metric: PredictionMetric,
  context: RatingMeasureContext,
): RatingMeasure['fill'] {
  return (deltas, { rated: { rating, scores }, place }, model, { from, to }) =>
    metric.fill(deltas, { rating, place }, scores[model], from, to, context);
}

function ofRank(metric: RankedRatingMetric, context: RatingMeasureContext): RatingMeasure['fill'] {
  return (deltas, { rated }, model, { from, to }) => {
    for (let r = from; r < to; r++) {
      const rank = rankIn(rated, model, r);
      const isListed = !Number.isNaN(rank);
      deltas[r - from] = isListed ? metric.delta(rated.rating[r], rank, context) : Number.NaN;
    }
  };
}

/** Infinity beyond the list; NaN without one. */
export function rankIn({ ranks }: Pick<RatedPart, 'ranks'>, model: number, row: number): number {
  const rank = ranks[model][row];
  if (rank === UNRANKED) return Number.NaN;
  return rank === NOT_IN_LIST ? Number.POSITIVE_INFINITY : rank;
}
