import { NO_REASONS } from '../../rows/reading.js';
import type { Row } from '../../rows/row.js';
import type { JudgedValue } from './judged-value.js';
import type { ValueReason } from './reasons.js';
import type { ValueEstimatorName } from './value-estimate.js';

/** Expected reward per request of a model in a window; NaN if refused. */
export type ValueRow = Omit<Row, 'reasons'> & {
  readonly metric: 'value';
  readonly k: null;
  readonly estimator: ValueEstimatorName;
  readonly form: 'request';
  /** Number of requests; `ess` is their effective number of rewards. */
  readonly counts: { readonly requests: number };
  readonly more: {
    /** Upper bound of the value of whole lists; NaN if no largest reward is configured. */
    readonly bound: number;
    /** Share of the model's examined positions whose items some arm shows. */
    readonly coverage: number;
  };
  readonly reasons: readonly ValueReason[];
};

export function valueRow(judged: JudgedValue): ValueRow {
  const { model, estimator, value, stdErr, lower, upper, bound, coverage, requests, ess } = judged;
  const { reasons } = judged;
  return {
    family: 'values',
    model,
    metric: 'value',
    k: null,
    estimator,
    form: 'request',
    value,
    stdErr,
    lower,
    upper,
    ess,
    counts: { requests },
    status: statusOf(judged),
    reasons: reasons.length === 0 ? NO_REASONS : reasons,
    more: { bound, coverage },
  };
}

function statusOf({ isRefused, reasons }: JudgedValue): Row['status'] {
  if (isRefused) return 'refused';
  return reasons.some(({ consequence }) => consequence === 'bound') ? 'bound' : 'given';
}
