import { expect, it } from 'vitest';
import { Random } from '../../src/estimators/mathematics/random.js';
import type { LoggedLists } from '../../src/features/values/logged/logged-lists.js';
import {
  type ValueByPropensitiesOptions,
  valueByPropensities,
} from '../../src/features/values/logged/value-by-propensities.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';

/** A list of two places of six items; the logger draws each place by chance from those that are left. */
const ITEMS = 6;
const PLACES = 2;
const TYPES = 12;
const GROUPS = 64;
const REQUESTS = 4000;
const WINDOWS = repetitions(5, 1000);
const THETA = [1, 0.5];

interface RequestType {
  readonly worth: readonly number[];
  readonly strength: readonly number[];
  /** The target's list. */
  readonly target: readonly number[];
}

/** Kinds of requests: the logger prefers what is worth more, and so does the target, by other noise. */
const world: readonly RequestType[] = (() => {
  const random = new Random(11, 'types');
  return Array.from({ length: TYPES }, () => {
    const worth = Array.from({ length: ITEMS }, () => 0.05 + 0.4 * random.next());
    const score = worth.map((each) => each + 0.1 * random.normal());
    const target = [...score.keys()].sort((i, j) => score[j] - score[i]).slice(0, PLACES);
    return { worth, strength: worth.map((each) => Math.exp(3 * each)), target };
  });
})();

type Users = 'position' | 'cascade';

/** The chance of a click at each place. */
function chances({ worth }: RequestType, list: readonly number[], users: Users): number[] {
  const [first, second] = list.map((item) => worth[item]);
  return users === 'position'
    ? [THETA[0] * first, THETA[1] * second]
    : [first, (1 - first) * second];
}

const TRUTH = (users: Users) =>
  world.reduce(
    (sum, type) => sum + chances(type, type.target, users).reduce((a, b) => a + b, 0) / TYPES,
    0,
  );

function draw(seed: number, users: Users, propensityOf: 'slot' | 'conditional'): LoggedLists {
  const random = new Random(seed, 'requests');
  const each = () => new Float64Array(REQUESTS * PLACES);
  const request = each();
  const rank = each();
  const reward = each();
  const propensity = each();
  const target = each();
  const predicted = each();
  const expected = each();
  const cluster = new Int32Array(REQUESTS);
  for (let q = 0; q < REQUESTS; q++) {
    cluster[q] = random.below(GROUPS);
    const type = world[random.below(TYPES)];
    const { list, slot, conditional } = drawn(type, random);
    const clicks = list.map((item, k) => {
      const theta = users === 'position' ? THETA[k] : 1;
      return random.next() < theta * type.worth[item];
    });
    // Users who go from the top stop at a click.
    if (users === 'cascade' && clicks[0]) clicks[1] = false;
    for (let k = 0; k < PLACES; k++) {
      const at = q * PLACES + k;
      request[at] = q;
      rank[at] = k;
      reward[at] = clicks[k] ? 1 : 0;
      propensity[at] = (propensityOf === 'slot' ? slot : conditional)[k];
      target[at] = list[k] === type.target[k] ? 1 : 0;
      // Of all users, and too high: unbiased whatever it says.
      predicted[at] = THETA[k] * (0.1 + 0.8 * type.worth[list[k]]);
      expected[at] = THETA[k] * (0.1 + 0.8 * type.worth[type.target[k]]);
    }
  }
  const columns = { request, rank, reward, propensity, target, predicted, expected };
  return {
    requests: REQUESTS,
    cluster,
    clusters: GROUPS,
    places: PLACES,
    ...columns,
    length: REQUESTS * PLACES,
    propensityOf,
  };
}

/** A list with the chances of its items at their places, in all and given those above. */
function drawn({ strength }: RequestType, random: Random) {
  const all = strength.reduce((sum, each) => sum + each, 0);
  const pick = (total: number, without: number) => {
    let left = random.next() * total;
    for (let item = 0; item < ITEMS; item++) {
      if (item === without) continue;
      left -= strength[item];
      if (left < 0) return item;
    }
    return without === ITEMS - 1 ? ITEMS - 2 : ITEMS - 1;
  };
  const first = pick(all, -1);
  const second = pick(all - strength[first], first);
  const given = strength[second] / (all - strength[first]);
  const above = strength.map((own, item) =>
    item === second ? 0 : ((own / all) * strength[second]) / (all - own),
  );
  return {
    list: [first, second],
    conditional: [strength[first] / all, given],
    slot: [strength[first] / all, above.reduce((sum, each) => sum + each, 0)],
  };
}

function tally(users: Users, propensityOf: 'slot' | 'conditional') {
  const options: ValueByPropensitiesOptions = { shrinkage: 1_000_000, isJudged: false };
  const found = new Map<string, { covered: number; values: number[]; errors: number[] }>();
  const truth = TRUTH(users);
  for (let n = 0; n < WINDOWS; n++) {
    for (const row of valueByPropensities('T', draw(300 + n, users, propensityOf), options)) {
      const own = found.get(row.estimator) ?? { covered: 0, values: [], errors: [] };
      found.set(row.estimator, own);
      own.values.push(row.value);
      own.errors.push(row.stdErr);
      if (row.lower <= truth && truth <= row.upper) own.covered++;
    }
  }
  return { truth, found };
}

it.each([
  ['who click each position independently, by position', 'position', 'slot'],
  ['who scan from the top, by prefix and list', 'cascade', 'conditional'],
] as const)(
  'all forms are unbiased and their intervals cover for users %s',
  (_, users, propensityOf) => {
    const { truth, found } = tally(users, propensityOf);
    expect(found.size).toBe(propensityOf === 'slot' ? 4 : 8);
    for (const [form, { covered, values, errors }] of found) {
      const mean = values.reduce((sum, each) => sum + each, 0) / WINDOWS;
      const stdErr = Math.sqrt(errors.reduce((sum, each) => sum + each * each, 0)) / WINDOWS;
      expect(Math.abs(mean - truth), form).toBeLessThan(0.002 * truth + 3 * stdErr);
      if (IS_LONG) {
        expect(covered / WINDOWS, form).toBeGreaterThanOrEqual(0.93);
        expect(covered / WINDOWS, form).toBeLessThanOrEqual(0.97);
      } else expect(covered, form).toBeGreaterThanOrEqual(WINDOWS - 2);
    }
  },
);

it('positions taken independently are biased for users who scan from the top', () => {
  const { truth, found } = tally('cascade', 'slot');
  const { values } = found.get('logged_slot_snips')!;
  const mean = values.reduce((sum, each) => sum + each, 0) / WINDOWS;
  expect(mean / truth - 1).toBeGreaterThan(0.01);
});
