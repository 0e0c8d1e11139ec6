import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Simulation } from '../../../src/simulation/simulation.js';
import { IS_LONG } from '../../support/repetitions.js';
import { isPositive, logOf } from './log.js';

const hour = 3_600_000;
const small = { users: 300, items: 200, relevantPerUser: 40, durationMs: 2 * hour, seed: 11 };

/** Positives that lists caused are those that name one. */
function causedShareOf(options: Partial<Simulation['options']>): number {
  const positives = logOf(new Simulation(options).events()).interactions.filter(isPositive);
  return positives.filter(({ exposure }) => exposure !== undefined).length / positives.length;
}

test('a log in which lists cause nothing has the same bytes as in earlier versions', () => {
  // Digests of logs that the simulation wrote before lists could cause anything.
  const digest = (options: Partial<Simulation['options']>) => {
    const hash = createHash('sha256');
    for (const event of new Simulation(options).events()) hash.update(`${JSON.stringify(event)}\n`);
    return hash.digest('hex');
  };
  const naming = 'shown' as const;
  const mixed = { users: 60, items: 40, relevantPerUser: 10, listLength: 20, durationMs: 3 * hour };
  expect(digest({ ...mixed, naming, randomizedShare: 0.3 })).toBe(GOLDEN_MIXED);
  expect(digest({ users: 200, naming, durationMs: 3 * hour })).toBe(GOLDEN_PLAIN);
  // By default nothing is named that caused nothing.
  const named = [...new Simulation(mixed).events()].filter(
    (event) => event.type === 'interaction' && event.exposure !== undefined,
  );
  expect(named).toEqual([]);
});

const GOLDEN_MIXED = '530dfb377d565a21486dba2304e93d0a600f70185ef2fab99eaafcfa834bb312';
const GOLDEN_PLAIN = 'a5bd16bfa266d3e0443fb9336662f5198ed9222b254125ddaf1087ae12511c5b';

describe('the share of positives that served lists cause', () => {
  for (const causedShare of IS_LONG ? [0, 0.05, 0.2, 0.5, 0.9, 1] : [0, 0.5, 0.9]) {
    test(`is ${causedShare} as configured, with two arms and with the logging policy`, () => {
      const byArms = causedShareOf({ ...small, causedShare, arms: 2 });
      expect(Math.abs(byArms - causedShare)).toBeLessThan(0.03);
      const byPolicy = causedShareOf({ ...small, causedShare });
      expect(Math.abs(byPolicy - causedShare)).toBeLessThan(0.03);
    });
  }
});

test('an interaction names only the exposure that caused it and holds its item', () => {
  const { exposures, interactions } = logOf(
    new Simulation({ ...small, causedShare: 0.3, arms: 2 }).events(),
  );
  const lists = new Map(exposures.map(({ id, ...rest }) => [id, rest]));
  const named = interactions.filter(({ exposure }) => exposure !== undefined);
  for (const { exposure, item, user } of named) {
    const list = lists.get(exposure as string);
    expect(list?.shown ?? true).toBe(true);
    expect(list?.user).toBe(user);
    expect(list?.items).toContain(item);
  }
  // Lists also contain items that users find organically; such clicks do not give a list id.
  const shown = new Map<string, Set<string>>();
  for (const { user, items, ...flags } of exposures) {
    if (flags.shown !== false) shown.set(user, new Set([...(shown.get(user) ?? []), ...items]));
  }
  const unnamed = interactions.filter((event) => isPositive(event) && event.exposure === undefined);
  expect(unnamed.some(({ user, item }) => shown.get(user)?.has(item))).toBe(true);
  expect(named.every(isPositive)).toBe(true);
});

test('organic interactions stay the same at a caused share of 0.2 and fall at 0.9', () => {
  const found = (causedShare: number) =>
    logOf(new Simulation({ ...small, causedShare, arms: 2 }).events()).interactions.filter(
      (event) => isPositive(event) && event.exposure === undefined,
    ).length;
  const alone = found(0);
  expect(Math.abs(found(0.2) / alone - 1)).toBeLessThan(0.05);
  expect(found(0.9)).toBeLessThan(0.5 * alone);
});

test('interactions without list ids are otherwise the same', () => {
  const named = logOf(new Simulation({ ...small, causedShare: 0.3, arms: 2 }).events());
  const unnamed = logOf(
    new Simulation({ ...small, causedShare: 0.3, arms: 2, naming: 'none' }).events(),
  );
  expect(unnamed.interactions).toEqual(named.interactions.map(({ exposure: _, ...rest }) => rest));
});

test('each of two arms serves half of the sessions, which log lists of all models', () => {
  const { exposures } = logOf(new Simulation({ ...small, arms: 2 }).events());
  const sessions = exposures.length / 3;
  const served = exposures.filter(({ shown }) => shown !== false);
  expect(served.length).toBe(sessions);
  expect(new Set(served.map(({ model }) => model))).toEqual(new Set(['personal', 'blend']));
  const share = served.filter(({ model }) => model === 'personal').length / sessions;
  expect(Math.abs(share - 0.5)).toBeLessThan(0.06);
  for (const { model, items } of exposures)
    expect(items.length).toBe(model === 'popular' ? 50 : 10);
});

test('the true reward of a list is the mean number of clicks it causes', () => {
  const simulation = new Simulation({
    ...small,
    causedShare: 0.4,
    arms: 3,
    durationMs: 12 * hour,
    examination: [1, 0.8, 0.6, 0.4, 0.2],
  });
  const { exposures, interactions } = logOf(simulation.events());
  const modelOf = new Map(exposures.map(({ id, model }) => [id, model]));
  for (const { model, caused } of simulation.rewards(0)) {
    const lists = exposures.filter((e) => e.model === model && e.shown !== false).length;
    const clicks = interactions.filter((e) => modelOf.get(e.exposure ?? '') === model).length;
    // About 1,200 lists of an arm: clicks of a list vary by about their root.
    expect(Math.abs(clicks / lists - caused)).toBeLessThan(4 * Math.sqrt(caused / lists));
  }
});

test('positions with an examination probability of 0 cause no clicks', () => {
  const options = { ...small, causedShare: 0.2, arms: 1, examination: [1, 0, 0.5] };
  const { exposures, interactions } = logOf(new Simulation(options).events());
  const lists = new Map(exposures.map(({ id, items }) => [id, items]));
  const places = new Set<number>();
  for (const { exposure, item } of interactions) {
    if (exposure !== undefined) places.add(lists.get(exposure)?.indexOf(item) as number);
  }
  expect(places).toEqual(new Set([0, 2]));
});

test('crawlers click through the whole catalogue and get no lists', () => {
  const bots = { bots: 2, botClicks: 400 };
  const { exposures, interactions } = logOf(new Simulation({ ...small, ...bots }).events());
  const clicks = interactions.filter(({ user }) => user.startsWith('bot'));
  expect(clicks.length).toBe(2 * 2 * 400);
  expect(new Set(clicks.map(({ item }) => item)).size).toBe(small.items);
  expect(exposures.some(({ user }) => user.startsWith('bot'))).toBe(false);
  expect(new Set(clicks.map(({ id }) => id)).size).toBe(clicks.length);
});

test('the head ranker lists only popular items, the perfect one relevant items first', () => {
  const simulation = new Simulation({
    ...small,
    popularityExponent: 1.3,
    listLength: 50,
    shownLength: 10,
    rankers: ['head', 'perfect'],
  });
  const { targetPopularity, relevant } = simulation.world;
  const heads = [...targetPopularity.keys()]
    .sort((a, b) => targetPopularity[b] - targetPopularity[a])
    .slice(0, 50);
  const lists = simulation.listsAt(0);
  for (const list of lists.get('head') ?? []) expect([...list].sort()).toEqual([...heads].sort());
  lists.get('perfect')?.forEach((list, user) => {
    const own = new Set(relevant[user]);
    const hits = [...list].map((item) => own.has(item));
    expect(hits.lastIndexOf(true)).toBeLessThan(own.size);
    expect(hits.filter(Boolean).length).toBe(Math.min(own.size, 50));
  });
});

test('in a sparse catalogue most items have no positives, and popularity falls as configured', () => {
  const simulation = new Simulation({
    users: 400,
    items: 3000,
    relevantPerUser: 60,
    durationMs: 10 * hour,
    seed: 3,
    gamma: 1,
    popularityExponent: 1.3,
  });
  const counts = new Map<string, number>();
  for (const event of logOf(simulation.events()).interactions.filter(isPositive)) {
    counts.set(event.item, (counts.get(event.item) ?? 0) + 1);
  }
  expect(counts.size).toBeLessThan(0.5 * 3000);
  const sorted = [...counts.values()].sort((a, b) => b - a);
  const slope = Math.log(sorted[0] / sorted[31]) / Math.log(32);
  expect(Math.abs(slope - 1.3)).toBeLessThan(0.2);
});

test('exposures can follow long-run popularity, with or without noise by item', () => {
  const shown = (options: Partial<Simulation['options']>) => {
    const counts = new Float64Array(40);
    const world = {
      ...small,
      users: 800,
      items: 40,
      relevantPerUser: 8,
      listLength: 20,
      gamma: 1,
    };
    const simulation = new Simulation({ ...world, shownLength: 4, ...options });
    for (const { model, items } of logOf(simulation.events()).exposures) {
      if (model === 'production') for (const id of items) counts[Number(id.slice(1))]++;
    }
    return { counts, target: simulation.world.targetPopularity };
  };
  const { counts, target } = shown({ exposuresFollow: 'long-run' });
  // Nothing that users do changes the long run: shares are the target's.
  const scale = counts.reduce((a, b) => a + b, 0) / target.reduce((a, b) => a + b, 0);
  counts.forEach((n, i) => {
    expect(Math.abs(n - scale * target[i])).toBeLessThan(5 * Math.sqrt(n));
  });
  const noisy = shown({ exposuresFollow: 'long-run', itemNoise: 0.5 });
  const logs = noisy.counts.map((n, i) => Math.log(n / noisy.target[i]));
  const mean = logs.reduce((a, b) => a + b, 0) / 40;
  const spread = Math.sqrt(logs.reduce((a, b) => a + (b - mean) ** 2, 0) / 39);
  expect(spread).toBeGreaterThan(0.35);
  expect(spread).toBeLessThan(0.65);
});

test('invalid options are rejected', () => {
  for (const wrong of [
    { causedShare: 1.1 },
    { arms: 4 },
    { examination: [0.5, 1] },
    { examination: new Array(11).fill(1) },
    { examination: [1, -0.1] },
    { bots: -1 },
    { botClicks: 0 },
    { itemNoise: 9 },
  ]) {
    expect(() => new Simulation({ ...small, ...wrong })).toThrow(/simulation: /);
  }
});
