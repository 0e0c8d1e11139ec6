import { describe, expect, it } from 'vitest';
import { ExposureColumns, InteractionColumns } from '../../src/events/columns.js';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import type { PopularityRule } from '../../src/state/counts/popularity-rule.js';
import { Interner } from '../../src/state/ids/interner.js';
import { Evaluation } from '../../src/stream/files/evaluation.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { seeded } from '../oracle/random.js';
import { type StreamSettings, totals } from '../oracle/stream.js';
import { itAtNight } from '../support/at-night.js';
import { differences } from '../support/compare.js';
import { type Event, feed, quickOptions } from '../support/log.js';
import { paneSeries } from '../support/pane-series.js';
import { RestartedReader } from '../support/restarts.js';
import { throughRecords } from '../support/through-records.js';

const TICK = 10;
/** A cap holds in each stretch of this length. */
const WINDOW = 3 * TICK;
const HORIZON = 10 * WINDOW;
const EVENTS = 120;

/** Few users with many interactions, of which some name lists: shown, hidden, drawn at random, unknown. */
function aLog(seed: number): Event[] {
  const random = seeded(seed);
  const below = (n: number) => Math.floor(random() * n);
  const lists: { id: string; user: string }[] = [];
  let ts = 1000;
  return Array.from({ length: EVENTS }, (_, n): Event => {
    ts += below(3);
    const user = `u${below(5)}`;
    if (n % 4 === 0) {
      const items = ['i0', 'i1', 'i2', 'i3'].slice(below(3));
      const kind = { shown: random() < 0.6, randomized: random() < 0.25 };
      lists.push({ id: `e${n}`, user });
      return { type: 'exposure', id: `e${n}`, ts, user, model: 'm', items, ...kind };
    }
    const of = { id: `x${n}`, ts, item: `i${below(5)}`, value: below(3) === 0 ? 0 : 1 };
    const draw = random();
    const said = random() < 0.15 ? { randomized: true } : {};
    if (draw < 0.5) return { type: 'interaction', ...of, user, ...said };
    if (draw < 0.6) return { type: 'interaction', ...of, user, exposure: 'nobody', ...said };
    const { id: exposure, user: whose } = lists[below(lists.length)];
    return { type: 'interaction', ...of, user: whose, exposure, ...said };
  });
}

function options(rule: PopularityRule): MonitorOptions {
  const base = quickOptions();
  const few = { metrics: ['recall' as const], ks: [1], estimators: ['snips' as const] };
  return quickOptions({
    tickMs: TICK,
    windows: [{ name: 'long', ms: WINDOW }],
    attributionTtlMs: 1000,
    popularity: { horizonMs: HORIZON, ...rule },
    estimates: { ...base.estimates, ...few },
  });
}

const SETTINGS = { horizonMs: HORIZON, ttlMs: 1000, gamma: 2, smoothing: 0.5, k: 1 };

function settingsOf(rule: PopularityRule, bucketMs: number): StreamSettings {
  return {
    ...SETTINGS,
    of: rule.of,
    countsRandomized: rule.randomized !== 'ignore',
    countsCaused: rule.caused !== 'ignore',
    ...(rule.userCap && { userCap: { most: rule.userCap, bucketMs } }),
  };
}

/**
 * What is to be seen of the counts, by the definitions: Σm over all interactions of the kind that
 * counts, and Σmn/Σm, their mean popularity, with n what the rule leaves of m.
 */
function seen(all: readonly Event[], popular: readonly Event[]) {
  const counts = new Map<string, number>();
  const itemOf = (event: Event) => (event as { item: string }).item;
  for (const event of popular) counts.set(itemOf(event), (counts.get(itemOf(event)) ?? 0) + 1);
  const sum = all.reduce((total, event) => total + (counts.get(itemOf(event)) ?? 0), 0);
  return { total: all.length, averagePopularity: all.length === 0 ? 0 : sum / all.length };
}

async function evaluated(log: readonly Event[], rule: PopularityRule, train: number) {
  const users = new Interner();
  const ids = { items: new Interner(), models: new Interner(), users: () => users };
  const evaluation = new Evaluation(options(rule), ids, new Outcomes());
  const decoder = new Decoder({ maxFutureMs: 1e15 });
  const accept = (part: 'train' | 'events', events: readonly Event[]) => {
    const into = { interactions: new InteractionColumns(), exposures: new ExposureColumns() };
    for (const event of events) {
      const bytes = Buffer.from(encodeEvent(event));
      expect(decoder.decode(bytes, 0, bytes.length, 'mixed', 0, { ...ids, users }, into)).toBe(0);
    }
    evaluation.accept(part, into.interactions, into.exposures);
  };
  if (train > 0) accept('train', log.slice(0, train));
  accept('events', log.slice(train));
  return (await evaluation.result()).popularity.interactions;
}

const RULES: readonly PopularityRule[] = [
  { of: 'positive', caused: 'ignore' },
  { of: 'positive', userCap: 2 },
  { of: 'all', caused: 'ignore', randomized: 'ignore', userCap: 1 },
];
const PLAIN: PopularityRule = { of: 'positive' };

describe.each(RULES)('popularity under the rule %j', (rule) => {
  const log = aLog(1);
  // The last has all that the others have.
  const itOfLast = rule === RULES.at(-1) ? it : itAtNight;

  it('counts exactly the interactions of its definition in each pane', () => {
    const how = { partitions: 2, batchSize: 9, run: 2 };
    const { snapshots } = feed(log, options(rule), how);
    const unlimited = { ...SETTINGS, of: rule.of };
    let less = 0;
    for (const { paneEnd, popularity } of snapshots) {
      const { popular } = totals(log, paneEnd, settingsOf(rule, WINDOW));
      const all = totals(log, paneEnd, unlimited).popular;
      const { total, averagePopularity } = seen(all, popular);
      expect(popularity.interactions.total).toBe(total);
      expect(popularity.interactions.averagePopularity).toBeCloseTo(averagePopularity, 12);
      less += all.length - popular.length;
    }
    expect(less).toBeGreaterThan(0);
  });

  it('counts exactly its interactions in an evaluation with one bucket per part', async () => {
    const settings = { ...settingsOf(rule, 1e9), horizonMs: 1e9 };
    const unlimited = { ...SETTINGS, of: rule.of, horizonMs: 1e9 };
    const wanted = (events: readonly Event[]) =>
      seen(totals(events, 1e6, unlimited).popular, totals(events, 1e6, settings).popular);
    expect(await evaluated(log, rule, 0)).toMatchObject(wanted(log));
    const train = 90;
    // The oracle is given all lists; those of the evaluated part come too late to be named here.
    expect(await evaluated(log, rule, train)).toMatchObject(wanted(log.slice(0, train)));
  });

  itOfLast('is the same in several partitions and if other processes close the panes', () => {
    const alone = feed(log, options(rule), { partitions: 1, batchSize: 1000, run: 1 });
    const shared = feed(log, options(rule), { partitions: 3, batchSize: 5, run: 1 });
    expect(differences(paneSeries(shared.snapshots), alone.snapshots, 1e-9)).toEqual([]);
    expect(shared.overUserCap).toBe(alone.overUserCap);
    const found = throughRecords(log, options(rule), 4).snapshots;
    expect(differences(found, alone.snapshots, 1e-9)).toEqual([]);
  });

  itOfLast('keeps its counts across restarts in the middle of buckets', () => {
    const wanted = new RestartedReader(log, options(rule), 1);
    wanted.finish();
    const reader = new RestartedReader(log, options(rule), 1);
    for (let n = 0; n < 12; n++) {
      reader.read('exposures', 0, 4);
      reader.read('interactions', 0, 11);
      reader.checkpoint(0);
      reader.restart();
    }
    reader.finish();
    expect(differences(paneSeries(reader.snapshots), wanted.snapshots, 1e-9)).toEqual([]);
  });

  it('counts the same if users are sampled, unless it needs attributed lists', () => {
    // What is not kept has only its own word: no list that is named is hidden or drawn at random.
    const plain = log.map(
      (e): Event => (e.type === 'exposure' ? { ...e, shown: true, randomized: false } : e),
    );
    const limits = { rows: 300, listEntries: 600, users: 1e6 };
    const wanted = new RestartedReader(plain, options(rule), 1);
    wanted.finish();
    const reader = new RestartedReader(plain, { ...options(rule), limits }, 1);
    for (let n = 0; n < 12; n++) {
      reader.read('exposures', 0, 4);
      reader.read('interactions', 0, 11);
      reader.checkpoint(0);
      reader.restart();
    }
    reader.finish();
    const popularity = (of: RestartedReader) =>
      paneSeries(of.snapshots).map((snapshot) => snapshot.popularity.interactions);
    expect(differences(popularity(reader), popularity(wanted), 1e-9)).toEqual([]);
    expect(Math.min(...reader.snapshots.map(({ sampling }) => sampling.ratio))).toBeLessThan(1);
  });
});

it('interactions over the user cap count as accepted', () => {
  const log = aLog(1);
  const rule: PopularityRule = { of: 'all', userCap: 1 };
  const how = { partitions: 2, batchSize: 9, run: 2 };
  const { overUserCap, outcomes } = feed(log, options(rule), how);
  const all = log.filter(({ type }) => type === 'interaction').length;
  const settings = { ...settingsOf(rule, WINDOW), horizonMs: 1e9 };
  expect(overUserCap).toBe(all - totals(log, 1e6, settings).popular.length);
  expect(outcomes.accepted).toBe(log.length);
  expect(feed(log, options(PLAIN), how).overUserCap).toBe(0);
});

it.each([
  [{ of: 'positive', caused: 'ignore' }, PLAIN, 'popularity.caused "ignore", which is now "count"'],
  [PLAIN, { of: 'positive', userCap: 3 }, 'popularity.userCap 0, which is now 3'],
] as const)('a checkpoint made under another popularity rule is rejected', (made, now, said) => {
  const reader = new RestartedReader(aLog(4), options(made), 1);
  reader.read('exposures', 0, 40);
  reader.read('interactions', 0, 80);
  reader.checkpoint(0);
  const other = new RestartedReader(aLog(4), options(now), 1);
  other.checkpoints.set(0, reader.checkpoints.get(0)!);
  expect(() => other.restart()).toThrow(
    `was made with ${said}: set it back, or start from scratch`,
  );
});
