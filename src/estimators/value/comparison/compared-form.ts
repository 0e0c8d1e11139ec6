import { ON_POLICY } from '../../names.js';
import type { ValueEstimate } from '../value-estimate.js';

/**
 * The form in which a model is compared: on policy if it was served, since that rests on no model of
 * how users look at places; else by all arms and self-normalised, or the first form that there is.
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
