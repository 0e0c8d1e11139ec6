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

  it('bound the value of a list by the most its unsupported positions can add', () => {
    const [{ bound }] = valueByArms(log, {
      theta: TWO_PLACES,
      mostReward: 2,
      isJudged: false,
    }).filter(({ model, estimator }) => model === 'S' && estimator === 'arms_ips');
    // Σ θ of w: 1/2 at q2, 1 at q4.
    expect(bound).toBeCloseTo(13 / 12 + (2 * 3) / 2 / 4, DIGITS);
  });
});

it('stratifies a ramp-up by its shares: 3/4, and 2/3 if strata are merged', () => {
  const served = (arm: number, stratum: number, reward: number) => ({
    lists: [['x'], ['y']],
    arm,
    stratum,
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

describe('columns that do not fit each other are rejected', () => {
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
