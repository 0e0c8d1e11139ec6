import fc from 'fast-check';
import { expect, it } from 'vitest';
import { closestName } from '../../../src/config/spelling.js';
import { formatDuration, parseDuration, parseSize } from '../../../src/config/units.js';

it('reads durations and sizes in each unit', () => {
  expect(['250ms', '90s', '1.5m', '1h', '30d'].map(parseDuration)).toEqual([
    250, 90_000, 90_000, 3_600_000, 2_592_000_000,
  ]);
  expect(['1MiB', '1MB', '512KiB', '7B'].map(parseSize)).toEqual([1_048_576, 1e6, 524_288, 7]);
  expect(parseDuration('1.1s')).toBe(1100);
});

it.each(['', '5', '1w', '-1s', '1 h', 's', '1e3s', '1h30m', '0.0001s', '99999999999999999999d'])(
  'refuses %j as a duration',
  (text) => {
    expect(() => parseDuration(text)).toThrow(RangeError);
  },
);

it('formats every whole number of milliseconds so that it parses to the same number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (n) => {
      expect(parseDuration(formatDuration(n))).toBe(n);
    }),
  );
});

it('suggests the closest name, or none if nothing is close', () => {
  const known = ['recall', 'dcg', 'mrr', 'auc'];
  expect(closestName('recal', known)).toBe('recall');
  expect(closestName('Reclal', known)).toBe('recall');
  expect(closestName('dgc', known)).toBe('dcg');
  expect(closestName('purple', known)).toBeUndefined();
});
