import type { ValueDifferenceRow } from '../../src/estimators/value/comparison/value-differences.js';
import type { ValueRow } from '../../src/estimators/value/window/value-row.js';

/** What a model's lists are worth: 1.5 ± 0.25 by all arms, with nothing against it. */
export function valueRowOf(own: Partial<ValueRow> = {}): ValueRow {
  return {
    ...{ model: 'a', metric: 'value', k: null, estimator: 'arms_snips', aggregation: 'request' },
    ...{ value: 1.5, stdErr: 0.25, lower: 1, upper: 2, bound: Number.NaN, coverage: 1 },
    ...{ requests: 100, ess: 40, withheld: null, isRefused: false, decides: true, reasons: [] },
    ...own,
  };
}

/** How much more a model's lists are worth than `b`'s: 1 ± 0.25, proved. */
export function valueDifferenceOf(own: Partial<ValueDifferenceRow> = {}): ValueDifferenceRow {
  return {
    ...{ model: 'a', reference: 'b', metric: 'value', k: null, aggregation: 'request' },
    ...{ estimator: 'arms_snips', referenceEstimator: 'on_policy', value: 1, stdErr: 0.25 },
    ...{ lower: 0.5, upper: 1.5, ess: 40, withheld: null, decides: true, proved: 'better' },
    ...own,
  };
}
