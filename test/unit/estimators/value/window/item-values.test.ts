import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../src/estimators/mathematics/random.js';
import { VALUE_REMEDIES } from '../../../../../src/features/values/reasons.js';
import { valueOfWindows } from '../../../../../src/features/values/value-of-windows.js';
import type { WindowValues } from '../../../../../src/features/values/window-values.js';
import { reasonOf } from '../../../../../src/rows/reading.js';
import {
  type WindowRequests,
  windowRequests,
} from '../../../../../src/state/requests/pane-requests.js';
import { repetitions } from '../../../../support/repetitions.js';
import { RequestPartition } from '../../../../support/request-partition.js';

const NAMES = ['logger', 'target', 'drawn', 'armA', 'armB', 'armR'];
/** Probability of a click on an examined item. */
const WORTH = [0.6, 0.2, 0.4, 0.3, 0.5, 0.7];
const THETA = [1, 0.6, 0.3];
const FOLLOWED = [0, 1, 2];
const TARGET = [2, 5, 1];
const EPSILON = 0.6;

interface World {
  readonly seed: number;
  readonly logged?: number;
  /** Requests of arms: lists that differ in their order, or one of them drawn at random. */
  readonly arms?: number;
  readonly random?: number;
}

function shuffled(random: Random): number[] {
  const items = Int32Array.from(WORTH, (_, item) => item);
  random.shuffle(items);
  return [...items.subarray(0, THETA.length)];
}

/** Examination probability: the followed list or, with probability ε, three random items. */
function propensity(item: number): number {
  const followed = THETA[FOLLOWED.indexOf(item)] ?? 0;
  return (1 - EPSILON) * followed + (EPSILON * sum(THETA)) / WORTH.length;
}

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
const truth = sum(TARGET.map((item, k) => THETA[k] * WORTH[item]));

function panesOf({ seed, logged = 1200, arms = 0, random: drawnArm = 0 }: World): WindowRequests[] {
  const random = new Random(seed, 'items');
  const partition = new RequestPartition();
  let id = 1;
  const request = (q: number) => ({
    request: 10 + q,
    user: random.below(1000),
    ts: random.below(700),
  });
  const click = (
    served: number,
    list: readonly number[],
    { user, ts }: ReturnType<typeof request>,
  ) => {
    for (const [k, item] of list.entries()) {
      if (random.next() < THETA[k] * WORTH[item]) partition.click(ts + 1, served, item, { user });
    }
  };
  for (let q = 0; q < logged; q++) {
    const own = request(q);
    const list = random.next() < EPSILON ? shuffled(random) : FOLLOWED;
    const chances = { propensities: list.map(propensity), propensityOf: 'item' as const };
    const served = id++;
    partition.list({ ...own, id: served, model: 0, items: list, isServed: true, ...chances });
    partition.list({ ...own, id: id++, model: 1, items: TARGET });
    const drawnFrom = WORTH.length;
    partition.list({ ...own, id: id++, model: 2, items: shuffled(random), drawnFrom });
    click(served, list, own);
  }
  for (let q = 0; q < arms + drawnArm; q++) {
    const own = request(1_000_000 + q);
    const lists = q < arms ? [FOLLOWED, [1, 2, 0]] : [shuffled(random)];
    const arm = random.below(lists.length);
    const served = id + arm;
    for (const [m, items] of lists.entries()) {
      const drawn = q < arms ? {} : { drawnFrom: WORTH.length };
      const model = q < arms ? 3 + m : 5;
      const share = 1 / lists.length;
      partition.list({ ...own, id: id++, model, items, share, isServed: m === arm, ...drawn });
    }
    click(served, lists[arm], own);
  }
  partition.closeThrough(9);
  const { requests } = partition.state.closed;
  return windowRequests(requests, 99, [0, 1, 2, 3, 4, 5], (user) => user);
}

function valuesOf(world: World, theta?: readonly number[]): WindowValues {
  const options = { horizonMs: 250, unit: 'request', ...(theta && { theta }) } as const;
  const valued = valueOfWindows(panesOf(world), NAMES, options);
  return valued({ firstPane: 0, lastPane: 9, to: 10_000 });
}

const rowOf = ({ values }: WindowValues, form: string) =>
  values.find((each) => each.estimator === `logged_item_${form}` && each.model === 'target')!;

describe('values from item propensities', () => {
  it.each([
    ['arms', { arms: 1500 }],
    ['lists drawn at random', { random: 1500 }],
  ])('are unbiased with θ from %s, and their errors include its error', (_, from) => {
    const replicates = repetitions(6, 16);
    for (const form of ['ips', 'snips', 'dr']) {
      const z = Array.from({ length: replicates }, (_, seed) => {
        const { value, stdErr } = rowOf(onceOf({ seed, ...from }), form);
        return (value - truth) / stdErr;
      });
      const mean = sum(z) / replicates;
      expect(Math.abs(mean) * Math.sqrt(replicates), form).toBeLessThan(3);
      const spread = Math.sqrt(sum(z.map((each) => (each - mean) ** 2)) / (replicates - 1));
      expect(spread, form).toBeGreaterThan(0.6);
      expect(spread, form).toBeLessThan(1.4);
    }
    const fitted = onceOf({ seed: 1, ...from });
    const known = valuesOf({ seed: 1, ...from }, THETA);
    expect(rowOf(fitted, 'ips').stdErr / rowOf(known, 'ips').stdErr).toBeGreaterThan(1.2);
  });

  it('are not reported without arms or random lists, with a remedy', () => {
    const row = rowOf(valuesOf({ seed: 1 }), 'ips');
    expect([reasonOf(row), row.value]).toEqual(['examination_unknown', Number.NaN]);
    expect(VALUE_REMEDIES[row.reasons[0].code]).toBe('add_random_lists');
  });
});

/** Drawn worlds, since several forms use the same. */
const drawnWorlds = new Map<string, WindowValues>();
function onceOf(world: World): WindowValues {
  const key = JSON.stringify(world);
  const values = drawnWorlds.get(key) ?? valuesOf(world);
  drawnWorlds.set(key, values);
  return values;
}
