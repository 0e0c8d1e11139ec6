import { ON_POLICY } from '../../estimators/names.js';
import { decimal, percent } from '../../rows/figures.js';
import type { Finding, Words } from '../../rows/findings/finding.js';
import { say } from '../../rows/findings/sentence.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import type { ValueDifferenceRow } from './value-differences.js';

/**
 * Findings from the comparison of models with the control: differences that this window proves, or
 * that no request has a list of the configured control.
 */
export function comparedValueFindings({
  valueDifferences = [],
  controlAway,
  referenceAway,
}: WindowSnapshot): Finding[] {
  const found = valueDifferences.flatMap(provedFindings);
  // Another finding already reports a model without lists.
  if (controlAway === undefined || controlAway === referenceAway) return found;
  const away = {
    code: 'value_control_away',
    severity: 'caution',
    figures: {},
  } as const;
  return [
    {
      ...away,
      subject: { models: [controlAway] },
    },
    ...found,
  ];
}

/**
 * Finding on a difference that this window proves. "Better" is reported of any model, "worse" only
 * of a model that was served.
 */
function provedFindings(row: ValueDifferenceRow): Finding[] {
  const { model, reference, value, lower, upper, more } = row;
  const { proved } = more;
  const isShown = row.estimator === ON_POLICY.estimator;
  const subject = { models: [model, reference] };
  const figures = {
    value,
    lower,
    upper,
  };
  if (proved > 0) {
    const better = {
      ...figures,
      isShown: Number(isShown),
    };
    return [
      {
        code: 'value_proved_better',
        severity: 'note',
        subject,
        figures: better,
      },
    ];
  }
  if (proved === 0 || !isShown) return [];
  return [
    {
      code: 'value_proved_worse',
      severity: 'caution',
      subject,
      figures,
    },
  ];
}

export const COMPARED_VALUE_WORDS = {
  value_proved_worse: ({ subject: { models = [] }, figures: { value, lower, upper } }) => {
    const [own, control] = models.map((name) => ({ name }));
    const interval = say`${decimal(lower, 4)} to ${decimal(upper, 4)}`;
    return say`${own}, which is served, earns ${decimal(-value, 4)} less per request than ${control} in this window (difference ${interval}, ${percent(0.95)} CI). Over many windows, some show such a difference by chance.`;
  },
  value_proved_better: ({ subject: { models = [] }, figures }) => {
    const { value, lower, upper, isShown } = figures;
    const [own, control] = models.map((name) => ({ name }));
    const interval = Number.isNaN(upper)
      ? say`from ${decimal(lower, 4)}`
      : say`${decimal(lower, 4)} to ${decimal(upper, 4)}`;
    const shown = isShown === 1 ? 'served' : 'not served';
    return say`${own}, which is ${shown}, earns ${decimal(value, 4)} more per request than ${control} in this window (difference ${interval}, ${percent(0.95)} CI). Over many windows, some show such a difference by chance.`;
  },
  value_control_away: ({ subject: { models = [] } }) =>
    say`No request has a list of the control ${{ name: models[0] }}, so reward per request is not compared with it. Log its lists, or correct comparisons.control.`,
} satisfies Words;
