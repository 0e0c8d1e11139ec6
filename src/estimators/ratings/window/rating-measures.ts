import { type RatingMetric, ratingMetricOf } from '../../../gains/rating-metrics.js';
import type { RatedPart } from '../../../state/panes/ratings/rated-part.js';
import { NOT_IN_LIST, UNRANKED } from '../../../state/panes/window-part.js';
import type { RatingOptions } from './rating-options.js';

/** Which rows of a model a measure takes: those with a prediction, or those with a list. */
export const PREDICTED = 0;
export const LISTED = 1;
export const ROW_KINDS = 2;

/** A metric, at a cut-off if it has any. */
export interface RatingMeasure {
  readonly metric: RatingMetric;
  readonly k: number | null;
  readonly rows: typeof PREDICTED | typeof LISTED;
  readonly isRoot: boolean;
  readonly most: number;
  /** δ of a rating and a prediction or a rank. */
  delta(rating: number, of: number): number;
}

/** The measures that are asked for, metrics in their order, uncut first. */
export function ratingMeasures(
  { metrics, ks, scale }: Pick<RatingOptions, 'metrics' | 'ks' | 'scale'>,
  items: number,
): RatingMeasure[] {
  return metrics.flatMap((metric) => {
    const entry = ratingMetricOf(metric);
    const cuts = entry.kind === 'prediction' ? [null] : [...(entry.isUncut ? [null] : []), ...ks];
    return cuts.map((k) => {
      const context = { scale, items, k: k ?? Number.POSITIVE_INFINITY };
      return {
        ...{ metric, k, most: entry.most, isRoot: entry.isRoot ?? false },
        rows: entry.kind === 'prediction' ? PREDICTED : LISTED,
        delta: (rating, of) => entry.delta(rating, of, context),
      } satisfies RatingMeasure;
    });
  });
}

/** What δ looks at beside the rating; NaN if the row is not taken. */
export function lookedAt(part: RatedPart, model: number, row: number, rows: number): number {
  if (rows === PREDICTED) return part.scores[model][row];
  const rank = part.ranks[model][row];
  if (rank === UNRANKED) return Number.NaN;
  return rank === NOT_IN_LIST ? Number.POSITIVE_INFINITY : rank;
}
