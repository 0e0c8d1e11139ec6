import { AGGREGATIONS, type Aggregation, type EstimatorName, type Metric } from './estimate.js';

/** What a number of a window is called by. */
export interface Named {
  readonly model: string;
  readonly estimator: EstimatorName;
  readonly metric?: Metric;
  readonly k?: number | null;
  readonly aggregation?: Aggregation;
}

/**
 * Numbers from two passes in one order: by model, metric, estimator and aggregation, the metrics as
 * they come first.
 *
 * @param models,estimators in their order.
 */
export function mergedOrder<T extends Named>(
  first: readonly T[],
  second: readonly T[],
  models: readonly string[],
  estimators: readonly EstimatorName[],
): readonly T[] {
  if (second.length === 0) return first;
  const all = [...first, ...second];
  const metrics = [...new Set(all.map(metricOf))];
  return all.sort(
    (a, b) =>
      models.indexOf(a.model) - models.indexOf(b.model) ||
      metrics.indexOf(metricOf(a)) - metrics.indexOf(metricOf(b)) ||
      estimators.indexOf(a.estimator) - estimators.indexOf(b.estimator) ||
      AGGREGATIONS.indexOf(a.aggregation ?? 'user') - AGGREGATIONS.indexOf(b.aggregation ?? 'user'),
  );
}

function metricOf({ metric, k }: Named): string {
  return `${metric} ${k}`;
}
