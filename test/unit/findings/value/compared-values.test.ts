import { expect, it } from 'vitest';
import { comparedValueFindings } from '../../../../src/features/values/compared-values.js';
import type { ValueDifferenceRow } from '../../../../src/features/values/value-differences.js';
import { windowFindings } from '../../../../src/rows/findings/window-findings.js';
import { textOf } from '../../../../src/rows/findings/words.js';
import { paneSnapshot } from '../../../support/drift.js';
import { valueDifferenceRow } from '../../../support/rows.js';

const snapshot = paneSnapshot(3, { models: { a: { naive: 0.3, snips: 0.2 } } });
const [window] = snapshot.windows;
const none = Number.NaN;
const found = (...valueDifferences: ValueDifferenceRow[]) =>
  comparedValueFindings({ ...window, valueDifferences });

it('finds a served model that is proved worse, with the difference in this window', () => {
  const [finding, ...others] = found(valueDifferenceRow({ proved: 'worse' }));
  expect(others).toEqual([]);
  expect([finding.code, finding.severity]).toEqual(['value_proved_worse', 'caution']);
  expect(textOf(finding)).toBe(
    'b, which is served, earns 0.5000 less per request than a in this window (difference −0.7000 to −0.3000, 95\u00a0% CI). Over many windows, some show such a difference by chance.',
  );
});

it.each([
  ['served', { estimator: 'on_policy', value: 0.5, lower: 0.3, upper: 0.7 }, '0.3000 to 0.7000'],
  ['not served', { estimator: 'arms_snips', value: 0.5, lower: 0.3, upper: none }, 'from 0.3000'],
] as const)('finds a model that is %s and proved better', (shown, more, interval) => {
  const [finding, ...others] = found(valueDifferenceRow({ ...more, proved: 'better' }));
  expect(others).toEqual([]);
  expect([finding.code, finding.severity]).toEqual(['value_proved_better', 'note']);
  expect(textOf(finding)).toBe(
    `b, which is ${shown}, earns 0.5000 more per request than a in this window (difference ${interval}, 95\u00a0% CI). Over many windows, some show such a difference by chance.`,
  );
});

it.each([
  ['a shadow model', { proved: 'worse', estimator: 'arms_snips' }],
  ['a model that may be better', { value: 0.5, proved: null }],
  ['a model that may be worse', { proved: null }],
] as const)('finds nothing for %s', (_, more) => {
  expect(found(valueDifferenceRow(more))).toEqual([]);
});

it('names a control without lists once', () => {
  const codes = (more: object) =>
    windowFindings(snapshot, { ...window, ...more }).map(({ code }) => code);
  expect(codes({ controlAway: 'x' })).toContain('value_control_away');
  const both = codes({ controlAway: 'x', referenceAway: 'x' });
  expect(both).toContain('reference_away');
  expect(both).not.toContain('value_control_away');
  const [finding] = comparedValueFindings({ ...window, controlAway: 'x' });
  expect(textOf(finding)).toBe(
    'No request has a list of the control x, so reward per request is not compared with it. Log its lists, or correct comparisons.control.',
  );
});
