import { describe, expect, it } from 'vitest';
import { monitorOptions } from '../../src/commands/service/monitor-options.js';
import { readConfig } from '../../src/config.js';
import { ExposureColumns, InteractionColumns } from '../../src/events/columns.js';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { windowFindings } from '../../src/rows/findings/window-findings.js';
import { textOf } from '../../src/rows/findings/words.js';
import { Simulation } from '../../src/simulation/simulation.js';
import { Interner } from '../../src/state/ids/interner.js';
import { Evaluation } from '../../src/stream/files/evaluation.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { itAtNight } from '../support/at-night.js';
import type { Event } from '../support/log.js';
import { feed } from '../support/log.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';

const CYCLE = 3_600_000;
/** As many as tell a cap of each window from one for good. */
const HOURS = repetitions(2, 3);
const SETTINGS = {
  gamma: 2,
  'estimates.estimators': 'snips',
  'estimates.metrics': 'recall',
  'estimates.ks': '10',
  'estimates.feedback': 'ignore',
  baseline: 'none',
};
const configOf = (userCap: number, more: Record<string, unknown> = {}) =>
  readConfig({ env: {}, overrides: { ...SETTINGS, 'popularity.userCap': userCap, ...more } })
    .config;

/** In the short form one model beside the baseline: rows of a crawler show in either. */
const RANKED = IS_LONG ? {} : { rankers: ['popular' as const] };
/** Beyond rank 10 nothing of a list counts here. */
const LISTS = { listLength: 12 };
/** As many as a crawler of 200 clicks that count moves by less than 3 %. */
const USERS = repetitions(1000, 2000);
const WORLD = { seed: 3, users: USERS, items: 200, viewsPerSession: 0, naming: 'none' as const };
type Bots = { readonly bots?: number; readonly botClicks?: number };
const logOf = (bots: Bots, cycles = 1, users = WORLD.users) =>
  new Simulation({ ...WORLD, ...LISTS, users, ...bots, durationMs: cycles * CYCLE }).events();

/** As a site would: the bot gets the lists of its models too, those of a user. */
function* withLists(events: Iterable<Event>): Generator<Event> {
  for (const event of events) {
    yield event;
    if (event.type !== 'exposure' || event.user !== 'u1') continue;
    yield { ...event, id: `${event.id}-bot`, user: 'bot0' };
  }
}

async function evaluated(
  bots: Bots,
  userCap: number,
  people = WORLD.users,
  log: Iterable<Event> = logOf(bots, 1, people) as Iterable<Event>,
  more: Record<string, unknown> = {},
) {
  const users = new Interner();
  const ids = { items: new Interner(), models: new Interner(), users: () => users };
  const into = { interactions: new InteractionColumns(), exposures: new ExposureColumns() };
  const decoder = new Decoder({ maxFutureMs: 1e15 });
  for (const event of log) {
    const bytes = Buffer.from(encodeEvent(event));
    decoder.decode(bytes, 0, bytes.length, 'mixed', 0, { ...ids, users }, into);
  }
  const evaluation = new Evaluation(monitorOptions(configOf(userCap, more)), ids, new Outcomes());
  evaluation.accept('events', into.interactions, into.exposures);
  const snapshot = await evaluation.result();
  const findings = windowFindings(snapshot, snapshot.windows[0]);
  const found = findings.find(({ code }) => code === 'users_apart');
  return { pooled: pooledOf(snapshot), users: snapshot.heavyUsers, found };
}

const pooledOf = ({
  windows: [{ results }],
}: Parameters<typeof windowFindings>[0] & {
  windows: readonly { results: readonly { model: string; form: string; value: number }[] }[];
}) =>
  new Map(
    results.flatMap(({ model, form, value }) =>
      form === 'pooled' ? [[model, value] as const] : [],
    ),
  );

/** The largest relative change of a model's number. */
function moved(from: ReadonlyMap<string, number>, to: ReadonlyMap<string, number>): number {
  return Math.max(...[...from].map(([model, value]) => Math.abs(to.get(model)! / value - 1)));
}

it('slow crawlers move capped estimates by less than 3 % at 1,000 users each', async () => {
  // 200 clicks of each are 2.2 % of all that is counted then: twenty among 20,000 users.
  const bots = repetitions(1, 20);
  const people = 1000 * bots;
  const slow = { bots, botClicks: 1000 };
  const clean = await evaluated({}, 200, people);
  const capped = await evaluated(slow, 200, people);
  expect(moved(clean.pooled, capped.pooled)).toBeLessThan(0.03);
  const uncapped = await evaluated(slow, 0, people);
  expect(moved(clean.pooled, uncapped.pooled)).toBeGreaterThan(0.09);
  expect(capped.users).toMatchObject({ apart: bots });
}, 600_000);

describe('a crawler of 20,000 clicks', async () => {
  const clean = await evaluated({}, 200);

  it('is absent: without it a cap of 200 changes nothing and names no user', async () => {
    expect(moved(clean.pooled, (await evaluated({}, 0)).pooled)).toBe(0);
    expect(clean.users).toMatchObject({ users: USERS, apart: 0 });
    expect(clean.found).toBeUndefined();
  });

  it('moves pooled snips by less than 3 % under a cap of 200, and is named', async () => {
    const burst = { bots: 1, botClicks: 20_000 };
    const { pooled, found, users } = await evaluated(burst, 200);
    expect(moved(clean.pooled, pooled)).toBeLessThan(0.03);
    expect(moved(clean.pooled, (await evaluated(burst, 0)).pooled)).toBeGreaterThan(0.5);
    expect(users).toMatchObject({ apart: 1, named: [{ user: 'bot0', interactions: 20_000 }] });
    expect(found).toMatchObject({ severity: 'caution', subject: { users: ['bot0'] } });
    expect(textOf(found!)).toContain('bot0');
  });

  it('moves pooled snips by less than 5 % with its own rows in a large catalogue', async () => {
    const many = { items: 1000, users: 2000 };
    const logWith = (bots: Bots) => {
      const large = { ...WORLD, ...LISTS, ...RANKED, ...bots, ...many, durationMs: CYCLE };
      return withLists(new Simulation(large).events() as Iterable<Event>);
    };
    const by = { baseline: 'popularity' };
    const usual = await evaluated({}, 200, many.users, logWith({}), by);
    const burst = { bots: 1, botClicks: 20_000 };
    const { pooled } = await evaluated(burst, 200, many.users, logWith(burst), by);
    expect(pooled.has('popularity')).toBe(true);
    // What 200 clicks add to the counts of rare items is .04; with its rows it would be .09.
    expect(moved(usual.pooled, pooled)).toBeLessThan(0.05);
  });

  itAtNight('split into twenty slow ones needs a cap lower than 200', async () => {
    const slow = { bots: 20, botClicks: 1000 };
    const { pooled, users, found } = await evaluated(slow, 200);
    // What 200 leaves, 4,000 clicks beside 18,000, still counts.
    expect(moved(clean.pooled, pooled)).toBeGreaterThan(0.1);
    expect(
      moved((await evaluated({}, 10)).pooled, (await evaluated(slow, 10)).pooled),
    ).toBeLessThan(0.03);
    expect(users!.named.map(({ user }) => user).sort()).toEqual(
      Array.from({ length: 20 }, (_, n) => `bot${n}`).sort(),
    );
    expect(textOf(found!)).toMatch(/^20 users have .* and 15 more\./);
  });
});

it('a slow crawler is capped in each hour of a stream', () => {
  const bots = { bots: 1, botClicks: 2000 };
  const config = configOf(200, { 'time.tick': '30m', 'time.windows': '1h', 'time.lateness': '1m' });
  const how = { partitions: 2, batchSize: 4096, run: 1 };
  const log = [...logOf(bots, HOURS, 2000)] as Event[];
  const { snapshots, overUserCap } = feed(log, monitorOptions(config), how);
  const clean = feed([...logOf({}, HOURS, 2000)] as Event[], monitorOptions(config), how).snapshots;
  expect(moved(pooledOf(clean.at(-1)!), pooledOf(snapshots.at(-1)!))).toBeLessThan(0.03);
  // In each whole hour; every snapshot's horizon holds them.
  expect(overUserCap).toBe(HOURS * 1800);
  expect(snapshots.at(-1)!.heavyUsers!.named).toMatchObject([
    { user: 'bot0', interactions: HOURS * 2000 },
  ]);
});
