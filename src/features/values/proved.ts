import type { JudgedValue } from './judged-value.js';

/** What is proved of a model against another; null if nothing is. */
export type Proved = 'better' | 'worse' | null;

/**
 * Whether a model's lists are proved to be worth more than those of a control, or less.
 *
 * Better: the lower limit of what is supported of them is above the upper limit of the control, with
 * what the control's unsupported places are worth at most. What is not supported of the model can only
 * add to it, so that its coverage does not matter. Worse: the same the other way round. Without a
 * largest reward such a limit is known of lists with full coverage only, as an arm's on policy are.
 * Nothing is proved if either does not decide. It is a claim of these requests: looked at again and
 * again, chance proves something in the end.
 *
 * @param model, control as they were judged, from the same requests.
 * @example
 * const arm = { decides: true, value: 0.2, lower: 0.1, upper: 0.3, bound: 0.2 };
 * provedAgainst({ ...arm, value: 0.5, lower: 0.4, upper: 0.6, bound: NaN }, arm); // 'better'
 */
export function provedAgainst(model: JudgedValue, control: JudgedValue): Proved {
  if (!model.decides || !control.decides) return null;
  if (model.lower > upperLimit(control)) return 'better';
  return upperLimit(model) < control.lower ? 'worse' : null;
}

/** With what is not supported of the lists. */
function upperLimit({ upper, bound, value }: JudgedValue): number {
  return upper + (bound - value);
}
