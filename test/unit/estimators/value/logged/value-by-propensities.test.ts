import { describe, expect, it } from 'vitest';
import { judgeLists, meanWeight } from '../../../../../src/features/values/judge-lists.js';
import type { LoggedLists } from '../../../../../src/features/values/logged/logged-lists.js';
import { valueByPropensities } from '../../../../../src/features/values/logged/value-by-propensities.js';
import { weighLists } from '../../../../../src/features/values/logged/weigh-lists.js';
import { VALUE_REMEDIES } from '../../../../../src/features/values/reasons.js';
import type { PlackettLuce } from '../../../../oracle/value-lists.js';
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
  requests: 4,
  cluster: [0, 1, 2, 3],
  clusters: 4,
  places: 1,
  length: 4,
  request: [0, 1, 2, 3],
  rank: [0, 0, 0, 0],
  reward: [1, 0, 1, 0],
  propensity: [0.5, 0.5, 0.25, 0.5],
  propensityOf: 'slot',
  target: [0.25, 0.5, 0.5, 0.5],
};

const LOGGER: PlackettLuce = { items: ['a', 'b', 'c'], weights: [2, 1, 1], places: 2 };
const AB = ['a', 'b'];
const THETA = [1, 1 / 2];
const DRAWN: readonly Slate[] = [
  { list: ['a', 'b'], rewards: [0, 1] },
  { list: ['a', 'c'], rewards: [1, 0] },
  { list: ['b', 'a'], rewards: [1, 1] },
  { list: ['c', 'b'], rewards: [0, 1] },
];

it('normalises items by Σ θ w and gives the error of the ratio', () => {
  const log = slates(LOGGER, DRAWN, AB, 'item', { theta: THETA });
  const { item_snips: snips } = figures(log);
  // By request: Σ w c and Σ θ w of ab, ac, ba and cb, w_a = 3/2 and w_b = 6/5; T = 3/2 each.
  const x = [6 / 5, 3 / 2, 27 / 10, 6 / 5];
  const c = [21 / 10, 3 / 2, 39 / 20, 3 / 5];
  const sumX = 66 / 10;
  const sumC = 123 / 20;
  const value = (sumX / sumC) * (3 / 2);
  expect(snips.value).toBeCloseTo(value, DIGITS);
  const psi = x.map((each, q) => value * (each / sumX - c[q] / sumC));
  expect(snips.stdErr).toBeCloseTo(Math.hypot(...psi), DIGITS);
});

describe('objections to logged propensities', () => {
  const many = (count: number, rareEvery: number, rare: number): LoggedLists => {
    const index = Array.from({ length: count }, (_, n) => n);
    return {
      requests: count,
      cluster: index,
      clusters: count,
      places: 1,
      length: count,
      request: index,
      rank: index.map(() => 0),
      propensityOf: 'slot',
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

  it('are none if weights average to 1 and many requests have rewards', () => {
    expect(codes(many(400, 1e9, 0.5))).toEqual([
      [false, true, []],
      [false, true, []],
    ]);
  });

  it('are a row with a tenth of the weight, and a mean weight off 1', () => {
    const [[isRefused, , reasons]] = codes(many(400, 399, 0.001));
    expect(isRefused).toBe(true);
    expect(reasons).toContain('heavy_row: more_even_shares');
    const half = { ...many(400, 1e9, 0.5), propensity: new Array(400).fill(0.8) };
    expect(codes(half)[0][2]).toEqual(['mean_weight_off: correct_propensities']);
  });

  it('are few rewards, which support no verdict, and an unknown target', () => {
    expect(codes(many(40, 1e9, 0.5))[0]).toEqual([false, false, ['few_rewards: longer_window']]);
    const { target, ...unknown } = many(400, 1e9, 0.5);
    expect(target).toHaveLength(400);
    const [[isRefused, decides, reasons]] = codes(unknown as LoggedLists);
    expect([isRefused, decides, reasons]).toEqual([true, false, ['target_unknown: log_target']]);
    expect(valueByPropensities('S', unknown as LoggedLists)[0]).toMatchObject({
      value: Number.NaN,
    });
  });

  it('compare the mean weight of items with θ', () => {
    const log = slates(LOGGER, [...DRAWN, ...DRAWN], AB, 'item', { theta: THETA });
    const sums = weighLists(log, 'item', {});
    // Σ θ w over Σ θ: ab 1.5 + .6, ac 1.5, ba 1.2 + .75, cb .6 over 6.
    expect(meanWeight(sums, THETA).mean).toBeCloseTo((2.1 + 1.5 + 1.95 + 0.6) / 6, DIGITS);
    expect(judgeLists([], sums, { theta: THETA })).toEqual([]);
  });

  it('reject positions out of order and impossible probabilities with an error', () => {
    const with_ = (change: Partial<LoggedLists>) => () =>
      valueByPropensities('S', { ...SINGLE, ...change });
    expect(with_({ propensity: [0.5, 0, 1, 1] })).toThrow('above 0 and at most 1, not 0');
    expect(with_({ propensity: [0.5, 1, 1.5, 1] })).toThrow('above 0 and at most 1, not 1.5');
    expect(with_({ target: [0.5, 1, -1, 1] })).toThrow('from 0 to 1, not -1');
    expect(with_({ rank: [0, 1, 0, 0] })).toThrow('row 1 is out of order');
    expect(with_({ request: [0, 2, 1, 3] })).toThrow('row 2 is out of order');
    expect(with_({ propensityOf: 'item' })).toThrow('of all 1 positions');
    expect(with_({ predicted: [0, 0, 0, 0] })).toThrow('must be given together');
    expect(with_({ clusters: 3 })).toThrow('cluster of request 3 must be below 3, not 3');
    expect(with_({ requests: 3 })).toThrow('row 3 has rank 0 of request 3');
    expect(with_({ places: 0 })).toThrow('row 0 has rank 0');
  });
});
