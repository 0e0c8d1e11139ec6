import { isGiven } from '../../rows/reading.js';
import type { Aggregation, EstimatorName, Metric } from '../names.js';
import type { EstimateRow } from '../results/estimate.js';

/** A model's estimate minus the baseline model's, under the same estimator. */
export interface BaselineDifference {
  readonly model: string;
  readonly metric: Metric;
  readonly k: number | null;
  readonly estimator: EstimatorName;
  readonly aggregation: Aggregation;
  /** Value of the model minus that of the baseline; positive if the model is better. */
  readonly difference: number;
}

/**
 * Subtract the baseline's estimates from every model's, in the order of the results; withheld
 * estimates have no difference.
 *
 * @returns no difference where the baseline has no value, e.g. auc in a large catalogue.
 */
export function againstBaseline(
  results: readonly EstimateRow[],
  baseline: string,
): BaselineDifference[] {
  const keyOf = ({ metric, k, estimator, form }: EstimateRow) =>
    `${metric} ${k} ${estimator} ${form}`;
  const values = new Map<string, number>();
  const given = results.filter(isGiven);
  for (const row of given) {
    if (row.model === baseline) {
      values.set(keyOf(row), row.value);
    }
  }
  return given.flatMap((row) => {
    const other = values.get(keyOf(row));
    if (row.model === baseline || other === undefined) return [];
    const { model, metric, k, estimator, form: aggregation, value } = row;
    return [
      {
        model,
        metric,
        k,
        estimator,
        aggregation,
        difference: value - other,
      },
    ];
  });
}
