import { measures } from '../metrics/metric-gain.js';
import { AGGREGATIONS, type Aggregation, type EstimatorName, type Metric } from '../names.js';
import type { EstimateOptions } from '../options.js';

/** What a number of a window is called by. */
export interface Named {
  readonly model: string;
  readonly estimator: EstimatorName;
  readonly metric?: Metric;
  readonly k?: number | null;
  readonly form?: Aggregation;
}

/**
 * Numbers that were computed apart, in the order in which they would stand had they been computed
 * together: by model, metric, estimator and aggregation.
 *
 * @param models in their order. @param options what was asked for, the estimators in their order.
 */
export function mergedOrder<T extends Named>(
  shares: readonly (readonly T[])[],
  models: readonly string[],
  { metrics, ks, estimators }: Pick<EstimateOptions, 'metrics' | 'ks' | 'estimators'>,
): T[] {
  const places = new Map(measures(metrics, ks).map((measure, n) => [nameOf(measure), n]));
  const placeOf = (number: Named) => places.get(nameOf(number)) ?? 0;
  return shares
    .flat()
    .sort(
      (a, b) =>
        models.indexOf(a.model) - models.indexOf(b.model) ||
        placeOf(a) - placeOf(b) ||
        estimators.indexOf(a.estimator) - estimators.indexOf(b.estimator) ||
        AGGREGATIONS.indexOf(a.form ?? 'user') - AGGREGATIONS.indexOf(b.form ?? 'user'),
    );
}

function nameOf({ metric, k }: { metric?: Metric; k?: number | null }): string {
  return `${metric} ${k}`;
}
