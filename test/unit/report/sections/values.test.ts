import { expect, it } from 'vitest';
import { reason } from '../../../../src/features/values/reasons.js';
import { valuesSection } from '../../../../src/features/values/section.js';
import { reportHtml } from '../../../../src/outputs/report/report.js';
import { Outcomes } from '../../../../src/stream/outcomes.js';
import { makeSnapshot } from '../../../fixtures/snapshot.js';
import { valueDifferenceOf, valueRowOf } from '../../../support/rows.js';

const base = makeSnapshot();
const [window] = base.windows;

it('is left out where exposures name no request', () => {
  expect(valuesSection(window)).toBeNull();
  expect(valuesSection({ ...window, values: [] })).toBeNull();
});

it('has a row for each model and form; a bound is marked, and what is refused has no number', () => {
  const few = reason('mostly_unsupported', 'bound', { coverage: 0.2, least: 0.5 });
  const apart = reason('arms_disagree', 'refused', { z: 5, most: 3 });
  const none = { value: Number.NaN, stdErr: Number.NaN, lower: Number.NaN, upper: Number.NaN };
  const values = [
    valueRowOf(),
    valueRowOf({ model: 'b', coverage: 0.2, reasons: [few] }),
    valueRowOf({ model: '<c>', ...none, reasons: [apart] }),
  ];
  const text = valuesSection({ ...window, values })!.text.replaceAll('\u00a0', ' ');
  for (const part of ['<b>1.5000</b>', '1.0000 to 2.0000', '100 %', '>yes<']) {
    expect(text).toContain(part);
  }
  expect(text).toContain('≥ 1.5000');
  expect(text).toContain('from 1.0000');
  expect(text).toContain('lower bound');
  expect(text).toContain('not given');
  expect(text).toContain('&lt;c&gt;');
  expect(text).not.toMatch(/NaN|<c>/);
});

it('stands before the estimates where it leads', () => {
  const places = (leads: 'values' | 'estimates') => {
    const led = { ...window, values: [valueRowOf()], leads };
    const page = reportHtml({ ...base, windows: [led] }, 0, new Outcomes());
    return ['id="values"', 'id="estimates"'].map((id) => page.indexOf(id));
  };
  const [values, estimates] = places('values');
  expect(values).toBeGreaterThan(0);
  expect(values).toBeLessThan(estimates!);
  const [after, before] = places('estimates');
  expect(after).toBeGreaterThan(before!);
});

it('has below it how much more each is worth than the control', () => {
  const found = { ...window, values: [valueRowOf()], valueDifferences: [valueDifferenceOf()] };
  const { text } = valuesSection(found)!;
  for (const part of ['How much more than the lists of', '+0.5000 to +1.5000', '>better<']) {
    expect(text).toContain(part);
  }
  expect(valuesSection({ ...window, values: [valueRowOf()] })!.text).not.toContain('How much more');
});
