import { mean, standardDeviation } from 'simple-statistics';
import { expect, test } from 'vitest';
import { Random } from '../../../src/estimators/mathematics/random.js';

const take = (random: Random, count: number) => Array.from({ length: count }, () => random.next());

test('the same seed and stream give the same numbers', () => {
  expect(take(new Random(3, 'a'), 50)).toEqual(take(new Random(3, 'a'), 50));
});

test('another seed, another stream and a seed that differs above 32 bits give other numbers', () => {
  const first = take(new Random(3, 'a'), 8);
  expect(take(new Random(4, 'a'), 8)).not.toEqual(first);
  expect(take(new Random(3, 'b'), 8)).not.toEqual(first);
  expect(take(new Random(3 + 2 ** 32, 'a'), 8)).not.toEqual(first);
});

test('numbers are spread evenly over [0, 1) and neighbours are independent', () => {
  const values = take(new Random(11, 'spread'), 100_000);
  const cells = new Float64Array(100);
  for (let i = 1; i < values.length; i++) {
    cells[Math.floor(values[i - 1] * 10) * 10 + Math.floor(values[i] * 10)]++;
  }
  const expected = (values.length - 1) / 100;
  const chiSquare = cells.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  // 99 degrees of freedom: mean 99, sd 14.
  expect(chiSquare).toBeGreaterThan(99 - 4 * 14);
  expect(chiSquare).toBeLessThan(99 + 4 * 14);
});

test('normal numbers have mean 0, deviation 1 and the normal tails', () => {
  const random = new Random(5, 'normal');
  const values = Array.from({ length: 50_000 }, () => random.normal());
  expect(mean(values)).toBeCloseTo(0, 1);
  expect(standardDeviation(values)).toBeCloseTo(1, 1);
  const beyondTwo = values.filter((x) => Math.abs(x) > 2).length / values.length;
  expect(Math.abs(beyondTwo - 0.0455)).toBeLessThan(0.005);
});

test('a shuffle keeps the values and sends each to every place alike', () => {
  const random = new Random(1, 'shuffle');
  const places = Array.from({ length: 4 }, () => new Float64Array(4));
  for (let draw = 0; draw < 20_000; draw++) {
    const values = Int32Array.of(0, 1, 2, 3);
    random.shuffle(values);
    expect(new Set(values).size).toBe(4);
    for (const [place, value] of values.entries()) places[value][place]++;
  }
  for (const row of places) {
    for (const n of row) expect(Math.abs(n / 20_000 - 0.25)).toBeLessThan(0.015);
  }
});
