import { describe, expect, it } from 'vitest';
import { valueByArms } from '../../../../../src/features/values/arms/value-by-arms.js';
import type { ValueEstimate } from '../../../../../src/features/values/value-estimate.js';
import { FOUR_REQUESTS, HALF_AND_HALF, TWO_PLACES } from '../../../../support/golden-arms.js';
import { servedLog } from '../../../../support/value-log.js';

const DIGITS = 13;

function find(estimates: readonly ValueEstimate[], model: string, estimator: string) {
  const found = estimates.find((each) => each.model === model && each.estimator === estimator);
  return found ?? expect.fail(`${estimator} of ${model} is missing`);
}

describe('four requests of two arms with θ = (1, 1/2)', () => {
  const log = servedLog(FOUR_REQUESTS, HALF_AND_HALF, 1 / 4);
  const empirical = valueByArms(log, { theta: TWO_PLACES, isJudged: false });
  const declared = valueByArms(log, { theta: TWO_PLACES, shares: 'declared', isJudged: false });

  it.each([
    ['A', 2 / 3],
    ['B', 5 / 6],
    ['S', 13 / 12],
  ])('give %s the value %d by inverse propensities', (model, value) => {
    expect(find(empirical, model, 'arms_ips').value).toBeCloseTo(value, DIGITS);
    expect(find(declared, model, 'arms_ips').value).toBeCloseTo(value, DIGITS);
  });

  it('give the arms 1 and 1/2 on policy, and the challenger nothing', () => {
    expect(find(empirical, 'A', 'on_policy').value).toBeCloseTo(1, DIGITS);
    expect(find(empirical, 'B', 'on_policy').value).toBeCloseTo(1 / 2, DIGITS);
    expect(empirical.some((each) => each.model === 'S' && each.estimator === 'on_policy')).toBe(
      false,
    );
  });

  it('give the challenger se² 37/216 with empirical shares, 25/144 with declared ones', () => {
    expect(find(empirical, 'S', 'arms_ips').stdErr ** 2).toBeCloseTo(37 / 216, DIGITS);
    expect(find(declared, 'S', 'arms_ips').stdErr ** 2).toBeCloseTo(25 / 144, DIGITS);
  });

  it('cover 3/4 of the challenger, with 169/61 effective rewards', () => {
    const { coverage, ess, bound } = find(empirical, 'S', 'arms_ips');
    expect(coverage).toBeCloseTo(3 / 4, DIGITS);
    expect(ess).toBeCloseTo(169 / 61, DIGITS);
    expect(bound).toBeNaN();
  });

  it('bound the whole list by what its unsupported places may be worth', () => {
    const [{ bound }] = valueByArms(log, {
      theta: TWO_PLACES,
      mostReward: 2,
      isJudged: false,
    }).filter(({ model, estimator }) => model === 'S' && estimator === 'arms_ips');
    // Σ θ of w: 1/2 at q2, 1 at q4.
    expect(bound).toBeCloseTo(13 / 12 + (2 * 3) / 2 / 4, DIGITS);
  });

  it('give 13/16 self-normalised, se² 1583/27648', () => {
    const { value, stdErr } = find(empirical, 'S', 'arms_snips');
    expect(value).toBeCloseTo(13 / 16, DIGITS);
    expect(stdErr ** 2).toBeCloseTo(1583 / 27648, DIGITS);
  });

  it('give 95/96 doubly robust with r̂ = 1/4, se² 1913/13824', () => {
    const { value, stdErr } = find(empirical, 'S', 'arms_dr');
    expect(value).toBeCloseTo(95 / 96, DIGITS);
    expect(stdErr ** 2).toBeCloseTo(1913 / 13824, DIGITS);
  });
});

it('a ramp-up is valued by the strata of its shares: 3/4, pooled 2/3', () => {
  const served = (arm: number, stratum: number, reward: number) => ({
    ...{ lists: [['x'], ['y']], arm, stratum },
    rewards: { [arm === 0 ? 'x' : 'y']: reward },
  });
  const ramp = [served(0, 0, 1), served(0, 0, 0), served(1, 0, 0), served(1, 0, 0)];
  ramp.push(served(0, 1, 1), served(1, 1, 0), served(1, 1, 0), served(1, 1, 0));
  const design = { models: ['A', 'B'], arms: [{ list: 0 }, { list: 1 }] };
  const log = servedLog(ramp, {
    ...design,
    shares: [
      [1 / 2, 1 / 2],
      [1 / 4, 3 / 4],
    ],
  });
  const values = valueByArms(log, { theta: [1], leastServed: 1, isJudged: false });
  expect(find(values, 'A', 'on_policy').value).toBeCloseTo(3 / 4, DIGITS);
  expect(find(values, 'A', 'arms_ips').value).toBeCloseTo(3 / 4, DIGITS);
  // An arm that was served once has no spread: its stratum is merged with the one before.
  expect(
    find(valueByArms(log, { theta: [1], isJudged: false }), 'A', 'on_policy').value,
  ).toBeCloseTo(2 / 3, DIGITS);
});

it('lists drawn at random value any list: 5/3 from clicks at its ranks 0 and 1 and none', () => {
  const drawn = (list: string, click: string | undefined) => ({
    ...{ lists: [list.split(' '), ['a', 'b']], arm: 0, candidates: 5 },
    rewards: click === undefined ? {} : { [click]: 1 },
  });
  const log = servedLog([drawn('c a', 'a'), drawn('b e', 'b'), drawn('d c', undefined)], {
    ...{ models: ['random', 'S'], arms: [{ list: 0, isUniform: true }], shares: [[1]] },
  });
  const values = valueByArms(log, { theta: TWO_PLACES, isJudged: false });
  expect(find(values, 'S', 'uniform_ips')).toMatchObject({ coverage: 1, requests: 3 });
  expect(find(values, 'S', 'uniform_ips').value).toBeCloseTo(5 / 3, DIGITS);
  expect(values.map(({ model, estimator }) => `${model} ${estimator}`)).toEqual([
    'random on_policy',
    'S uniform_ips',
    'S uniform_snips',
  ]);
});

it('θ that does not begin with the first place is refused', () => {
  const log = servedLog(FOUR_REQUESTS, HALF_AND_HALF);
  expect(() => valueByArms(log, { theta: [0.5, 1] })).toThrow('must begin with 1');
  expect(() => valueByArms(log, { theta: [1, Number.NaN] })).toThrow('at least 0, not NaN');
});

describe('columns that do not fit each other are refused in one line', () => {
  const log = servedLog(FOUR_REQUESTS, HALF_AND_HALF);
  const { requests, items } = log;
  it.each([
    [
      'the arm of request 1 must be a whole number below 2, not 2',
      { requests: { ...requests, arm: [0, 2, 0, 1] } },
    ],
    ['the stratum of request 0 must', { requests: { ...requests, stratum: [1, 0, 0, 0] } }],
    ['the cluster of request 3 must', { clusters: 3 }],
    [
      'the request of item 0 must',
      { items: { ...items, request: items.reward }, requests: { ...requests, length: 0 } },
    ],
    [
      'the reward of item 0 must be a number, not NaN',
      { items: { ...items, reward: Array(12).fill(Number.NaN) } },
    ],
    ['3 models and 2 columns of ranks', { items: { ...items, ranks: items.ranks.slice(1) } }],
    ['2 arms and 1 shares in stratum 0', { shares: [[1]] }],
    ['the column of arm 0 must', { arms: [{ list: 3 }, { list: 1 }] }],
    [
      'drawn from at least 2 candidates, not 0',
      { arms: [{ list: 0, isUniform: true }, { list: 1 }] },
    ],
  ])('%s', (message, change) => {
    expect(() => valueByArms({ ...log, ...change }, { theta: TWO_PLACES })).toThrow(message);
  });
});
