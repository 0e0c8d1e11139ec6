import { DOUBTFUL } from '../estimators/feedback/verdict.js';
import { ON_POLICY } from '../estimators/names.js';
import type { EstimateRow } from '../estimators/results/estimate.js';
import type { FeedbackReport } from '../estimators/results/window-estimates.js';
import { FEW_USERS } from '../estimators/uncertainty/effective-sample-size.js';
import { isDecisive, ofLeadingForm } from './reading.js';
import type { Row } from './row.js';

/**
 * Kinds of numbers that can lead a window. `estimates`: metrics over all interactions; `values`:
 * rewards per request; `uncaused`: metrics over organic interactions; `on_policy`: mean reward of
 * served lists.
 */
export const LEADING_NUMBERS = ['estimates', 'values', 'uncaused', 'on_policy'] as const;

export type LeadingNumbers = (typeof LEADING_NUMBERS)[number];

/**
 * What the choice of the leading numbers needs of an estimate. `caused` is the fraction of the
 * estimate's weight on interactions driven by recommendations. It is undefined for estimates from
 * randomised traffic, and for logs in which such interactions are not identified.
 */
type Judged = Pick<EstimateRow, 'reasons'> & { readonly more: { readonly caused?: number } };

/**
 * Choose the kind of numbers that leads a window, the first of these that applies:
 *
 * 1. estimates over all interactions, if one of them is reported (in the mode `caution`: would be
 * reported by `withhold`), or if `caused` is undefined for all of them;
 * 2. rewards per request, if a verdict may rest on one from all arms, since an experiment measures
 * what estimates approximate;
 * 3. organic estimates, if one of the leading form (pooled snips, or the first estimator) has at
 * least 30 effective users;
 * 4. the reward of served lists, if it is known for any model and list ids are complete.
 *
 * If none applies, estimates over all interactions lead.
 *
 * @param results estimates of the window, or of one of its metrics. @param values rewards per
 * request
 * @example
 * const onPolicy = { values: [{ model: 'a', value: 0.2 }] };
 * const reason = { code: 'caused_by_lists', consequence: 'withheld', figures: {} };
 * const withheld = { reasons: [reason], more: { caused: 1 } };
 * leadingNumbers([withheld], undefined, onPolicy); // 'on_policy'
 */
export function leadingNumbers(
  results: readonly Judged[],
  feedback: KnownFeedback | undefined,
  onPolicy: { readonly values: readonly object[] } | undefined,
  values: readonly Pick<Row, 'estimator' | 'status' | 'stdErr' | 'reasons'>[] = [],
): LeadingNumbers {
  const organic = results.filter(({ more: { caused } }) => caused !== undefined);
  const isSound = ({ reasons }: Judged) => reasons.every(({ code }) => code === DOUBTFUL);
  if (organic.length === 0 || organic.some(isSound)) return 'estimates';
  if (values.some((row) => row.estimator !== ON_POLICY.estimator && isDecisive(row))) {
    return 'values';
  }
  const uncaused = ofLeadingForm(feedback?.uncaused?.results ?? []);
  if (uncaused.some(({ ess }) => ess >= FEW_USERS)) return 'uncaused';
  const isKnown = (onPolicy?.values.length ?? 0) > 0 && !areNamesIncomplete(feedback);
  return isKnown ? 'on_policy' : 'estimates';
}

type KnownFeedback = Pick<FeedbackReport, 'uncaused'> &
  Partial<Pick<FeedbackReport, 'source' | 'named'>>;

/**
 * Whether some interactions have the id of their list while the others are attributed by arm. In
 * that case no list gets all interactions that it drove.
 */
function areNamesIncomplete({ source, named = 0 }: Partial<KnownFeedback> = {}): boolean {
  return source === 'arms' && named > 0;
}
