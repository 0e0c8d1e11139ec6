import { describe, expect, it } from 'vitest';
import { ExposureColumns, InteractionColumns } from '../../src/events/columns.js';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { Interner } from '../../src/state/ids/interner.js';
import { Evaluation } from '../../src/stream/files/evaluation.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { seeded } from '../oracle/random.js';
import { totals } from '../oracle/stream.js';
import { differences } from '../support/compare.js';
import { type Event, feed, quickOptions } from '../support/log.js';
import { paneSeries } from '../support/pane-series.js';
import { RestartedReader } from '../support/restarts.js';

const HORIZON = 120;
/** How many interactions are made: about two of five are of randomised traffic. */
const EVENTS = 150;

/** Interactions that say so, others that name a list drawn at random, and organic ones. */
function aLog(seed: number): Event[] {
  const random = seeded(seed);
  const below = (n: number) => Math.floor(random() * n);
  let ts = 1000;
  return Array.from({ length: EVENTS }, (_, n): Event => {
    ts += below(4);
    const user = `u${below(6)}`;
    if (n % 3 === 0) {
      const items = ['i0', 'i1', 'i2', 'i3'].slice(below(3));
      const randomized = random() < 0.4;
      return { type: 'exposure', id: `e${n}`, ts, user, model: 'm', items, randomized };
    }
    const of = { item: `i${below(5)}`, value: below(3) === 0 ? 0 : 1 };
    const named = n - 1 - ((n - 1) % 3);
    const isNamed = random() < 0.4;
    // Who names a list has to be whose it is: the user is that of the list.
    return {
      type: 'interaction',
      id: `x${n}`,
      ts,
      user,
      ...of,
      ...(isNamed ? { exposure: `e${named}` } : {}),
      ...(random() < 0.25 ? { randomized: true } : {}),
    };
  }).map((event, n, log) =>
    event.type === 'interaction' && event.exposure !== undefined
      ? { ...event, user: log[n - 1 - ((n - 1) % 3)]!.user }
      : event,
  );
}

function options(of: 'positive' | 'all', randomized: 'count' | 'ignore'): MonitorOptions {
  return quickOptions({
    popularity: { horizonMs: HORIZON, of, randomized },
    attributionTtlMs: 1000,
  });
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

const SETTINGS = { horizonMs: HORIZON, ttlMs: 1000, gamma: 2, smoothing: 0.5, k: 1 };

async function evaluated(log: readonly Event[], asked: MonitorOptions, train = 0) {
  const users = new Interner();
  const ids = { items: new Interner(), models: new Interner(), users: () => users };
  const evaluation = new Evaluation(asked, ids, new Outcomes());
  const decoder = new Decoder({ maxFutureMs: 1e15 });
  const parts = { train: log.slice(0, train), events: log.slice(train) };
  for (const part of ['train', 'events'] as const) {
    const into = { interactions: new InteractionColumns(), exposures: new ExposureColumns() };
    for (const event of parts[part]) {
      const bytes = Buffer.from(encodeEvent(event));
      expect(decoder.decode(bytes, 0, bytes.length, 'mixed', 0, { ...ids, users }, into)).toBe(0);
    }
    if (parts[part].length > 0) evaluation.accept(part, into.interactions, into.exposures);
  }
  return (await evaluation.result()).popularity.interactions;
}

describe('popularity that ignores randomised traffic', () => {
  it.each(['positive', 'all'] as const)('counts the organic interactions: %s', (of) => {
    const log = aLog(1);
    let apart = 0;
    for (const randomized of ['ignore', 'count'] as const) {
      const how = { partitions: 2, batchSize: 9, run: 2 };
      const settings = { ...SETTINGS, of, countsRandomized: randomized === 'count' };
      for (const { paneEnd, popularity } of feed(log, options(of, randomized), how).snapshots) {
        const { popular } = totals(log, paneEnd, settings);
        const all = totals(log, paneEnd, { ...SETTINGS, of }).popular;
        const { total, averagePopularity } = seen(all, popular);
        expect(popularity.interactions.total).toBe(total);
        expect(popularity.interactions.averagePopularity).toBeCloseTo(averagePopularity, 12);
        apart += randomized === 'count' ? popular.length : -popular.length;
      }
    }
    expect(apart).toBeGreaterThan(0);
  });

  it.each(['positive', 'all'] as const)(
    'counts the organic interactions in an evaluation: %s',
    async (of) => {
      const log = aLog(2);
      const settings = { ...SETTINGS, horizonMs: 1e9, of, countsRandomized: false };
      const all = totals(log, 1e6, { ...settings, countsRandomized: true }).popular;
      const wanted = seen(all, totals(log, 1e6, settings).popular);
      const found = await evaluated(log, options(of, 'ignore'));
      expect(found.total).toBe(wanted.total);
      expect(found.averagePopularity).toBeCloseTo(wanted.averagePopularity, 12);
      const counted = await evaluated(log, options(of, 'count'));
      expect(counted.averagePopularity).toBeGreaterThan(wanted.averagePopularity);
    },
  );

  it('leaves out interactions attributed to randomised lists in the train part too', async () => {
    const log = aLog(7);
    const train = 90;
    const settings = {
      ...SETTINGS,
      horizonMs: 1e9,
      of: 'positive',
      countsRandomized: false,
    } as const;
    const trained = log.slice(0, train);
    const all = totals(trained, 1e6, { ...settings, countsRandomized: true }).popular;
    const wanted = seen(all, totals(trained, 1e6, settings).popular);
    const found = await evaluated(log, options('positive', 'ignore'), train);
    expect(found.total).toBe(wanted.total);
    expect(found.averagePopularity).toBeCloseTo(wanted.averagePopularity, 12);
  });

  it.each([
    ['ignore', 'count'],
    ['count', 'ignore'],
  ] as const)('rejects a checkpoint made with another popularity.randomized: %s', (made, now) => {
    const reader = new RestartedReader(aLog(4), options('positive', made), 1);
    reader.read('exposures', 0, 40);
    reader.read('interactions', 0, 80);
    reader.checkpoint(0);
    const other = new RestartedReader(aLog(4), options('positive', now), 1);
    other.checkpoints.set(0, reader.checkpoints.get(0)!);
    expect(() => other.restart()).toThrow(
      `was made with popularity.randomized "${made}", which is now "${now}": set it back, or start from scratch`,
    );
  });

  it('counts the same with sampled users if events mark randomised traffic themselves', () => {
    const log = aLog(6).map((e) => (e.type === 'interaction' ? { ...e, exposure: '' } : e));
    const plain = log.map((e) => {
      if (e.type === 'exposure') return e;
      const { exposure: _, ...rest } = e;
      return rest;
    }) as Event[];
    const asked = options('positive', 'ignore');
    const limited = { ...asked, limits: { rows: 30, listEntries: 60, users: 1e6 } };
    const wanted = new RestartedReader(plain, asked, 1);
    wanted.finish();
    const reader = new RestartedReader(plain, limited, 1);
    // Saved in the middle of a pane whose users are sampled.
    for (let n = 0; n < 10; n++) {
      reader.read('exposures', 0, 5);
      reader.read('interactions', 0, 11);
      reader.checkpoint(0);
      reader.restart();
    }
    reader.finish();
    const popularity = (of: RestartedReader) =>
      paneSeries(of.snapshots).map(({ popularity }) => popularity.interactions);
    expect(differences(popularity(reader), popularity(wanted), 1e-9)).toEqual([]);
    expect(Math.min(...reader.snapshots.map(({ sampling }) => sampling.ratio))).toBeLessThan(1);
  });
});
