import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../src/estimators/mathematics/random.js';
import type { PropensityOf } from '../../../../../src/features/values/logged/logged-lists.js';
import { valueOfWindows } from '../../../../../src/features/values/value-of-windows.js';
import type { WindowValues } from '../../../../../src/features/values/window-values.js';
import { reasonOf } from '../../../../../src/rows/reading.js';
import { windowRequests } from '../../../../../src/state/requests/window-requests.js';
import { finish } from '../../../../oracle/finish.js';
import { RequestPartition } from '../../../../support/request-partition.js';

const NAMES = ['logger', 'target', 'armA', 'armB'];
/** Chance of a click on an item that is looked at. */
const WORTH = [0.6, 0.1, 0.3, 0.4, 0.5];
const THETA = [1, 0.5];
/** What the logger shows most of the time, and what it draws from else. */
const FOLLOWED = [0, 1];
const POOL = 4;
const TARGET = [2, 3];

interface World {
  readonly seed: number;
  readonly requests?: number;
  readonly users?: 'position' | 'cascade';
  readonly epsilon?: number;
  readonly target?: readonly number[];
  readonly propensityOf?: PropensityOf;
  /** What stated propensities are multiplied by. */
  readonly stated?: number;
  /** Share of requests without propensities, and of those without the target's list. */
  readonly bare?: number;
  readonly listless?: number;
  readonly targets?: readonly string[];
  /** Requests of an experiment in the same window. */
  readonly experiment?: number;
}

function clicksOf(random: Random, list: readonly number[], users: World['users']): number[] {
  const clicked: number[] = [];
  for (const [k, item] of list.entries()) {
    const chance = users === 'cascade' ? WORTH[item] : THETA[k] * WORTH[item];
    if (random.next() >= chance) continue;
    clicked.push(item);
    if (users === 'cascade') break;
  }
  return clicked;
}

function truthOf([first, second]: readonly number[], users: World['users']): number {
  if (users === 'cascade') return WORTH[first] + (1 - WORTH[first]) * WORTH[second];
  return THETA[0] * WORTH[first] + THETA[1] * WORTH[second];
}

/** Of two places: the followed list, or, with chance ε, any two of the pool in any order. */
function propensitiesOf(list: readonly number[], epsilon: number, of: PropensityOf): number[] {
  const slot = list.map((item, k) => {
    return (FOLLOWED[k] === item ? 1 - epsilon : 0) + epsilon / POOL;
  });
  if (of !== 'conditional') return slot;
  const isFollowed = list.every((item, k) => item === FOLLOWED[k]);
  const joint = (isFollowed ? 1 - epsilon : 0) + epsilon / (POOL * (POOL - 1));
  return [slot[0], joint / slot[0]];
}

function drawnList(random: Random, epsilon: number): number[] {
  if (random.next() >= epsilon) return FOLLOWED;
  const pool = Int32Array.from({ length: POOL }, (_, item) => item);
  random.shuffle(pool);
  return [...pool.subarray(0, 2)];
}

function valuesOf(world: World): WindowValues {
  const { requests = 4000, users = 'position', epsilon = 0.6, propensityOf = 'slot' } = world;
  const { target = TARGET, stated = 1, bare = 0, listless = 0, experiment = 0 } = world;
  const random = new Random(world.seed, 'logged');
  const partition = new RequestPartition();
  let id = 1;
  for (let q = 0; q < requests; q++) {
    const own = { request: 10 + q, user: random.below(requests / 4), ts: random.below(700) };
    const list = drawnList(random, epsilon);
    const isBare = random.next() < bare;
    const propensities = propensitiesOf(list, epsilon, propensityOf).map((p) => p * stated);
    const logged = isBare ? {} : { propensities, propensityOf };
    const served = id++;
    partition.list({ ...own, id: served, model: 0, items: list, isServed: true, ...logged });
    const hasList = random.next() >= listless;
    if (hasList) partition.list({ ...own, id: id++, model: 1, items: target });
    for (const item of clicksOf(random, list, users)) {
      partition.click(own.ts + 1, served, item, { user: own.user });
    }
  }
  for (let q = 0; q < experiment; q++) {
    const own = { request: 1_000_000 + q, user: random.below(300), ts: random.below(700) };
    const arm = random.below(2);
    const lists = [FOLLOWED, TARGET];
    const served = id + arm;
    for (const [m, items] of lists.entries()) {
      partition.list({ ...own, id: id++, model: 2 + m, items, share: 0.5, isServed: m === arm });
    }
    for (const item of clicksOf(random, lists[arm], users)) {
      partition.click(own.ts + 1, served, item, { user: own.user });
    }
  }
  partition.closeThrough(9);
  const panes = partition.state.closed.requests;
  const kept = finish(windowRequests(panes, 99, [0, 1, 2, 3], (user) => user));
  const options = { horizonMs: 250, unit: 'request', targets: world.targets } as const;
  const valued = finish(valueOfWindows([kept], NAMES, options));
  return finish(valued({ firstPane: 0, lastPane: 9, to: 10_000 }));
}

const rowOf = ({ values }: WindowValues, estimator: string, model = 'target') =>
  values.find((each) => each.estimator === estimator && each.model === model)!;
const codesOf = (values: WindowValues, estimator: string) =>
  rowOf(values, estimator).reasons.map(({ code }) => code);

/** Worlds that were drawn, since several forms are read off the same. */
const drawn = new Map<string, WindowValues>();
function drawnOnce(world: World): WindowValues {
  const key = JSON.stringify(world);
  const values = drawn.get(key) ?? valuesOf(world);
  drawn.set(key, values);
  return values;
}

/** How far an estimate is off the truth on average, in its own standard errors. */
function meanError(world: Omit<World, 'seed'>, estimator: string): number {
  const truth = truthOf(world.target ?? TARGET, world.users);
  let sum = 0;
  const replicates = 12;
  for (let seed = 0; seed < replicates; seed++) {
    const { value, stdErr } = rowOf(drawnOnce({ ...world, seed, requests: 1500 }), estimator);
    sum += (value - truth) / stdErr;
  }
  // The mean of z has this standard error.
  return sum / replicates / Math.sqrt(1 / replicates);
}

describe('values by logged propensities', () => {
  it.each(['ips', 'snips', 'dr'])(
    'are true of users who look at each place by itself: %s',
    (form) => {
      expect(Math.abs(meanError({}, `logged_slot_${form}`))).toBeLessThan(3);
    },
  );

  it('are biased by slot where users stop at a click, and true by prefix and by list', () => {
    // Few stop at the target's first item, and most at what stands there else.
    const cascade = { users: 'cascade', target: [1, 3] } as const;
    const world = { ...cascade, propensityOf: 'conditional' } as const;
    expect(Math.abs(meanError(cascade, 'logged_slot_snips'))).toBeGreaterThan(4);
    for (const form of ['snips', 'dr']) {
      expect(Math.abs(meanError(world, `logged_prefix_${form}`)), form).toBeLessThan(3);
      expect(Math.abs(meanError(world, `logged_list_${form}`)), form).toBeLessThan(3);
    }
    expect(Math.abs(meanError(cascade, 'logged_slot_dr'))).toBeGreaterThan(4);
  });

  it('are surer doubly robust than by ips, though the prediction knows nothing of users', () => {
    const values = valuesOf({ seed: 1 });
    const [ips, dr] = ['ips', 'dr'].map((form) => rowOf(values, `logged_slot_${form}`).stdErr);
    expect(dr / ips).toBeLessThan(0.9);
  });

  it('are refused where propensities are half of what they were', () => {
    const values = valuesOf({ seed: 1, stated: 0.5 });
    expect(rowOf(values, 'logged_slot_ips')).toMatchObject({
      status: 'refused',
      value: Number.NaN,
    });
    expect(codesOf(values, 'logged_slot_ips')).toContain('mean_weight_off');
  });

  it('are refused where the logger never shows what the target would', () => {
    const values = valuesOf({ seed: 1, target: [4, 3] });
    expect(codesOf(values, 'logged_slot_snips')).toContain('mean_weight_off');
  });

  it('are refused where one row has a tenth of all weights', () => {
    const values = valuesOf({ seed: 1, requests: 40, epsilon: 0.3 });
    expect(codesOf(values, 'logged_slot_ips')).toContain('heavy_row');
  });

  it('are refused where one request of ten lacks the list, or its propensities', () => {
    const listless = valuesOf({ seed: 1, listless: 0.1 });
    expect(codesOf(listless, 'logged_slot_ips')).toContain('incomplete_requests');
    const bare = valuesOf({ seed: 1, bare: 0.1 });
    expect(codesOf(bare, 'logged_slot_ips')).toContain('incomplete_requests');
  });

  it('name a target that has no list anywhere, and value the others', () => {
    const values = valuesOf({ seed: 1, targets: ['target', 'typo'] });
    expect(reasonOf(rowOf(values, 'logged_slot_ips', 'typo'))).toBe('target_unknown');
    expect(reasonOf(rowOf(values, 'logged_slot_ips'))).toBeNull();
  });

  it('stand beside those of an experiment in the same window, each compared with its own', () => {
    const alone = valuesOf({ seed: 1, experiment: 2000, requests: 0 });
    const logged = valuesOf({ seed: 1 });
    const both = valuesOf({ seed: 1, experiment: 2000 });
    const models = both.values.map(({ model }) => model);
    expect([...new Set(models)]).toEqual(NAMES);
    expect(both.differences.map(({ model, reference }) => `${model} - ${reference}`)).toEqual([
      ...alone.differences.map(({ model, reference }) => `${model} - ${reference}`),
      ...logged.differences.map(({ model, reference }) => `${model} - ${reference}`),
    ]);
    expect(both.differences.map(({ model }) => model)).toEqual(['armB', 'target']);
    const target = (of: WindowValues) => of.differences.find(({ model }) => model === 'target')!;
    expect(target(both)).toEqual(target(logged));
    expect(both.sampleRatio).toBeDefined();
  });
});
