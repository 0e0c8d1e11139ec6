import type { JudgedValue } from './judged-value.js';

/** What is proved of a model against another; null if nothing is. */
export type Proved = 'better' | 'worse' | null;

/**
 * Whether a model's lists are proved to be worth more than those of an arm, or less.
 *
 * Better: the lower limit of what is supported of them is above the upper limit of the arm. What is
 * not supported can only add to it, so that coverage does not matter. Worse: the upper limit with
 * what the unsupported places are worth at most is below the lower limit of the arm; without a
 * largest reward that is known of lists with full coverage only. Nothing is proved if either
 * does not decide.
 *
 * @param model as it was judged. @param control on policy, as arms are.
 * @example
 * provedAgainst({ decides: true, lower: 0.4 }, { decides: true, upper: 0.3 }); // 'better'
 */
export function provedAgainst(model: JudgedValue, control: JudgedValue): Proved {
  if (!model.decides || !control.decides) return null;
  if (model.lower > control.upper) return 'better';
  return model.upper + (model.bound - model.value) < control.lower ? 'worse' : null;
}
