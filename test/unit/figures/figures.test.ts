import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  compact,
  decimal,
  percent,
  signed,
  signedPercent,
  whole,
} from '../../../src/rows/figures.js';
import { FEW_USERS } from '../../../src/rows/findings/thresholds.js';
import { duration, span } from '../../../src/rows/times.js';

it('numbers that round to 0 have no sign, and negative ones a minus sign', () => {
  expect(decimal(-0.0004, 3)).toBe('0.000');
  expect(decimal(-0.4, 1)).toBe('−0.4');
  expect(signed(0.0004, 3)).toBe('0.000');
  expect(signed(0.04, 2)).toBe('+0.04');
  expect(signedPercent(-0.1)).toBe('−10\u00a0%');
  expect(signedPercent(0.1)).toBe('+10\u00a0%');
  expect(whole(-1234.4)).toBe('−1,234');
});

it('an unknown number is a dash', () => {
  for (const unknown of [Number.NaN, null, undefined]) {
    for (const write of [
      () => decimal(unknown, 2),
      () => percent(unknown),
      () => whole(unknown),
      () => compact(unknown),
      () => duration(unknown),
    ]) {
      expect(write()).toBe('–');
    }
  }
});

it('a share above 0 is never shown as 0 %', () => {
  expect(percent(0.004)).toBe('under 1\u00a0%');
  expect(percent(0.004, 1)).toBe('0.4\u00a0%');
  expect(percent(0)).toBe('0\u00a0%');
});

it('durations and time ranges use the shortest sufficient units', () => {
  expect([45_000, 720_000, 12_600_000, 7_200_000].map(duration)).toEqual([
    '45 s',
    '12 min',
    '3.5 h',
    '2 h',
  ]);
  expect(span(0, 61_000)).toBe('00:00:00 to 00:01:01 UTC');
  expect(span(0, 90_000_000)).toBe('00:00:00 to 1970-01-02 01:00:00 UTC');
  expect(span(5, 5)).toBe('no events');
});

it('the alert on effective users uses the threshold of the findings', () => {
  const rules = readFileSync('deploy/prometheus/rules/alerts.yml', 'utf8');
  expect(rules).toContain(
    `unskew_effective_sample_size{estimator="snips",unit="user"} >= ${FEW_USERS}`,
  );
});
