import { describe, expect, it } from 'vitest';
import type { ValueOptions } from '../../../src/features/values/value-options.js';
import type { ValueRow } from '../../../src/features/values/value-row.js';
import { ipsByDefinition } from '../../oracle/value-arms.js';
import { differences } from '../../support/compare.js';
import { type Event, feed, smallOptions } from '../../support/log.js';
import { evaluated, requestEvents } from '../../support/request-events.js';
import type { LoggedRequest } from '../../support/value-log.js';

const DIGITS = 13;
const theta = [1, 1 / 2];
const KNOWN: ValueOptions = { horizonMs: 50, unit: 'request', theta, isJudged: false };
const options = (value: ValueOptions) =>
  smallOptions({
    ...{ value, windows: [{ name: 'w', ms: 1000 }] },
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

describe('requests that lists drawn at random serve', () => {
  it('give a challenger its golden value', async () => {
    const written = { models: ['R', 'S'], shares: [[1, undefined]], says: { R: drawn } };
    const rows = await valuesOf(requestEvents(drawnAlone, written));
    const {
      value,
      more: { coverage },
    } = find(rows, 'S', 'uniform_ips');
    expect([value, coverage]).toEqual([expect.closeTo(5 / 3, DIGITS), 1]);
    expect(find(rows, 'R', 'on_policy').value).toBeCloseTo(2 / 3, DIGITS);
  });

  it('say by propensities alike from how many items they were drawn', async () => {
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
  ...{ requests: MIXED, theta, isEmpirical: true, shares: [[0.7, 0.3]] },
  arms: [{ list: 0 }, { list: 1, isUniform }],
});
const MIXED_DRAWN = { randomized: true, candidates: 6 };

describe('an arm whose lists are drawn at random', () => {
  it('supports every item, by its share over the number of candidates', async () => {
    const {
      value,
      stdErr,
      more: { coverage },
    } = find(await valuesOf(written(MIXED_DRAWN)), 'S', 'arms_ips');
    const wanted = ipsByDefinition(world(true), 2);
    expect(value).toBeCloseTo(wanted.value, DIGITS);
    expect(stdErr).toBeCloseTo(wanted.stdErr, DIGITS);
    expect(coverage).toBe(1);
  });

  it.each([
    ['no candidates', { randomized: true }],
    ['propensities that differ', { randomized: true, propensities: [0.2, 0.1] }],
    ['propensities of items', { randomized: true, propensities: [0.2, 0.2], propensityOf: 'item' }],
  ])('counts for what it shows where it says %s, and that is said', async (_, says) => {
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

  it('says nothing of candidates where all of them are known', async () => {
    const judged = await valuesOf(written(MIXED_DRAWN), { ...KNOWN, isJudged: true });
    for (const { reasons } of judged) {
      expect(reasons.map(({ code }) => code)).not.toContain('candidates_unknown');
    }
  });

  it('counts for what it shows where some of its lists are not drawn', async () => {
    const events = written(MIXED_DRAWN).map((event) =>
      'request' in event && event['request'] === 'q4' ? { ...event, randomized: false } : event,
    ) as Event[];
    const { value } = find(await valuesOf(events), 'S', 'arms_ips');
    expect(value).toBeCloseTo(ipsByDefinition(world(false), 2).value, DIGITS);
    const judged = await valuesOf(events, { ...KNOWN, isJudged: true });
    const [found] = find(judged, 'S', 'arms_ips').reasons.filter(
      ({ code }) => code === 'candidates_unknown',
    );
    expect(found?.figures).toEqual({ share: expect.closeTo(1 / 30, DIGITS) });
  });

  it('fills the places of its own list alone, and starts when it is launched', async () => {
    // Before the launch A serves alone; after it lists are drawn for the first place.
    const requests = MIXED.map((each, q): LoggedRequest => {
      if (q < 10) return { ...each, arm: 0, stratum: 0, rewards: q % 2 === 0 ? { a: 1 } : {} };
      const lists = [each.lists[0], each.lists[1].slice(0, 1), each.lists[2]];
      const shown = Object.keys(each.rewards ?? {}).filter((i) => lists[each.arm].includes(i));
      const rewards = Object.fromEntries(shown.map((item) => [item, 1]));
      return { ...each, lists, rewards, stratum: 1, drawn: [0, 1] };
    });
    const shares = [[1, undefined, undefined], SHARES[0]];
    const events = requestEvents(requests, { models: MODELS, shares, says: { R: MIXED_DRAWN } });
    const before = events.filter(
      (event) => !('model' in event && event.model === 'R' && event.share === undefined),
    );
    const { value } = find(await valuesOf(before), 'S', 'arms_ips');
    const wanted = ipsByDefinition(
      {
        ...world(true),
        requests,
        shares: [
          [1, 0],
          [0.7, 0.3],
        ],
      },
      2,
    );
    expect(value).toBeCloseTo(wanted.value, DIGITS);
  });

  it('gives the same in a stream, in one partition and in several', () => {
    const late: Event = {
      ...{ type: 'interaction', id: 'later', ts: 1_000_900, user: 'u0', item: 'x', value: 0 },
    };
    const log = [...written(MIXED_DRAWN), late];
    const last = (partitions: number) =>
      feed(log, options(KNOWN), { partitions, batchSize: 3, run: 1 })
        .snapshots.flatMap(({ windows }) => (windows[0].values ? [windows[0].values] : []))
        .at(-1)!;
    expect(find(last(1), 'S', 'arms_ips').value).toBeCloseTo(
      ipsByDefinition(world(true), 2).value,
      DIGITS,
    );
    expect(differences(last(3), last(1), 1e-12)).toEqual([]);
  });
});
