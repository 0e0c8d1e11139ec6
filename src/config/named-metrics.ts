import { ratingMeasures } from '../estimators/metrics/rating-measure-names.js';
import { isRatingMetric, type RatingMetric } from '../estimators/metrics/rating-metrics.js';
import type { Metric } from '../estimators/names.js';
import type { Report } from './key.js';

/** Value of `drift.metric` or `decision.metric` for no metric at all. */
export const NO_METRIC = 'none';

/**
 * The metrics that `drift.metric` or `decision.metric` names: at most one metric of lists (`gain`)
 * and at most one of predicted ratings (`rating`).
 */
interface NamedMetrics {
  readonly gain?: string | undefined;
  readonly rating?: string | undefined;
}

/** Parse comma-separated names into at most one metric of lists and at most one of ratings. */
export function metricsNamed(written: string): NamedMetrics {
  const names = metricNames(written).filter((name) => name !== NO_METRIC);
  return {
    gain: names.find((name) => !isOfRatings(name)),
    rating: names.find(isOfRatings),
  };
}

function metricNames(written: string): string[] {
  return written.split(',').map((name) => name.trim());
}

function isOfRatings(name: string): boolean {
  return isRatingMetric(name.split('@', 1)[0] as Metric | RatingMetric);
}

/**
 * Write the named metrics as text. If no metric of lists is named, its default from `otherwise` is
 * added, and likewise for ratings. Nothing is added if `none` is among the names.
 */
export function completeMetric(written: string | undefined, otherwise: NamedMetrics): string {
  const { gain, rating } = metricsNamed(written ?? NO_METRIC);
  const isClosed = written !== undefined && metricNames(written).includes(NO_METRIC);
  const all = isClosed ? [gain, rating] : [gain ?? otherwise.gain, rating ?? otherwise.rating];
  return all.filter((name) => name !== undefined).join(',') || NO_METRIC;
}

/** Check that each named metric is known, and that at most one of each kind is named. */
export function checkMetric(
  path: string,
  written: string | undefined,
  gains: readonly string[],
  {
    metrics,
    ks,
  }: {
    readonly metrics: readonly (Metric | RatingMetric)[];
    readonly ks: readonly number[];
  },
  fault: Report,
): void {
  if (written === undefined) return;
  const known = [...gains, ...ratingMeasures(metrics, ks), NO_METRIC];
  const names = metricNames(written);
  const { gain, rating } = metricsNamed(written);
  const isOnce = (name: string) => name === gain || name === rating || name === NO_METRIC;
  for (const [n, name] of names.entries()) {
    if (!known.includes(name)) {
      fault(path, `expected one of ${known.join(', ')}, found ${name}`);
    } else if (!isOnce(name) || names.indexOf(name) < n) {
      fault(path, `expected at most one list metric and one rating metric, found ${written}`);
      return;
    }
  }
}

/**
 * Parse the metric of lists and its cut-off k; null without a cut-off. Returns undefined if none is
 * named.
 */
export function gainNamed(written: string):
  | {
      metric: Metric;
      k: number | null;
    }
  | undefined {
  const { gain } = metricsNamed(written);
  if (gain === undefined) return undefined;
  const [metric, k] = gain.split('@');
  return {
    metric: metric as Metric,
    k: k === undefined ? null : Number(k),
  };
}
