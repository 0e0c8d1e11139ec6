import { expect, it } from 'vitest';
import type { LiveTick } from '../../../../src/outputs/http/schema/live-tick.js';
import { namesIn, orderedModels, toggled } from '../../../../src/page/model-order.js';
import { middleCut } from '../../../../src/rows/words.js';

const tick = {
  models: ['a', 'b', 'c', 'd', 'e'],
  window: {
    estimates: [
      ...[0.1, 0.4, null, 0.2].map((value, n) => ({
        model: 'abcd'[n],
        estimator: 'snips',
        value,
      })),
      { model: 'a', estimator: 'naive', value: 0.9 },
    ],
  },
} as unknown as LiveTick;

it('models are in order of value, with pinned ones first and without hidden ones', () => {
  const order = (pin: readonly string[], hide: readonly string[]) =>
    orderedModels(tick, { pin: JSON.stringify(pin), hide: JSON.stringify(hide) }, 'snips').join('');
  expect(order([], [])).toBe('bdace');
  expect(order(['c', 'a'], [])).toBe('acbde');
  expect(order([], ['b', 'e'])).toBe('dac');
  // To pin what was hidden shows it.
  expect(order(['b'], ['b'])).toBe('bdace');
  expect(orderedModels(tick, { pin: '', hide: '' }, 'naive').join('')).toBe('abcde');
});

it('any names survive the address, and an invalid list of names selects no model', () => {
  const odd = '["x","y"],&=%/\n“';
  expect(namesIn(toggled(toggled('', odd), 'b'))).toEqual([odd, 'b']);
  expect(namesIn(toggled(toggled(toggled('', odd), 'b'), odd))).toEqual(['b']);
  expect(toggled(toggled('', odd), odd)).toBe('');
  for (const text of ['', '{}', '"a"', '[1]', '[', 'null']) expect(namesIn(text)).toEqual([]);
});

it('a long name keeps both its ends', () => {
  expect(middleCut('ranker-2026-blend-v7', 12)).toBe('ranker…nd-v7');
  expect(middleCut('ranker-2026-blend-v7', 20)).toBe('ranker-2026-blend-v7');
  expect(middleCut('abc', 1)).toBe('…');
  // A sign of two code units is not cut in half.
  expect(middleCut('😀😀😀😀😀', 3)).toBe('😀…😀');
});
