import { expect, it } from 'vitest';
import { concentrationTrend } from '../../../src/rows/findings/trend.js';
import { sentenceOf } from '../../../src/rows/findings/words.js';

it('keeps the name of a model separate from the words around it', () => {
  const times = Array.from({ length: 20 }, (_, n) => n * 60_000);
  const values = times.map((_, n) => 0.3 + n / 100);
  const finding = concentrationTrend(times, [{ model: '<b>', values }]);
  expect(finding).toMatchObject({ code: 'concentration_grows', subject: { models: ['<b>'] } });
  expect(sentenceOf(finding)).toContainEqual({ name: '<b>' });
});

it('ignores ticks without a value', () => {
  const times = Array.from({ length: 20 }, (_, n) => n * 60_000);
  const values = times.map((_, n) => (n % 3 === 0 ? 0.3 : null));
  expect(concentrationTrend(times, [{ model: null, values }]).code).toBe('concentration_steady');
});
