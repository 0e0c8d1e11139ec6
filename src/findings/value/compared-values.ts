import { ON_POLICY } from '../../estimators/names.js';
import { decimal, percent } from '../../figures/figures.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import type { Finding, WordsOf } from '../finding.js';
import { say } from '../sentence.js';

/** What comparing the values of lists shows, and where there is nothing to compare them with. */
export function comparedValueFindings({
  valueDifferences = [],
  controlAway,
  referenceAway,
}: WindowSnapshot): Finding[] {
  const found = valueDifferences.flatMap((row): Finding[] => {
    // On policy a model is compared that was served in the window.
    const isServed = row.estimator === ON_POLICY.estimator;
    if (row.proved !== 'worse' || !isServed) return [];
    const { model, reference, value, lower, upper } = row;
    const own = { code: 'value_proved_worse', severity: 'caution' } as const;
    return [{ ...own, subject: { models: [model, reference] }, figures: { value, lower, upper } }];
  });
  // Of a model without any list it is said already.
  if (controlAway === undefined || controlAway === referenceAway) return found;
  const away = { code: 'value_control_away', severity: 'caution', figures: {} } as const;
  return [{ ...away, subject: { models: [controlAway] } }, ...found];
}

export const COMPARED_VALUE_WORDS: WordsOf<'value_proved_worse' | 'value_control_away'> = {
  value_proved_worse: ({ subject: { models = [] }, figures: { value, lower, upper } }) => {
    const [own, control] = models.map((name) => ({ name }));
    const interval = say`${decimal(lower, 4)} to ${decimal(upper, 4)}`;
    return say`The lists of ${own}, which users are shown, are proved to be worth less in this window than those of ${control}: a request earns ${decimal(-value, 4)} less (difference ${interval}, ${percent(0.95)}). Over many windows chance proves something too.`;
  },
  value_control_away: ({ subject: { models = [] } }) =>
    say`No request has a list of ${{ name: models[0] }}, the model that others are to be compared with: values of lists are not compared.`,
};
