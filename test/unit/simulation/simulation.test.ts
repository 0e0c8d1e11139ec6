import { expect, test } from 'vitest';
import { demoOptions } from '../../../src/simulation/demo-traffic.js';
import { DEFAULT_OPTIONS } from '../../../src/simulation/options.js';
import { Simulation } from '../../../src/simulation/simulation.js';
import { isPositive, logOf } from './log.js';

const small = { users: 60, items: 50, relevantPerUser: 15, listLength: 20, shownLength: 5 };
const hour = 3_600_000;

function take<T>(events: Iterable<T>, count: number): T[] {
  const taken: T[] = [];
  for (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

test('events come in event-time order, with unique ids', () => {
  const { all } = logOf(new Simulation({ ...small, durationMs: 5 * hour }).events());
  expect(all.every(({ ts }, i) => i === 0 || ts >= all[i - 1].ts)).toBe(true);
  expect(new Set(all.map((event) => event.id)).size).toBe(all.length);
});

test('the same seed gives the same log, and another seed a different one', () => {
  const log = (seed: number) => take(new Simulation({ ...small, seed }).events(), 2000);
  expect(log(5)).toEqual(log(5));
  const simulation = new Simulation({ ...small, seed: 5 });
  expect(take(simulation.events(), 2000)).toEqual(take(simulation.events(), 2000));
  expect(log(6)).not.toEqual(log(5));
});

test('a log of whole cycles is a prefix of the endless log', () => {
  const bounded = [...new Simulation({ ...small, durationMs: 3 * hour }).events()];
  const endless = take(new Simulation(small).events(), bounded.length + 1);
  expect(endless.slice(0, -1)).toEqual(bounded);
  expect(endless.at(-1)?.ts).toBeGreaterThanOrEqual(
    new Simulation(small).options.startMs + 3 * hour,
  );
});

test('each user has exactly one session in each cycle, and it ends within the cycle', () => {
  const simulation = new Simulation({ ...small, durationMs: 4 * hour });
  const { all, exposures } = logOf(simulation.events());
  const { startMs, sessionMs } = simulation.options;
  const sessions = new Map<string, number>();
  for (const { ts, user, model } of exposures) {
    if (model !== 'production') continue;
    const key = `${user} in cycle ${Math.floor((ts - startMs) / hour)}`;
    expect(sessions.has(key)).toBe(false);
    sessions.set(key, ts);
  }
  expect(sessions.size).toBe(4 * small.users);
  for (const { ts, user } of all) {
    const start = sessions.get(`${user} in cycle ${Math.floor((ts - startMs) / hour)}`) as number;
    expect(ts - start).toBeGreaterThanOrEqual(0);
    expect(ts - start).toBeLessThan(sessionMs);
  }
});

test('a session starts with a shadow list of each ranker and one served list', () => {
  const { all } = logOf(new Simulation({ ...small, durationMs: hour }).events());
  const seen = new Map<string, string[]>();
  for (const event of all) {
    if (event.type === 'exposure') {
      const { model, shown, items, candidates } = event;
      seen.set(event.user, [...(seen.get(event.user) ?? []), `${model} ${shown ?? true}`]);
      expect(new Set(items).size).toBe(items.length);
      expect(items.length).toBe(model === 'production' ? small.shownLength : small.listLength);
      expect(candidates).toBe(small.items);
    } else {
      expect(seen.get(event.user)).toEqual([
        'personal false',
        'blend false',
        'popular false',
        'production true',
      ]);
    }
  }
});

test('positives are on relevant items and views on others, each pair once a session', () => {
  const simulation = new Simulation({ ...small, durationMs: hour });
  const { userIds, itemIds, relevant } = simulation.world;
  const pairs = new Set<string>();
  const { interactions } = logOf(simulation.events());
  for (const event of interactions) {
    const own = relevant[userIds.indexOf(event.user)];
    expect(own.includes(itemIds.indexOf(event.item))).toBe(isPositive(event));
    expect(pairs.has(`${event.user} ${event.item}`)).toBe(false);
    pairs.add(`${event.user} ${event.item}`);
  }
  expect(interactions.filter((event) => !isPositive(event)).length / small.users).toBeGreaterThan(
    2,
  );
});

test('relevant pairs are observed as often as their propensity says', () => {
  const simulation = new Simulation({ users: 300, durationMs: 10 * hour });
  const { itemIds, relevant, propensity } = simulation.world;
  const observed = new Map<string, number>();
  for (const event of logOf(simulation.events()).interactions) {
    if (isPositive(event)) observed.set(event.item, (observed.get(event.item) ?? 0) + 1);
  }
  itemIds.forEach((id, item) => {
    const trials = 10 * relevant.filter((own) => own.includes(item)).length;
    const expected = trials * propensity[item];
    const deviation = Math.sqrt(expected * (1 - propensity[item]));
    expect(Math.abs((observed.get(id) ?? 0) - expected)).toBeLessThanOrEqual(4.5 * deviation);
  });
});

test('with naming: shown, an interaction names the served list that holds its item', () => {
  const { exposures, interactions } = logOf(
    new Simulation({ ...small, naming: 'shown', durationMs: 2 * hour }).events(),
  );
  const sessionOf = (id: string) => id.slice(0, id.lastIndexOf('-'));
  const shown = new Map(
    exposures.filter((e) => e.model === 'production').map((e) => [sessionOf(e.id), e]),
  );
  let named = 0;
  for (const { id, item, exposure } of interactions) {
    const list = shown.get(sessionOf(id));
    expect(exposure).toBe(list?.items.includes(item) ? list.id : undefined);
    if (exposure !== undefined) named++;
  }
  expect(named).toBeGreaterThan(50);
});

test('the configured share of sessions shows uniform lists, with clicks independent of popularity', () => {
  const simulation = new Simulation({ users: 500, durationMs: 10 * hour, randomizedShare: 0.3 });
  const { exposures, interactions } = logOf(simulation.events());
  const uniform = new Map(exposures.filter((e) => e.randomized === true).map((e) => [e.id, e]));
  expect(Math.abs(uniform.size / 5000 - 0.3)).toBeLessThan(0.03);
  const { itemIds, targetPopularity, relevant, userIds } = simulation.world;
  const byPopularity = [...itemIds.keys()].sort(
    (a, b) => targetPopularity[b] - targetPopularity[a],
  );
  const popular = new Set(byPopularity.slice(0, 100).map((item) => itemIds[item]));
  const tally = {
    popular: { shown: 0, relevant: 0, picked: 0 },
    rare: { shown: 0, relevant: 0, picked: 0 },
  };
  for (const { model, user, items } of uniform.values()) {
    expect(model).toBe('uniform');
    const own = new Set([...relevant[userIds.indexOf(user)]].map((item) => itemIds[item]));
    for (const item of items) {
      const cell = popular.has(item) ? tally.popular : tally.rare;
      cell.shown++;
      if (own.has(item)) cell.relevant++;
    }
  }
  for (const { item, exposure } of interactions) {
    if (exposure !== undefined && uniform.has(exposure)) {
      (popular.has(item) ? tally.popular : tally.rare).picked++;
    }
  }
  expect(Math.abs(tally.popular.shown / tally.rare.shown - 1)).toBeLessThan(0.07);
  for (const { relevant: trials, picked } of Object.values(tally)) {
    expect(Math.abs(picked / trials - 0.5)).toBeLessThan(0.04);
  }
});

test('only the named ranker turns to popular items, from the drift on', () => {
  const start = new Simulation(small).options.startMs;
  const atMs = start + 2 * hour;
  const drift = { atMs, ranker: 'personal' } as const;
  const steady = logOf(new Simulation({ ...small, durationMs: 4 * hour }).events());
  const drifting = new Simulation({ ...small, durationMs: 4 * hour, drift });
  const changed = logOf(drifting.events());
  expect(changed.interactions).toEqual(steady.interactions);
  changed.exposures.forEach((event, i) => {
    const before = steady.exposures[i];
    if (event.model === 'personal' && event.ts >= atMs)
      expect(event.items).not.toEqual(before.items);
    else expect(event).toEqual(before);
  });
  const { targetPopularity } = drifting.world;
  const popularity = (ms: number) =>
    (drifting.listsAt(ms).get('personal') ?? [])
      .flatMap((list) => [...list.slice(0, 5)].map((item) => targetPopularity[item]))
      .reduce((a, b) => a + b);
  expect(popularity(atMs)).toBeGreaterThan(1.3 * popularity(atMs - 1));
});

test('a demo has a backlog before now and 450 to 700 events per second', () => {
  const now = Date.UTC(2026, 5, 1, 12, 0, 7);
  const options = demoOptions(now);
  expect(options.startMs).toBe(now - 2 * options.cycleMs);
  expect(demoOptions(now, {}, { isPlain: true }).startMs).toBe(now - 10 * options.cycleMs);
  let events = 0;
  for (const { ts } of new Simulation(options).events()) {
    if (ts >= now - options.cycleMs) events++;
    if (ts >= now) break;
  }
  const perSecond = events / (options.cycleMs / 1000);
  expect(perSecond).toBeGreaterThan(450);
  expect(perSecond).toBeLessThan(700);
});

test.each([
  [{ users: 0 }, 'users is 0'],
  [{ gamma: Number.NaN }, 'gamma is NaN'],
  [{ listLength: 500 }, 'listLength is 500'],
  [{ sessionMs: 7_200_000 }, 'sessionMs is 7200000'],
  [{ startMs: 1.5 }, 'startMs is 1.5'],
  [{ rankers: [] }, 'at least one ranker'],
  [{ drift: { atMs: 0, ranker: 'random' as const } }, 'drift.ranker random is not among'],
])('the options %j are refused with the reason', (options, reason) => {
  expect(() => new Simulation(options)).toThrow(reason);
});

test('models have their log names in the truth and in the rewards', () => {
  const names = { popular: 'trending', uniform: 'shuffled', personal: 'for-you' };
  const drift = { ranker: 'personal', atMs: DEFAULT_OPTIONS.startMs + 60_000 } as const;
  const traffic = { users: 30, durationMs: 60_000, cycleMs: 60_000, listLength: 10 };
  const served = { randomizedShare: 0.5, arms: 2, causedShare: 0.1 };
  const simulation = new Simulation({ ...traffic, ...served, names, drift });
  const models = new Set<string>();
  for (const event of simulation.events()) if (event.type === 'exposure') models.add(event.model);
  expect([...models].sort()).toEqual(['blend', 'for-you', 'shuffled', 'trending']);
  const named = ['for-you', 'blend', 'trending'];
  for (const ms of [drift.atMs - 1, drift.atMs]) {
    expect([...new Set(simulation.truth(ms).map(({ model }) => model))]).toEqual(named);
    expect(simulation.rewards(ms).map(({ model }) => model)).toEqual(named);
  }
});

test('two models with the same name are rejected', () => {
  const names = { popular: 'blend' };
  expect(() => new Simulation({ names })).toThrow('two models are called blend');
});

test('the demo has a past and a coming change of a model, unless it is plain', () => {
  const now = Date.UTC(2026, 5, 1, 12, 0, 7);
  const fast = new Simulation(demoOptions(now, { users: 50 }, { speed: 10 }));
  const differing = (a: number, b: number) =>
    [...fast.listsAt(a).keys()].filter(
      (model) => fast.listsAt(a).get(model) !== fast.listsAt(b).get(model),
    );
  const [begin, turned, changesAt] = fast.truthChanges() as [number, number, number];
  expect(changesAt).toBeGreaterThan(now);
  expect(changesAt).toBeLessThanOrEqual(now + 6000);
  // The verdict takes whole days, of lists as they are now.
  expect(now - turned).toBeGreaterThan(36 * hour);
  expect(turned - begin).toBeGreaterThan(12 * hour);
  expect(differing(begin, now)).toEqual(['blend']);
  // A cycle of the history ends at each look of the verdicts.
  const ends = fast.options.history!.starts.map((at) => at + fast.options.history!.cycleMs);
  expect(ends.every((end) => end % (6 * hour) === 0 && end <= fast.options.startMs)).toBe(true);
  const called = [...fast.listsAt(now).keys()];
  expect(called).toEqual(['personal', 'blend', 'trending']);
  expect(differing(now, now + 6000)).toEqual(['personal']);
  const plain = demoOptions(now, {}, { isPlain: true });
  for (const part of ['drift', 'names', 'arms', 'history']) expect(plain).not.toHaveProperty(part);
  // What is asked for goes before what the story has, if both cannot be.
  expect(new Simulation(demoOptions(now, { logger: 0.3 })).options.arms).toBe(0);
  expect(new Simulation(demoOptions(now, { randomArm: 0.3 })).options.randomizedShare).toBe(0);
});
