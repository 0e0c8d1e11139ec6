import type { SquareMatrix } from '../../../mathematics/cholesky.js';
import type { JudgedValue } from '../judgement/judged-value.js';
import { type Proved, provedAgainst } from '../judgement/proved.js';
import type { ValueReasonCode } from '../judgement/reasons.js';
import { valueDifference } from '../value-difference.js';
import type { ValueEstimatorName } from '../value-estimate.js';
import { comparedForm } from './compared-form.js';

/** How much more a model's lists are worth than the control's, over the requests of a window. */
export interface ValueDifferenceRow {
  readonly model: string;
  /** The control: the model whose value is subtracted. */
  readonly reference: string;
  readonly metric: 'value';
  readonly k: null;
  readonly estimator: ValueEstimatorName;
  readonly referenceEstimator: ValueEstimatorName;
  readonly aggregation: 'request';
  /** Expected reward of a request, the model's minus the control's; NaN where either is refused. */
  readonly value: number;
  /** Paired by groups of users. */
  readonly stdErr: number;
  /** 95 % interval; NaN at the end that lists of which little is supported leave open. */
  readonly lower: number;
  readonly upper: number;
  /** The lesser effective number of rewards of the two. */
  readonly ess: number;
  /** The first reason for which either is refused, the model's before the control's; null if none is. */
  readonly withheld: ValueReasonCode | null;
  /** Whether something may be decided on both. */
  readonly decides: boolean;
  /** By the limits of the two values, which is stricter than the interval of their difference. */
  readonly proved: Proved;
}

/**
 * The differences of all models to the control, each model in the form in which it is compared.
 *
 * V_m − V_c with its paired interval (`valueDifference`), and whether one is proved to be worth more
 * (`provedAgainst`). Both hold for these requests alone: over many windows some difference is clear of
 * 0, and something is proved, by chance. O(models · (clusters + ranks²)).
 *
 * @param judged all forms of all models, by model. @param control one of them.
 * @param covariance of log θ by rank, as the estimates were given it.
 * @returns a row for each other model, in their order.
 */
export function valueDifferences(
  judged: readonly JudgedValue[],
  control: string,
  covariance?: SquareMatrix,
): ValueDifferenceRow[] {
  const ofModel = (model: string) => comparedForm(judged.filter((each) => each.model === model));
  const reference = ofModel(control);
  const models = [...new Set(judged.map(({ model }) => model))];
  return models
    .filter((model) => model !== control)
    .map((model) => differenceRow(ofModel(model), reference, covariance));
}

function differenceRow(
  own: JudgedValue,
  control: JudgedValue,
  covariance?: SquareMatrix,
): ValueDifferenceRow {
  const refusal = [...own.reasons, ...control.reasons].find(
    ({ consequence }) => consequence === 'refused',
  );
  // A value that is refused is NaN, and so are a difference to it and its limits.
  const { value, stdErr, lower, upper, ess } = valueDifference(own, control, covariance);
  return {
    ...{ model: own.model, reference: control.model, metric: 'value', k: null },
    ...{ estimator: own.estimator, referenceEstimator: control.estimator, aggregation: 'request' },
    ...{ value, stdErr: refusal === undefined ? stdErr : Number.NaN, ess },
    lower: lower - unsupported(control),
    upper: upper + unsupported(own),
    withheld: refusal?.code ?? null,
    decides: own.decides && control.decides,
    proved: provedAgainst(own, control),
  };
}

/** How much more lists may be worth that are bounded from below alone; NaN if nothing says it. */
function unsupported({ reasons, bound, value }: JudgedValue): number {
  const isBound = reasons.some(({ consequence }) => consequence === 'lower_bound');
  return isBound ? bound - value : 0;
}
