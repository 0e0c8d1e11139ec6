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
