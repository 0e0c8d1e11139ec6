import type { ValueDifferenceRow } from '../../src/estimators/value/comparison/value-differences.js';

/** A difference of two arms that proves nothing, with what a test changes. */
export function valueDifferenceRow(more: Partial<ValueDifferenceRow> = {}): ValueDifferenceRow {
  return {
    ...{ model: 'b', reference: 'a', metric: 'value', k: null, aggregation: 'request' },
    ...{ estimator: 'on_policy', referenceEstimator: 'on_policy', withheld: null },
    ...{ value: -0.5, stdErr: 0.1, lower: -0.7, upper: -0.3, ess: 40 },
    ...{ decides: true, proved: null },
    ...more,
  };
}
