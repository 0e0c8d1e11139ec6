import { expect, it } from 'vitest';
import { onPolicyValues, type ServedRequest } from '../../../support/on-policy-values.js';

const served = (
  model: string,
  rewards: readonly number[],
  { minute = 0, from = 0 } = {},
): ServedRequest[] =>
  rewards.map((reward, n) => ({ user: from + n, model, shownAt: 60_000 * minute, reward }));

it('values two arms with two requests each at 1 and 1/2', () => {
  const values = onPolicyValues([...served('A', [1, 1]), ...served('B', [1, 0], { from: 2 })]);
  expect(values.map(({ model, value }) => [model, value])).toEqual([
    ['A', 1],
    ['B', 0.5],
  ]);
});

it('stratifies a ramp-up by time: 3/4, and 2/3 without strata', () => {
  const first = [...served('A', [1, 0]), ...served('B', [0, 0], { from: 2 })];
  const then = [
    ...served('A', [1], { minute: 1, from: 4 }),
    ...served('B', [0, 0, 0], { minute: 1, from: 5 }),
  ];
  const [a] = onPolicyValues([...first, ...then], 1);
  expect(a).toMatchObject({ model: 'A', counts: { lists: 3, users: 3 } });
  expect(a.value).toBeCloseTo(3 / 4, 12);
  const [pooled] = onPolicyValues([...first, ...then]);
  expect(pooled.value).toBeCloseTo(2 / 3, 12);
});

it('values 69 clicks on 10,000 lists of 10,000 users at 0.0069 ± 0.000828', () => {
  const rewards = Array.from({ length: 10_000 }, (_, n) => (n < 69 ? 1 : 0));
  const [{ value, stdErr }] = onPolicyValues(served('bts', rewards));
  expect(value).toBeCloseTo(0.0069, 12);
  expect(stdErr).toBeCloseTo(0.000828, 6);
});
