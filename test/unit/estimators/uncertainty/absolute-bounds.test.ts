import { describe, expect, it } from 'vitest';
import { estimate, type PlainWindow, windowOf } from '../../../oracle/window.js';

const ITEMS = 10;

/** Two users; the second has events of two strata. */
const window = (): PlainWindow => ({
  ...windowOf(
    [8, 8, 2, 2],
    [
      [
        [0, 0],
        [1, 1],
      ],
      [
        [0, 0],
        [2, 'absent'],
        [3, 2],
      ],
    ],
  ),
  reach: { users: 16, items: [8, 8, 2, 4] },
});
const asked = {
  metrics: ['recall', 'auc'] as const,
  ks: [3],
  estimators: ['ips', 'gs', 'snips'] as const,
  guarantees: ['ips-hoeffding', 'gs-bernstein'] as const,
  strata: 2,
  catalogueSize: ITEMS,
};

describe('the bound of Proposition 3.1', () => {
  it('assumes that each position holds a relevant item as rare as the rarest', () => {
    const { results } = estimate(window(), asked);
    const { guarantees, value } = results.find(({ estimator }) => estimator === 'ips')!;
    // P_min = 2 / 16, recall@3: three places of two users.
    const half = Math.sqrt((Math.log(40) / 2) * (2 * 3 * 8 ** 2)) / (2 * ITEMS);
    expect(guarantees).toEqual([
      { name: 'ips-hoeffding', lower: Math.max(0, value - half), upper: value + half },
    ]);
  });
});

describe('the bound of Theorem 4.1', () => {
  const gsOf = (from: PlainWindow) =>
    estimate(from, asked).results.find(
      ({ estimator, form: aggregation }) => estimator === 'gs' && aggregation === 'user',
    )!;

  it('narrows with more events per user, and is [0, 1] for one event', () => {
    const manyItems = Array.from({ length: 3000 }, () => 5);
    const rows = manyItems.map((_, item): [number, number] => [item, item % 2]);
    const reach = { users: 2, items: manyItems.map(() => 1) };
    const { lower, upper } = gsOf({ ...windowOf(manyItems, [rows]), reach }).guarantees[0]!;
    expect(upper - lower).toBeLessThan(0.35);
    const few = windowOf([5], [[[0, 0]]]);
    const own = gsOf({ ...few, reach: { users: 1, items: [1] } }).guarantees[0]!;
    expect([own.lower, own.upper]).toEqual([0, 1]);
  });
});
