import { isRatingMetric, type RatingMetric, ratingMetricOf } from './rating-metrics.js';

/** Names of the rating metrics among `metrics`, at each cut-off they have, e.g. `cg@10`. */
export function ratingMeasures(metrics: readonly string[], ks: readonly number[]): string[] {
  return metrics.filter(isRatingMetric).flatMap((metric: RatingMetric) => {
    const entry = ratingMetricOf(metric);
    if (entry.kind === 'prediction') return [metric];
    const cut = ks.map((k) => `${metric}@${k}`);
    return entry.isUncut ? [...cut, metric] : cut;
  });
}
