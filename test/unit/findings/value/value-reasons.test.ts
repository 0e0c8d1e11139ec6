import { expect, it } from 'vitest';
import { reason, type ValueReason } from '../../../../src/features/values/reasons.js';
import { valueFindings } from '../../../../src/features/values/value-reasons.js';
import type { ValueRow } from '../../../../src/features/values/value-row.js';
import { leadingValueFindings } from '../../../../src/features/values/values-lead.js';
import { textOf } from '../../../../src/rows/findings/words.js';
import { paneSnapshot } from '../../../support/drift.js';
import { valueRowOf } from '../../../support/rows.js';

const [window] = paneSnapshot(3, { models: { a: { naive: 0.3, snips: 0.2 } } }).windows;
const row = (model: string, ...reasons: ValueReason[]) =>
  valueRowOf({ model, estimator: 'arms_ips', reasons });
const found = (...values: ValueRow[]) => valueFindings({ ...window, values });

it('finds nothing if no value has a reason, or there are no values', () => {
  expect(found(row('a'))).toEqual([]);
  expect(valueFindings(window)).toEqual([]);
});

it('reports a reason once for all models that share it', () => {
  const lost = reason('incomplete_requests', 'refused', { share: 0.9, least: 0.95 });
  const [finding, ...others] = found(row('a', lost), row('b', lost), row('b', lost));
  expect(others).toEqual([]);
  expect(finding.severity).toBe('caution');
  expect(textOf(finding)).toBe(
    'Reward per request of a and b is not reported: only 90\u00a0% of the requests have the lists of all models. At least 95\u00a0% are needed: log the lists of all models with every request.',
  );
});

it('reports a reason per model if the figures differ', () => {
  const shown = (coverage: number) =>
    reason('mostly_unsupported', 'bound', { coverage, least: 0.5 });
  const texts = found(row('a', shown(0.45)), row('b', shown(0.05))).map(textOf);
  expect(texts).toHaveLength(2);
  expect(texts[0]).toContain('of a has only a lower bound: served lists overlap with only 45');
  expect(texts[1]).toContain('of b has only a lower bound: served lists overlap with only 5');
});

it('reports a value that supports no verdict as a note, with the reason', () => {
  const few = reason('few_rewards', 'undecided', { ess: 12.4, least: 30 });
  const [finding] = found(row('a', few));
  expect([finding.code, finding.severity]).toEqual(['value_few_rewards', 'note']);
  expect(textOf(finding)).toContain('supports no verdict: it rests on only 12 effective rewards');
  const partly = reason('mostly_unsupported', 'bound', { coverage: 0.4, least: 0.5 });
  expect(textOf(found(row('a', partly))[0])).toContain(
    'has only a lower bound: served lists overlap with only 40\u00a0%',
  );
});

it('says from how many requests values come if they lead', () => {
  const values = [row('a'), { ...row('b'), counts: { requests: 4000 } }];
  expect(leadingValueFindings({ ...window, values, leads: 'estimates' })).toEqual([]);
  const [finding] = leadingValueFindings({ ...window, values, leads: 'values' });
  expect(textOf(finding)).toMatch(
    /^Reward per request is shown first instead, from 4,000 requests\./,
  );
});
