import { linearRegression } from 'simple-statistics';
import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/estimators/mathematics/random.js';
import { DEFAULT_OPTIONS } from '../../../src/simulation/options.js';
import { createWorld } from '../../../src/simulation/world.js';

const worldOf = (gamma: number, users: number) =>
  createWorld({ ...DEFAULT_OPTIONS, gamma, users }, new Random(4, 'world'));

describe.each([0.7, 1.5, 2.5])('a world with γ = %s', (gamma) => {
  const world = worldOf(gamma, 4000);
  const relevantTo = new Float64Array(world.itemIds.length);
  for (const own of world.relevant) for (const item of own) relevantTo[item]++;
  const logPopularity = [...world.targetPopularity].map(Math.log);

  test('has propensities ∝ n*^((γ+1)/2), the largest of which is 1', () => {
    const pairs = logPopularity.map((x, i) => [x, Math.log(world.propensity[i])]);
    expect(linearRegression(pairs).m).toBeCloseTo((gamma + 1) / 2, 9);
    expect(Math.max(...world.propensity)).toBe(1);
  });

  test('has items relevant to a number of users ∝ n*^((1−γ)/2)', () => {
    const pairs = logPopularity.map((x, i) => [x, Math.log(relevantTo[i])]);
    expect(Math.abs(linearRegression(pairs).m - (1 - gamma) / 2)).toBeLessThan(0.03);
  });

  test('has expected counts ∝ target popularity', () => {
    const expected = relevantTo.map((n, i) => n * world.propensity[i]);
    const scale = expected.reduce((a, b) => a + b) / world.targetPopularity.reduce((a, b) => a + b);
    expected.forEach((count, i) => {
      expect(count / (scale * world.targetPopularity[i])).toBeGreaterThan(0.8);
      expect(count / (scale * world.targetPopularity[i])).toBeLessThan(1.2);
    });
  });
});

test('users have about the configured number of relevant items, and at least one', () => {
  const sizes = worldOf(2, 2000).relevant.map((own) => own.length);
  const mean = sizes.reduce((a, b) => a + b) / sizes.length;
  expect(Math.abs(mean - DEFAULT_OPTIONS.relevantPerUser)).toBeLessThan(1);
  const sparse = createWorld(
    { ...DEFAULT_OPTIONS, items: 4, relevantPerUser: 1, tasteGroups: 2, users: 500 },
    new Random(1, 'world'),
  );
  expect(Math.min(...sparse.relevant.map((own) => own.length))).toBe(1);
});

test('users of the same taste group share more relevant items than others', () => {
  const { relevant } = worldOf(2, 100);
  let same = 0;
  let other = 0;
  for (let user = 5; user < 100; user++) {
    same += relevant[user].filter((item) => relevant[user - 5].includes(item)).length;
    other += relevant[user].filter((item) => relevant[user - 4].includes(item)).length;
  }
  expect(same).toBeGreaterThan(1.2 * other);
});
