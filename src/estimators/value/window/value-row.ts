import type { JudgedValue } from '../judgement/judged-value.js';
import type { ValueReason, ValueReasonCode } from '../judgement/reasons.js';
import type { ValueEstimatorName } from '../value-estimate.js';

/** What a model's lists are worth in a window, with all that speaks against it. */
export interface ValueRow {
  readonly model: string;
  readonly metric: 'value';
  readonly k: null;
  readonly estimator: ValueEstimatorName;
  readonly aggregation: 'request';
  /** Expected reward of a request; NaN where it is refused. */
  readonly value: number;
  readonly stdErr: number;
  /** 95 % interval. */
  readonly lower: number;
  readonly upper: number;
  /** Upper bound of the whole lists' value; NaN where no largest reward is configured. */
  readonly bound: number;
  /** Share of the looks at the model's lists that go to items which some arm shows. */
  readonly coverage: number;
  /** Requests that it rests on, and their effective number of rewards. */
  readonly requests: number;
  readonly ess: number;
  /** The first reason for which it is not given; null if it is. */
  readonly withheld: ValueReasonCode | null;
  readonly isRefused: boolean;
  /** Whether something may be decided on it. */
  readonly decides: boolean;
  readonly reasons: readonly ValueReason[];
}

export function valueRow(judged: JudgedValue): ValueRow {
  const { model, estimator, value, stdErr, lower, upper, bound, coverage, requests, ess } = judged;
  const { isRefused, decides, reasons } = judged;
  const refusal = reasons.find(({ consequence }) => consequence === 'refused');
  return {
    ...{ model, metric: 'value', k: null, estimator, aggregation: 'request' },
    ...{ value, stdErr, lower, upper, bound, coverage, requests, ess },
    ...{ withheld: refusal?.code ?? null, isRefused, decides, reasons },
  };
}
