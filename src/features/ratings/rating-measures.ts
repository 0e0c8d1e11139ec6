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

/** Kind of rows that a measure uses: rows with a prediction of the model. */
export const PREDICTED = 0;
/** Kind of rows that a measure uses: rows with a list of the model. */
export const LISTED = 1;

/** A range of rows, from ≤ r < to. */
interface RowRange {
  readonly from: number;
  readonly to: number;
}

/**
 * A rating metric with its cut-off k (null without one), and how to compute δ, the value of the
 * metric for a single row.
 */
export interface RatingMeasure {
  readonly metric: RatingMetric;
  readonly k: number | null;
  readonly rows: typeof PREDICTED | typeof LISTED;
  /** Whether the value is the square root of the mean of δ, as for rmse. */
  readonly isRoot: boolean;
  /** Upper bound of δ; Infinity if there is none. */
  readonly most: number;
  /** Index of the first measure with the same δ: its own index or an earlier one. */
  readonly sameAs: number;
  /**
   * Write δ of a model's rows into `deltas`, from index 0; NaN for a row that the measure does not
   * use.
   */
  fill(deltas: Float64Array, ratings: WeighedRatings, model: number, rows: RowRange): void;
}

/**
 * The measures of the configured metrics, in their order. A metric without a cut-off precedes its
 * versions with cut-offs.
 */
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

/**
 * Rank (from 0) of a row's item in a model's list; Infinity if the list lacks the item, NaN without
 * a list.
 */
export function rankIn({ ranks }: Pick<RatedPart, 'ranks'>, model: number, row: number): number {
  const rank = ranks[model][row];
  if (rank === UNRANKED) return Number.NaN;
  return rank === NOT_IN_LIST ? Number.POSITIVE_INFINITY : rank;
}
