import { describe, expect, it } from 'vitest';
import { Selection } from '../../../../src/estimators/lanes/selection.js';
import { ipsHalfWidth } from '../../../../src/estimators/uncertainty/ips-bound.js';
import { StratifiedBound } from '../../../../src/estimators/uncertainty/stratified-bound.js';
import { seeded } from '../../../oracle/random.js';
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
  it('is that of every place of a list relevant and as rare as the rarest item', () => {
    const { results } = estimate(window(), asked);
    const { guarantees, value } = results.find(({ estimator }) => estimator === 'ips')!;
    // P_min = 2 / 16, recall@3: three places of two users.
    const half = Math.sqrt((Math.log(40) / 2) * (2 * 3 * 8 ** 2)) / (2 * ITEMS);
    expect(guarantees).toEqual([
      { name: 'ips-hoeffding', lower: Math.max(0, value - half), upper: value + half },
    ]);
  });

  it('has no width where nothing is left to chance', () => {
    expect(ipsHalfWidth(5, 10, Float64Array.of(1, 1), 1)).toBe(0);
  });

  it('holds in at least 95 % of draws, for pairs found independently', () => {
    const random = seeded(7);
    const propensity = Array.from({ length: ITEMS }, (_, i) => 0.3 + i / 20);
    const users = Array.from({ length: 50 }, () =>
      Array.from({ length: ITEMS }, () => random() < 0.5),
    );
    const recall = (z: number) => (z < 3 ? 1 : 0);
    const truth =
      users.flat().reduce((sum, isRelevant, at) => sum + (isRelevant ? recall(at % ITEMS) : 0), 0) /
      (users.length * ITEMS);
    const half = ipsHalfWidth(users.length, ITEMS, Float64Array.of(1, 1, 1), 1 / 0.3);
    let missed = 0;
    for (let draw = 0; draw < 400; draw++) {
      let sum = 0;
      for (const own of users) {
        own.forEach((isRelevant, i) => {
          if (isRelevant && random() < propensity[i]) sum += recall(i) / propensity[i];
        });
      }
      if (Math.abs(sum / (users.length * ITEMS) - truth) > half) missed++;
    }
    expect(missed / 400).toBeLessThanOrEqual(0.05);
  });
});

describe('the bound of Theorem 4.1', () => {
  const gsOf = (from: PlainWindow) =>
    estimate(from, asked).results.find(
      ({ estimator, form: aggregation }) => estimator === 'gs' && aggregation === 'user',
    )!;

  it('is the mean over users of the concentration term, with a miss shared by all of them', () => {
    const many = window();
    // A long history: wide enough to be narrower than [0, 1].
    many.reach = { users: 1600, items: [8, 8, 2, 4] };
    const { value, guarantees } = gsOf(many);
    const log = Math.log(2 / (0.05 / 4));
    const halfOf = (weights: number[]) => {
      const n = weights.reduce((a, b) => a + b, 0);
      const squares = weights.reduce((sum, w) => sum + w * w, 0);
      const linear = (Math.max(...weights) * 7 * log) / (3 * (n - 1));
      return Math.sqrt((2 * log * squares) / (n * (n - 1))) + linear;
    };
    // Strata by popularity: items 0 and 1, items 2 and 3.
    const rare = (1600 / 2 + 1600 / 4) / 2;
    const half = (halfOf([200, 200]) + halfOf([200, rare, rare])) / 2;
    expect(guarantees).toHaveLength(1);
    expect(guarantees[0]!.lower).toBeCloseTo(Math.max(0, value - half), 12);
    expect(guarantees[0]!.upper).toBeCloseTo(Math.min(1, value + half), 12);
  });

  it('narrows as a user has more events, and is all of [0, 1] for a user with next to nothing', () => {
    const manyItems = Array.from({ length: 3000 }, () => 5);
    const rows = manyItems.map((_, item): [number, number] => [item, item % 2]);
    const reach = { users: 2, items: manyItems.map(() => 1) };
    const { lower, upper } = gsOf({ ...windowOf(manyItems, [rows]), reach }).guarantees[0]!;
    expect(upper - lower).toBeLessThan(0.35);
    const few = windowOf([5], [[[0, 0]]]);
    const own = gsOf({ ...few, reach: { users: 1, items: [1] } }).guarantees[0]!;
    expect([own.lower, own.upper]).toEqual([0, 1]);
  });

  it('is made from sums that merge to those of all users', () => {
    const inverse = Float64Array.of(2, 3, 8);
    const scale = {
      report: { scale: 'reach' as const, passedOver: [], loggedShare: 0 },
      ...{ inverse, slope: null },
    };
    const boundOf = (...users: number[][]) => {
      const rows = users.flat();
      const start = [0];
      for (const own of users) start.push(start[start.length - 1]! + own.length);
      const selection = Object.assign(new Selection(), {
        ...{ users: users.length, rows: rows.length, start: Int32Array.from(start) },
        ...{ item: Int32Array.from(rows), stratum: Uint16Array.from(rows, (i) => i % 2) },
      });
      const bound = new StratifiedBound(scale, 2);
      bound.add(selection);
      return bound;
    };
    const some = Array.from({ length: 900 }, (_, r) => r % 3);
    const others = Array.from({ length: 500 }, (_, r) => r % 2);
    const merged = boundOf(some);
    merged.merge(boundOf(others, [2, ...some]));
    const of = (bound: StratifiedBound) =>
      bound.extras({ aggregation: 'user', value: 0.5, denominator: 3, users: 3 }).guarantees![0]!;
    const whole = of(boundOf(some, others, [2, ...some]));
    expect(whole.lower).toBeGreaterThan(0);
    expect(of(merged).lower).toBeCloseTo(whole.lower, 12);
    expect(of(merged).upper).toBeCloseTo(whole.upper, 12);
  });
});
