import { PROVED, VALUE_OUTCOMES, v1Identity, v1Interval } from '../../outputs/json/v1-row.js';
import type { V1Value, V1ValueDifference } from '../../outputs/json/v1-schema.js';
import { isDecisive, reasonOf } from '../../rows/reading.js';
import { VALUE_REMEDIES } from './reasons.js';
import type { ValueDifferenceRow } from './value-differences.js';
import type { ValueRow } from './value-row.js';

/** Convert a value to version 1 of the JSON. */
export function v1Value(row: ValueRow): Readonly<V1Value> {
  const { more, counts, ess, status, reasons } = row;
  return {
    ...v1Identity(row),
    ...v1Interval(row),
    bound: more.bound,
    coverage: more.coverage,
    requests: counts.requests,
    ess,
    withheld: reasonOf(row),
    isRefused: status === 'refused',
    decides: isDecisive(row),
    reasons: reasons.map(({ code, consequence, figures }) => ({
      code,
      consequence: VALUE_OUTCOMES[consequence],
      figures: { ...figures },
      remedy: VALUE_REMEDIES[code],
    })),
  };
}

export function v1ValueDifference(row: ValueDifferenceRow): Readonly<V1ValueDifference> {
  const { reference, referenceEstimator, ess, more } = row;
  const { model, metric, k, estimator, aggregation } = v1Identity(row);
  return {
    model,
    reference,
    metric,
    k,
    estimator,
    referenceEstimator,
    aggregation,
    value: row.value,
    stdErr: row.stdErr,
    ess,
    lower: row.lower,
    upper: row.upper,
    withheld: reasonOf(row),
    decides: isDecisive(row),
    proved: PROVED[Math.sign(more.proved) + 1],
  };
}
