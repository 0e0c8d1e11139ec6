import { describe, expect, it } from 'vitest';
import type { ValueOptions } from '../../../src/features/values/value-options.js';
import type { ValueRow } from '../../../src/features/values/value-row.js';
import { ipsByDefinition } from '../../oracle/value-arms.js';
import { type Event, smallOptions } from '../../support/log.js';
import { evaluated, requestEvents } from '../../support/request-events.js';
import type { LoggedRequest } from '../../support/value-log.js';

const DIGITS = 13;
const theta = [1, 1 / 2];
const KNOWN: ValueOptions = { horizonMs: 50, unit: 'request', theta, isJudged: false };
const options = (value: ValueOptions) =>
  smallOptions({
    value,
    windows: [{ name: 'w', ms: 1000 }],
    estimates: { ...smallOptions().estimates, metrics: ['recall'], ks: [1], estimators: ['naive'] },
  });
const valuesOf = async (events: readonly Event[], value = KNOWN) =>
  (await evaluated(events, options(value))).windows[0].values ?? [];
const find = (rows: readonly ValueRow[], model: string, estimator: string) =>
  rows.find((each) => each.model === model && each.estimator === estimator) ??
  expect.fail(`${estimator} of ${model} is missing`);

/** Five items; the challenger's first, its second, and none is clicked. */
const drawnAlone = [
  {
    lists: [
      ['a', 'c'],
      ['a', 'b'],
    ],
    arm: 0,
    rewards: { a: 1 },
  },
  {
    lists: [
      ['b', 'e'],
      ['a', 'b'],
    ],
    arm: 0,
    rewards: { b: 1 },
  },
  {
    lists: [
      ['d', 'e'],
      ['a', 'b'],
    ],
    arm: 0,
  },
] as const;
const drawn = { randomized: true, candidates: 5 };

describe('requests served with random lists', () => {
  it('give a challenger its exact value', async () => {
    const written = { models: ['R', 'S'], shares: [[1, undefined]], says: { R: drawn } };
    const rows = await valuesOf(requestEvents(drawnAlone, written));
    const {
      value,
      more: { coverage },
    } = find(rows, 'S', 'uniform_ips');
    expect([value, coverage]).toEqual([expect.closeTo(5 / 3, DIGITS), 1]);
    expect(find(rows, 'R', 'on_policy').value).toBeCloseTo(2 / 3, DIGITS);
  });

  it('may log equal propensities instead of the number of candidates', async () => {
    const says = { R: { randomized: true, propensities: [0.2, 0.2] } };
    const written = { models: ['R', 'S'], shares: [[1, undefined]], says };
    const rows = await valuesOf(requestEvents(drawnAlone, written));
    expect(find(rows, 'S', 'uniform_ips').value).toBeCloseTo(5 / 3, DIGITS);
  });
});

/** An arm, one that draws its list from six items, and a challenger with items of its own. */
const MIXED = Array.from({ length: 30 }, (_, q): LoggedRequest => {
  const items = ['a', 'b', 'c', 'd', 'e', 'f'];
  const first = items[(q * 5) % 6];
  const rest = items.filter((item) => item !== first);
  const lists = [['a', 'b'], [first, rest[(q * 7) % 5]], q % 2 === 0 ? ['c', 'a'] : ['f', 'd']];
  const arm = q % 3 === 0 ? 1 : 0;
  const clicked = lists[arm][q % 2];
  return {
    lists,
    arm,
    cluster: q % 8,
    candidates: 6,
    rewards: q % 4 === 3 ? {} : { [clicked]: 1 },
  };
});
const MODELS = ['A', 'R', 'S'];
const SHARES = [[0.7, 0.3, undefined]];
const written = (says: Record<string, unknown>, requests = MIXED) =>
  requestEvents(requests, { models: MODELS, shares: SHARES, says: { R: says } });
const world = (isUniform: boolean) => ({
  requests: MIXED,
  theta,
  isEmpirical: true,
  shares: [[0.7, 0.3]],
  arms: [{ list: 0 }, { list: 1, isUniform }],
});

describe('an arm of random lists', () => {
  it.each([
    ['no candidates', { randomized: true }],
    ['propensities that differ', { randomized: true, propensities: [0.2, 0.1] }],
    ['propensities of items', { randomized: true, propensities: [0.2, 0.2], propensityOf: 'item' }],
  ])('counts for its shown lists alone if it logs %s, with a reason', async (_, says) => {
    const judged = await valuesOf(written(says), { ...KNOWN, isJudged: true });
    const codes = find(judged, 'S', 'arms_ips').reasons.map(({ code }) => code);
    expect(codes).toContain('candidates_unknown');
    const {
      value,
      more: { coverage },
    } = find(await valuesOf(written(says)), 'S', 'arms_ips');
    expect(value).toBeCloseTo(ipsByDefinition(world(false), 2).value, DIGITS);
    expect(coverage).toBeLessThan(1);
  });
});
