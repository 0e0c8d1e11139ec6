import { type RatingMetric, ratingMetricOf } from '../../estimators/metrics/rating-metrics.js';
import { NOT_IN_LIST, type RatedPart, UNRANKED } from '../../state/panes/window-part.js';
import type { RatingOptions } from './rating-options.js';
import type { WeighedPart } from './weighed-part.js';

/** Which rows of a model a measure takes: those with a prediction, or those with a list. */
export const PREDICTED = 0;
export const LISTED = 1;

/** A metric, at a cut-off if it has any. */
export interface RatingMeasure {
  readonly metric: RatingMetric;
  readonly k: number | null;
  readonly rows: typeof PREDICTED | typeof LISTED;
  readonly isRoot: boolean;
  readonly most: number;
  /** Place among the measures of the first one that has the same δ: its own, or an earlier one. */
  readonly sameAs: number;
  /** δ of a model's rows from ≤ r < to, into `deltas` from 0 on; NaN for a row that is not taken. */
  fill(deltas: Float64Array, rows: WeighedPart, model: number, from: number, to: number): void;
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
    const cuts = entry.kind === 'prediction' ? [null] : [...(entry.isUncut ? [null] : []), ...ks];
    for (const k of cuts) {
      const context = { scale, items, k: k ?? Number.POSITIVE_INFINITY };
      const same = entry.kind === 'prediction' ? deltas.indexOf(entry.delta) : -1;
      deltas.push(entry.delta);
      measures.push({
        metric,
        k,
        most: entry.most,
        isRoot: entry.isRoot ?? false,
        rows: entry.kind === 'prediction' ? PREDICTED : LISTED,
        sameAs: same < 0 ? measures.length : same,
        fill:
          entry.kind === 'prediction'
            ? (into, { part: { rating, scores }, place }, model, from, to) =>
                entry.fill(into, { rating, place }, scores[model], from, to, context)
            : (into, { part }, model, from, to) => {
                for (let r = from; r < to; r++) {
                  const rank = rankIn(part, model, r);
                  into[r - from] = Number.isNaN(rank)
                    ? rank
                    : entry.delta(part.rating[r], rank, context);
                }
              },
      });
    }
  }
  return measures;
}

/** Infinity beyond the list; NaN without one. */
export function rankIn(part: RatedPart, model: number, row: number): number {
  const rank = part.ranks[model][row];
  if (rank === UNRANKED) return Number.NaN;
  return rank === NOT_IN_LIST ? Number.POSITIVE_INFINITY : rank;
}
