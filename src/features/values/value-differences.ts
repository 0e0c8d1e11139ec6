import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import { ON_POLICY } from '../../estimators/names.js';
import type { Difference } from '../../rows/row.js';
import type { JudgedValue } from './judged-value.js';
import type { ValueReason } from './reasons.js';
import { valueDifference } from './value-difference.js';
import type { ValueEstimate, ValueEstimatorName } from './value-estimate.js';

/**
 * Difference in reward per request between a model and the control in a window, paired by groups of
 * users. `reasons` are those of the model's value, then those of the control's. `ess` is the
 * smaller effective sample size of the two values. An end of the interval is NaN if a value is only
 * a lower bound and no largest reward is configured.
 */
export type ValueDifferenceRow = Omit<Difference, 'reasons'> & {
  readonly metric: 'value';
  readonly k: null;
  readonly estimator: ValueEstimatorName;
  readonly referenceEstimator: ValueEstimatorName;
  readonly form: 'request';
  /** Verdict on the pair: 1 better, −1 worse, otherwise 0. */
  readonly more: { readonly proved: number };
  readonly reasons: readonly ValueReason[];
};

/**
 * Compute the differences of all models to the control, each model in its compared form.
 *
 * V_m − V_c with its paired interval (`valueDifference`). The interval is valid for this window
 * alone: over many windows, some exclude 0 randomly. `withProved` adds the proved sign. O(models ·
 * (clusters + ranks²)).
 *
 * @param judged all forms of all models, by model. @param control one of them.
 * @param covariance of log θ by rank, as used for the estimates.
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
  const reasons = [...own.reasons, ...control.reasons];
  const isRefused = own.isRefused || control.isRefused;
  // A refused value is NaN, and so are its differences and their limits.
  const { value, stdErr, lower, upper, ess } = valueDifference(own, control, covariance);
  return {
    family: 'values',
    model: own.model,
    reference: control.model,
    metric: 'value',
    k: null,
    estimator: own.estimator,
    referenceEstimator: control.estimator,
    form: 'request',
    value,
    stdErr: isRefused ? Number.NaN : stdErr,
    lower: lower - unsupported(control),
    upper: upper + unsupported(own),
    ess,
    counts: {},
    status: isRefused ? 'refused' : 'given',
    reasons,
    more: { proved: 0 },
  };
}

/**
 * How far the value of whole lists may exceed the estimate. 0 unless the estimate is only a lower
 * bound; NaN if no largest reward is configured.
 */
function unsupported({ reasons, bound, value }: JudgedValue): number {
  const isBound = reasons.some(({ consequence }) => consequence === 'bound');
  return isBound ? bound - value : 0;
}

/**
 * The form in which a model is compared: on policy if it was served, since that needs no
 * examination model; otherwise self-normalised from all arms, or the first form available.
 *
 * @param forms of one model, at least one.
 * @example
 * comparedForm([{ estimator: 'arms_ips' }, { estimator: 'arms_snips' }]).estimator; // 'arms_snips'
 */
export function comparedForm<Form extends Pick<ValueEstimate, 'estimator'>>(
  forms: readonly Form[],
): Form {
  const find = (isWanted: (estimator: string) => boolean) =>
    forms.find(({ estimator }) => isWanted(estimator));
  return (
    find((estimator) => estimator === ON_POLICY.estimator) ??
    find((estimator) => estimator.endsWith('_snips')) ??
    forms[0]
  );
}
