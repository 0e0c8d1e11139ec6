import { describe, expect, it } from 'vitest';
import type { JudgedValue } from '../../../../../src/features/values/judged-value.js';
import { reason } from '../../../../../src/features/values/reasons.js';
import { v1ValueDifference } from '../../../../../src/features/values/v1.js';
import {
  comparedForm,
  valueDifferences,
} from '../../../../../src/features/values/value-differences.js';
import { controlOf } from '../../../../../src/features/values/value-of-window.js';

const judged = (model: string, more: Partial<JudgedValue> = {}): JudgedValue => ({
  model,
  estimator: 'on_policy',
  value: 1,
  stdErr: 0.1,
  lower: 0.8,
  upper: 1.2,
  bound: 1,
  byCluster: Float64Array.of(0.1, 0),
  byRank: new Float64Array(0),
  ess: 64,
  requests: 90,
  coverage: 1,
  unseen: 0,
  isRefused: false,
  decides: true,
  reasons: [],
  ...more,
});
const lost = reason('incomplete_requests', 'refused', { share: 0.5, least: 0.95 });
const heavy = reason('heavy_row', 'refused', { share: 0.5, most: 0.1 });
const refused = { isRefused: true, decides: false, value: Number.NaN };

describe('the compared form', () => {
  it.each([
    [['arms_ips', 'arms_snips', 'on_policy'], 'on_policy'],
    [['arms_ips', 'arms_snips'], 'arms_snips'],
    [['uniform_ips', 'uniform_snips'], 'uniform_snips'],
    [['arms_ips'], 'arms_ips'],
  ] as const)('of %s is %s', (names, own) => {
    expect(comparedForm(names.map((estimator) => ({ estimator }))).estimator).toBe(own);
  });
});

describe('the control', () => {
  it.each([
    ['the configured model, an arm or not', ['b'], 'c', 'c'],
    ['the first arm, if none is configured', ['b', 'c'], undefined, 'b'],
    ['the first model, if there are no arms', [], undefined, 'a'],
    ['undefined, if the configured model has no value', ['b'], 'x', undefined],
  ] as const)('is %s', (_, arms, configured, own) => {
    expect(controlOf(['a', 'b', 'c'], arms, configured)).toBe(own);
  });
});

describe('differences', () => {
  it('compare each other model with the control, with errors paired by cluster', () => {
    const rows = valueDifferences(
      [judged('a'), judged('b', { value: 3, lower: 2.5, byCluster: Float64Array.of(0.1, 0.3) })],
      'a',
    );
    expect(rows).toHaveLength(1);
    const [row] = rows;
    expect(v1ValueDifference(row)).toMatchObject({
      model: 'b',
      reference: 'a',
      metric: 'value',
      proved: null,
    });
    expect([row.value, row.stdErr]).toEqual([2, expect.closeTo(0.3, 12)]);
    // Student's t with 63 degrees.
    expect([row.lower, row.upper].map((end) => Math.abs(end - 2) / 0.3)).toEqual([
      expect.closeTo(1.99834, 4),
      expect.closeTo(1.99834, 4),
    ]);
  });

  it('are not reported if the model or the control has no value, with its reason', () => {
    const few = reason('few_rewards', 'undecided', { ess: 3, least: 30 });
    const own = judged('b', { ...refused, reasons: [few, heavy] });
    const none = { value: Number.NaN, stdErr: Number.NaN, lower: Number.NaN, upper: Number.NaN };
    const nothing = { ...none, decides: false, proved: null };
    const of = (...rows: JudgedValue[]) => valueDifferences(rows, 'a')[0];
    expect(v1ValueDifference(of(judged('a'), own)!)).toMatchObject({
      ...nothing,
      withheld: 'heavy_row',
    });
    const control = judged('a', { ...refused, reasons: [lost] });
    expect(v1ValueDifference(of(control, judged('b'))!)).toMatchObject({
      ...nothing,
      withheld: 'incomplete_requests',
    });
    expect(v1ValueDifference(of(control, own)!)).toMatchObject({
      ...nothing,
      withheld: 'heavy_row',
    });
  });
});
