import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeLists, meanWeight } from '../../../../../src/features/values/judge-lists.js';
import {
  balancedPropensity,
  type LoggedLists,
  type PropensityOf,
} from '../../../../../src/features/values/logged/logged-lists.js';
import { valueByPropensities } from '../../../../../src/features/values/logged/value-by-propensities.js';
import { weighLists } from '../../../../../src/features/values/logged/weigh-lists.js';
import { VALUE_REMEDIES } from '../../../../../src/features/values/reasons.js';
import { allLists, type PlackettLuce } from '../../../../oracle/value-lists.js';
import { FOUR_REQUESTS } from '../../../../support/golden-arms.js';
import { type Slate, slates } from '../../../../support/slates.js';

const DIGITS = 12;
type Options = Parameters<typeof valueByPropensities>[2];

const figures = (log: LoggedLists, options: Options = {}) =>
  Object.fromEntries(
    valueByPropensities('S', log, { ...options, isJudged: false }).map((each) => [
      each.estimator.replace('logged_', ''),
      each,
    ]),
  );

/** w = 1/2, 1, 2, 1 on single places that are worth 1, 0, 1, 0, each its own cluster. */
const SINGLE: LoggedLists = {
  ...{ requests: 4, cluster: [0, 1, 2, 3], clusters: 4, places: 1, length: 4 },
  ...{ request: [0, 1, 2, 3], rank: [0, 0, 0, 0], reward: [1, 0, 1, 0] },
  ...{ propensity: [0.5, 0.5, 0.25, 0.5], propensityOf: 'slot', target: [0.25, 0.5, 0.5, 0.5] },
};
const QUARTER = { predicted: [0.25, 0.25, 0.25, 0.25], expected: [0.25, 0.25, 0.25, 0.25] };

describe('four logged places of weights 1/2, 1, 2 and 1', () => {
  it('give 5/8 by ips, 5/9 self-normalised, 3/8 with weights cut at 1', () => {
    const { slot_ips: ips, slot_snips: snips } = figures(SINGLE);
    expect(ips.value).toBeCloseTo(5 / 8, DIGITS);
    expect(ips.stdErr ** 2).toBeCloseTo(43 / 192, DIGITS);
    expect(snips.value).toBeCloseTo(5 / 9, DIGITS);
    expect(snips.stdErr ** 2).toBeCloseTo(472 / 6561, DIGITS);
    expect(figures(SINGLE, { weightCap: 1 })['slot_ips'].value).toBeCloseTo(3 / 8, DIGITS);
  });

  it('have 81/25 effective rows, 25/17 of them rewarded', () => {
    const { weightSum, weightSquares } = weighLists(
      { ...SINGLE, target: SINGLE.target! },
      'slot',
      {},
    );
    expect(weightSum ** 2 / weightSquares).toBeCloseTo(81 / 25, DIGITS);
    expect(figures(SINGLE)['slot_ips'].ess).toBeCloseTo(25 / 17, DIGITS);
  });

  it('give 19/32 doubly robust with q̂ = 1/4, 5/9 self-normalised, 27/80 shrunk by λ = 1', () => {
    const log = { ...SINGLE, ...QUARTER };
    const { slot_dr: dr, slot_dros: dros } = figures(log, { shrinkage: 1 });
    expect(dr.value).toBeCloseTo(19 / 32, DIGITS);
    expect(dros.value).toBeCloseTo(27 / 80, DIGITS);
    const own = figures(log, { isSelfNormalised: true });
    expect(own['slot_dr'].value).toBeCloseTo(5 / 9, DIGITS);
    expect(own['slot_dr'].stdErr).toBeCloseTo(own['slot_snips'].stdErr, DIGITS);
    expect(own['slot_dros']).toBeUndefined();
  });
});

const LOGGER: PlackettLuce = { items: ['a', 'b', 'c'], weights: [2, 1, 1], places: 2 };
const [AB, THETA] = [
  ['a', 'b'],
  [1, 1 / 2],
];
const DRAWN: readonly Slate[] = [
  { list: ['a', 'b'], rewards: [0, 1] },
  { list: ['a', 'c'], rewards: [1, 0] },
  { list: ['b', 'a'], rewards: [1, 1] },
  { list: ['c', 'b'], rewards: [0, 1] },
];

describe('lists of a Plackett–Luce logger, a ½, b ¼, c ¼, for the target ab', () => {
  it.each([
    ['all four', DRAWN, { list: 1, prefix: 3 / 2, slot: 2, item: 33 / 20, cascade: 3 / 2 }],
    [
      'the first three',
      DRAWN.slice(0, 3),
      { list: 4 / 3, prefix: 2, slot: 5 / 3, item: 9 / 5, cascade: 23 / 12 },
    ],
  ] as const)('%s give each form its value', (_, drawn, { cascade, ...wanted }) => {
    const of = (propensityOf: PropensityOf) =>
      figures(slates(LOGGER, drawn, AB, propensityOf, { theta: THETA, q: () => 1 / 4 }));
    const all = { ...of('slot'), ...of('conditional'), ...of('item') };
    for (const [unit, value] of Object.entries(wanted)) {
      expect(all[`${unit}_ips`].value, unit).toBeCloseTo(value, DIGITS);
    }
    expect(all['prefix_dr'].value).toBeCloseTo(cascade, DIGITS);
  });
});

it('items are self-normalised by Σ θ w, and their error is that of three sums', () => {
  const log = slates(LOGGER, DRAWN, AB, 'item', { theta: THETA });
  const { item_snips: snips } = figures(log);
  // By request: Σ w c and Σ θ w of ab, ac, ba and cb, w_a = 3/2 and w_b = 6/5; T = 3/2 each.
  const [x, c] = [
    [6 / 5, 3 / 2, 27 / 10, 6 / 5],
    [21 / 10, 3 / 2, 39 / 20, 3 / 5],
  ];
  const [sumX, sumC] = [66 / 10, 123 / 20];
  const value = (sumX / sumC) * (3 / 2);
  expect(snips.value).toBeCloseTo(value, DIGITS);
  const psi = x.map((each, q) => value * (each / sumX - c[q] / sumC));
  expect(snips.stdErr).toBeCloseTo(Math.hypot(...psi), DIGITS);
});

it('a whole list is one weight, however many places it has', () => {
  const sums = weighLists(slates(LOGGER, DRAWN, AB, 'conditional'), 'list', {});
  // 1 / (1/2 · 1/2) for ab, 0 for the others.
  expect([sums.weightSum, sums.weightSquares, sums.largest]).toEqual([4, 16, 4]);
});

describe('over all lists that may be drawn', () => {
  /** What a form expects of one request, if what comes of a list is known. */
  const expectation = (
    logger: PlackettLuce,
    target: readonly string[],
    of: PropensityOf,
    form: string,
    rewards: (list: readonly string[]) => number[],
    q?: (item: string, rank: number) => number,
  ) =>
    allLists(logger).reduce((total, { list, chance }) => {
      const drawn = [{ list, rewards: rewards(list), cluster: 0 }];
      const options = q === undefined ? { theta: THETA } : { theta: THETA, q };
      return total + chance * figures(slates(logger, drawn, target, of, options))[form].value;
    }, 0);

  const aLogger = fc
    .array(fc.double({ min: 0.2, max: 3, noNaN: true }), { minLength: 4, maxLength: 4 })
    .map((weights): PlackettLuce => ({ items: ['a', 'b', 'c', 'd'], weights, places: 2 }));
  const target = ['c', 'a'];
  const worth = (item: string) => (item.charCodeAt(0) - 95) / 7;
  const total = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0);

  const byPlace = (list: readonly string[]) => list.map((item, k) => THETA[k] * worth(item));
  // Whether the second place is looked at depends on the first item.
  const fromTop = (list: readonly string[]) => [
    worth(list[0]),
    (1 - worth(list[0])) * worth(list[1]),
  ];
  // The first place depends on the second item too.
  const asWhole = (list: readonly string[]) =>
    list.map((item) => worth(item) * (list.includes('a') ? 1 : 0.3));

  it.each([
    ['slot', 'slot', byPlace],
    ['item', 'item', byPlace],
    ['prefix', 'conditional', byPlace],
    ['prefix', 'conditional', fromTop],
    ['list', 'conditional', asWhole],
  ] as const)('ips and dr by %s are right where they should be (%#)', (unit, of, rewards) => {
    fc.assert(
      fc.property(aLogger, (logger) => {
        const truth = total(rewards(target));
        const q = (item: string, rank: number) => worth(item) / (2 + rank);
        expect(expectation(logger, target, of, `${unit}_ips`, rewards)).toBeCloseTo(truth, 9);
        // q̂ of an item at a rank the target does not give it has nothing to correct.
        const own = unit === 'item' ? (item: string, rank: number) => THETA[rank] * worth(item) : q;
        expect(expectation(logger, target, of, `${unit}_dr`, rewards, own)).toBeCloseTo(truth, 9);
      }),
      { numRuns: 10 },
    );
  });

  it.each([
    ['slot', 'slot', fromTop],
    ['item', 'item', fromTop],
    ['prefix', 'conditional', asWhole],
  ] as const)('ips by %s is wrong for users it does not fit (%#)', (unit, of, rewards) => {
    const value = expectation(LOGGER, ['c', 'a'], of, `${unit}_ips`, rewards);
    expect(Math.abs(value - total(rewards(['c', 'a'])))).toBeGreaterThan(0.01);
  });
});

describe('identities', () => {
  const aSlate = fc
    .record({
      list: fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 2, maxLength: 2 }),
      at: fc.nat(3),
    })
    .map(({ list, at }): Slate => ({ list, rewards: [at % 2, at >> 1] }));
  const some = fc.array(aSlate, { minLength: 3, maxLength: 12 });

  it('with constant q̂ self-normalised dr is snips; with q̂ = 0 dr is ips', () => {
    fc.assert(
      fc.property(some, (drawn) => {
        // Each slot of the target has to be seen.
        const log = slates(LOGGER, [...drawn, { list: AB, rewards: [0, 0] }], AB, 'slot', {
          q: () => 0.3,
        });
        const { slot_dr: dr, slot_snips: snips } = figures(log, { isSelfNormalised: true });
        expect(dr.value).toBeCloseTo(snips.value, 9);
        const zero = figures(slates(LOGGER, drawn, AB, 'slot', { q: () => 0 }));
        expect(zero['slot_dr'].value).toBeCloseTo(zero['slot_ips'].value, 12);
        expect(zero['slot_dr'].stdErr).toBeCloseTo(zero['slot_ips'].stdErr, 12);
      }),
    );
  });

  it('with one place all forms are the same, in value and error', () => {
    const one = { ...LOGGER, places: 1 };
    fc.assert(
      fc.property(some, (drawn) => {
        const cut = drawn.map(({ list, rewards }) => ({ list: list.slice(0, 1), rewards }));
        const of = (propensityOf: PropensityOf) => figures(slates(one, cut, ['a'], propensityOf));
        const all = { ...of('slot'), ...of('conditional'), ...of('item') };
        for (const form of ['ips', 'snips']) {
          const wanted = all[`slot_${form}`];
          for (const unit of ['prefix', 'list', 'item']) {
            const { value, stdErr, ess } = all[`${unit}_${form}`];
            if (form === 'snips' && !cut.some(({ list }) => list[0] === 'a')) continue;
            expect(value).toBeCloseTo(wanted.value, 12);
            expect(stdErr).toBeCloseTo(wanted.stdErr, 12);
            expect(ess).toBeCloseTo(wanted.ess, 9);
          }
        }
      }),
    );
  });

  it('sums of a split by requests are the sums of the whole', () => {
    fc.assert(
      fc.property(some, fc.nat(11), (drawn, cut) => {
        const sumsOf = (own: readonly Slate[]) => {
          const log = slates(LOGGER, own, AB, 'conditional', { q: (item) => item.length / 5 });
          return weighLists({ ...log, clusters: 12 }, 'prefix', { shrinkage: 2 });
        };
        const numbered = drawn.map((each, cluster) => ({ ...each, cluster }));
        const whole = sumsOf(numbered);
        const merged = sumsOf(numbered.slice(0, (cut % (drawn.length - 1)) + 1));
        merged.merge(sumsOf(numbered.slice((cut % (drawn.length - 1)) + 1)));
        expect(merged).toEqual(whole);
      }),
    );
  });

  it('arms are a logger of slots and of lists: same slot gives 1, 1/2, 1/2, same list S 0', () => {
    const armsAs = (model: number, unit: 'slot' | 'list'): LoggedLists => {
      const rows = FOUR_REQUESTS.flatMap(({ lists, arm, rewards = {} }, request) =>
        lists[arm].map((item, rank) => {
          const isAt = (list: readonly string[]) => list[rank] === item;
          const isSame = (list: readonly string[]) => list.join() === lists[arm].join();
          const is = unit === 'slot' ? isAt : isSame;
          const propensity = (Number(is(lists[0])) + Number(is(lists[1]))) / 2;
          const target = Number(is(lists[model]));
          // The whole weight lies on the first place.
          const first =
            unit === 'slot' || rank === 0 ? { propensity, target } : { propensity: 1, target: 1 };
          return { request, rank, reward: rewards[item] ?? 0, ...first };
        }),
      );
      const column = (key: 'request' | 'rank' | 'reward' | 'propensity' | 'target') =>
        rows.map((row) => row[key]);
      return {
        ...{ requests: 4, cluster: [0, 1, 2, 3], clusters: 4, places: 2, length: rows.length },
        ...{ request: column('request'), rank: column('rank'), reward: column('reward') },
        ...{ propensity: column('propensity'), target: column('target') },
        propensityOf: unit === 'slot' ? 'slot' : 'conditional',
      };
    };
    const same = [0, 1, 2].map((model) => figures(armsAs(model, 'slot'))['slot_ips'].value);
    for (const [n, value] of [1, 1 / 2, 1 / 2].entries())
      expect(same[n]).toBeCloseTo(value, DIGITS);
    expect(figures(armsAs(2, 'list'))['list_ips'].value).toBe(0);
  });
});

describe('what speaks against logged propensities', () => {
  const many = (count: number, rareEvery: number, rare: number): LoggedLists => {
    const index = Array.from({ length: count }, (_, n) => n);
    return {
      ...{ requests: count, cluster: index, clusters: count, places: 1, length: count },
      ...{ request: index, rank: index.map(() => 0), propensityOf: 'slot' },
      reward: index.map((n) => (n % 3 === 0 ? 1 : 0)),
      propensity: index.map((n) => (n % rareEvery === 0 ? rare : 0.5)),
      target: index.map((n) => (n % 2 === 0 ? 0.9 : 0.1)),
    };
  };
  const codes = (log: LoggedLists) =>
    valueByPropensities('S', log).map(({ isRefused, decides, reasons }) => [
      isRefused,
      decides,
      reasons.map(({ code }) => `${code}: ${VALUE_REMEDIES[code]}`),
    ]);

  it('nothing, where weights average to 1 and many are rewarded', () => {
    expect(codes(many(400, 1e9, 0.5))).toEqual([
      [false, true, []],
      [false, true, []],
    ]);
  });

  it('one row that carries a tenth of all weights, and a mean weight that is off 1', () => {
    const [[isRefused, , reasons]] = codes(many(400, 399, 0.001));
    expect(isRefused).toBe(true);
    expect(reasons).toContain('heavy_row: more_even_shares');
    const half = { ...many(400, 1e9, 0.5), propensity: new Array(400).fill(0.8) };
    expect(codes(half)[0][2]).toEqual(['mean_weight_off: correct_propensities']);
  });

  it('few rewards decide nothing; an unknown target has no value', () => {
    expect(codes(many(40, 1e9, 0.5))[0]).toEqual([false, false, ['few_rewards: longer_window']]);
    const { target, ...unknown } = many(400, 1e9, 0.5);
    expect(target).toHaveLength(400);
    const [[isRefused, decides, reasons]] = codes(unknown as LoggedLists);
    expect([isRefused, decides, reasons]).toEqual([true, false, ['target_unknown: log_target']]);
    expect(valueByPropensities('S', unknown as LoggedLists)[0]).toMatchObject({
      value: Number.NaN,
    });
  });

  it('the mean weight of items is compared with θ', () => {
    const log = slates(LOGGER, [...DRAWN, ...DRAWN], AB, 'item', { theta: THETA });
    const sums = weighLists(log, 'item', {});
    // Σ θ w over Σ θ: ab 1.5 + .6, ac 1.5, ba 1.2 + .75, cb .6 over 6.
    expect(meanWeight(sums, THETA).mean).toBeCloseTo((2.1 + 1.5 + 1.95 + 0.6) / 6, DIGITS);
    expect(judgeLists([], sums, { theta: THETA })).toEqual([]);
  });

  it('places out of order and impossible chances are refused in one line', () => {
    const with_ = (change: Partial<LoggedLists>) => () =>
      valueByPropensities('S', { ...SINGLE, ...change });
    expect(with_({ propensity: [0.5, 0, 1, 1] })).toThrow('above 0, to 1, not 0');
    expect(with_({ propensity: [0.5, 1, 1.5, 1] })).toThrow('above 0, to 1, not 1.5');
    expect(with_({ target: [0.5, 1, -1, 1] })).toThrow('from 0 to 1, not -1');
    expect(with_({ rank: [0, 1, 0, 0] })).toThrow('place 1 is out of order');
    expect(with_({ request: [0, 2, 1, 3] })).toThrow('place 2 is out of order');
    expect(with_({ propensityOf: 'item' })).toThrow('need θ of all 1 places');
    expect(with_({ predicted: [0, 0, 0, 0] })).toThrow('need those that the target');
    expect(with_({ clusters: 3 })).toThrow('cluster of request 3 must be below 3, not 3');
    expect(with_({ requests: 3 })).toThrow('place 3 is at rank 0 of request 3');
    expect(with_({ places: 0 })).toThrow('place 0 is at rank 0');
  });
});

it('several loggers are balanced by the chance that any of them shows the item', () => {
  expect([
    ...balancedPropensity(
      [0.9, 0.1],
      [
        [0.2, 1],
        [0.7, 0],
      ],
    ),
  ]).toEqual([expect.closeTo(0.25, 12), expect.closeTo(0.9, 12)]);
});
