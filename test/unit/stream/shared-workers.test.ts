import { describe, expect, it, vi } from 'vitest';
import { Why } from '../../../src/features/why/why.js';
import { reasonOf } from '../../../src/rows/reading.js';
import { runAtOnce } from '../../../src/stream/sliced.js';
import type { Snapshot } from '../../../src/stream/snapshot.js';
import { differences } from '../../support/compare.js';
import { driftMonitorOptions, driftTraffic } from '../../support/drift-traffic.js';
import { type Event, feed, quickOptions, threeModels, withNaive } from '../../support/log.js';
import { MemoryPaneExchange } from '../../support/memory-pane-exchange.js';
import { paneSeries } from '../../support/pane-series.js';
import { RestartedReader } from '../../support/restarts.js';
import { SharedWorkers } from '../../support/workers.js';

const USERS = ['ann', 'ben', 'cem', 'dot', 'eve', 'fay'];
const ITEMS = ['a', 'b', 'c', 'd'];
const ROLES = ['exposures', 'interactions'] as const;

/** Lists without propensities and none at random, so that only their reach gives a scale. */
const log: readonly Event[] = Array.from({ length: 60 }, (_, n): Event => {
  const user = USERS[n % USERS.length]!;
  const ts = 1000 + n;
  if (n < 12) {
    const items = ITEMS.slice(n % 3);
    return { type: 'exposure', id: `e${n}`, ts, user, model: 'm', items };
  }
  return { type: 'interaction', id: `x${n}`, ts, user, item: ITEMS[(n >> 2) % 4]! };
});

async function sharedBy(workers: number, options = quickOptions()): Promise<SharedWorkers> {
  const group = new SharedWorkers(log, options, 6);
  await group.share(workers);
  await group.finish();
  return group;
}

describe('whom lists reached', () => {
  const { estimates } = quickOptions();
  const options = quickOptions({ estimates: { ...estimates, estimators: ['ips'] } });

  it('is a scale where one worker has all lists', () => {
    const alone = new RestartedReader(log, options, 6);
    alone.finish();
    expect(alone.snapshots[1]!.windows[0]!.absoluteScale!.scale).toBe('reach');
  });

  it('is none where the lists are those of several, and it is said why', async () => {
    const { snapshots } = await sharedBy(3, options);
    const [short, long] = snapshots[1]!.windows;
    expect(short!.absoluteScale!.scale).toBe('relative');
    const reasons = [short, long].map((window) => window!.absoluteScale!.passedOver.at(-1));
    expect(reasons).toEqual([
      { scale: 'reach', reason: expect.stringMatching(/several workers share the partitions/) },
      { scale: 'reach', reason: expect.stringMatching(/attribution\.ttl/) },
    ]);
  });
});

describe('the worker that evaluates', () => {
  it('knows the items and users of all partitions as one that reads everything', async () => {
    const alone = new RestartedReader(log, quickOptions(), 6);
    alone.finish();
    const { lookup } = await sharedBy(3);
    for (const user of USERS) {
      expect(alone.ingest.lookup.user(user)).toMatchObject({ user, randomized: 0 });
      expect(lookup!.user(user)).toEqual(alone.ingest.lookup.user(user));
    }
    for (const item of ITEMS) {
      const wanted = runAtOnce(alone.ingest.lookup.item(item, 1));
      expect(wanted!.count).toBeGreaterThan(0);
      expect(runAtOnce(lookup!.item(item, 1))).toEqual(wanted);
    }
    expect(lookup!.user('nobody')).toBeUndefined();
  });

  it('tells where a gap comes from as one that reads everything', async () => {
    const options = quickOptions(withNaive());
    const alone = new RestartedReader(log, options, 6);
    alone.finish();
    const { lookup } = await sharedBy(3, options);
    const question = {
      ...({ window: 'long', metric: 'dcg', k: 2, aggregation: 'pooled' } as const),
      ...({ model: 'm', estimator: 'snips', most: 10 } as const),
    };
    const wanted = runAtOnce(new Why(alone.ingest.lookup).gap(question));
    expect(wanted).toMatchObject({ items: expect.arrayContaining([expect.anything()]) });
    expect(runAtOnce(new Why(lookup!).gap(question))).toEqual(wanted);
    const places = runAtOnce(new Why(alone.ingest.lookup).placements('long', 'b'));
    expect(places).toMatchObject([{ model: 'm', rows: expect.any(Number) }]);
    expect(runAtOnce(new Why(lookup!).placements('long', 'b'))).toEqual(places);
  });
});

describe('a pane that an owner has reported', () => {
  it('is not taken for empty where the owner has begun again since and not come as far', async () => {
    const events = threeModels(60);
    const wanted = feed(events, quickOptions(), { partitions: 1, batchSize: 1000, run: 1 });
    const group = new SharedWorkers(events, quickOptions(), 2);
    const { progress } = MemoryPaneExchange.prototype;
    let asked = 0;
    const telling = vi
      .spyOn(MemoryPaneExchange.prototype, 'progress')
      .mockImplementation(async function (this: MemoryPaneExchange, count) {
        const there = await progress.call(this, count);
        // What was so when it was reported, and is no longer when the records are asked for.
        const isOld = asked++ % 2 === 0;
        return there.map((each) => each && { ...each, closed: each.closed + (isOld ? 1 : 0) });
      });
    await group.share(2);
    const isLeft = () => [0, 1].some((p) => ROLES.some((role) => group.left(role, p) > 0));
    while (isLeft()) {
      for (const p of [0, 1]) for (const role of ROLES) group.read(role, p, 2);
      for (let step = 0; step < 8; step++) await group.move(step);
    }
    telling.mockRestore();
    await group.finish();
    expect(differences(paneSeries(group.snapshots), wanted.snapshots, 1e-9)).toEqual([]);
  });
});

describe('what the detectors have learned', () => {
  it('is noted with each pane, and neither written nor noted again while nothing is concluded', async () => {
    const concluding = vi.spyOn(MemoryPaneExchange.prototype, 'conclude');
    const calm = driftTraffic({ seed: 3, cycles: 12, rankers: ['personal'], shiftAt: 40 });
    const group = new SharedWorkers(calm, driftMonitorOptions(), 2);
    await group.share(2);
    await group.finish();
    const notes = concluding.mock.calls.map(([, note]) => note);
    const last = group.snapshots.at(-1)!;
    expect(notes.at(-1)!.drift!.length).toBeGreaterThan(1000);
    expect(notes.at(-1)).toMatchObject(
      JSON.parse(JSON.stringify(await group.exchange.concluded())),
    );
    expect(last.drift!.length).toBeGreaterThan(0);
    expect(new Set(notes.map(({ through }) => through)).size).toBe(notes.length);
    const writing = vi.spyOn(JSON, 'stringify');
    for (let step = 0; step < 20; step++) await group.move(step);
    const written = writing.mock.results.map(({ value }) => String(value).length);
    writing.mockRestore();
    expect(concluding.mock.calls.length).toBe(notes.length);
    expect(Math.max(0, ...written)).toBeLessThan(1000);
    concluding.mockRestore();
  });
});

describe('the detectors of change', () => {
  const shifted = driftTraffic({ seed: 3, cycles: 50, rankers: ['personal'], shiftAt: 40 });
  const options = driftMonitorOptions();
  const alone = feed(shifted, options, { partitions: 1, batchSize: 10_000, run: 1 }).snapshots;

  it.each([
    ['the note', false],
    ['the checkpoints alone', true],
  ])('go on in a new worker with what %s says that they have learned', async (_name, isLost) => {
    const group = new SharedWorkers(shifted, options, 6);
    await group.share(3);
    for (let partition = 0; partition < 6; partition++) {
      for (const role of ['exposures', 'interactions'] as const) {
        group.read(role, partition, Math.floor(0.7 * group.left(role, partition)));
      }
    }
    for (let step = 0; step < 30; step++) await group.move(step);
    await group.share(2);
    const before = group.snapshots.length;
    expect(before).toBeGreaterThan(25);
    expect(before).toBeLessThan(40);
    if (isLost) group.exchange.lose();
    await group.finish();
    const after = group.snapshots.slice(before);
    expect(after.length).toBeLessThan(25);
    expect(after.at(-1)!.paneEnd).toBe(alone.at(-1)!.paneEnd);
    expect(after.flatMap(({ alarms }) => alarms)).not.toEqual([]);
    const wanted = new Map(alone.map((snapshot) => [snapshot.paneEnd, snapshot]));
    for (const { paneEnd, drift, alarms } of after) {
      const same = wanted.get(paneEnd)!;
      expect(
        differences({ drift, alarms }, { drift: same.drift, alarms: same.alarms }, 1e-6),
      ).toEqual([]);
    }
  });
});

describe('what was withheld', () => {
  const { estimates } = quickOptions();
  const options = quickOptions({
    windows: [{ name: 'short', ms: 20 }],
    attributionTtlMs: 15,
    estimates: {
      ...{ ...estimates, metrics: ['recall'], ks: [2], estimators: ['naive'] },
      feedback: 'withhold',
    },
  });
  /** Shares of caused clicks, in %, of windows that follow each other. */
  const SHARES = [9, 11, 9, 9, 9, 8, 7, 9];
  const caused = SHARES.flatMap((share, number) =>
    Array.from({ length: 100 }, (_, n): Event[] => {
      const [user, ts, id] = [`u${n}`, 20 * number + 1, `${number}-${n}`];
      const exposure = n < share ? { exposure: `s${id}` } : {};
      const list = { type: 'exposure' as const, ts, user, items: ['a', 'b'] };
      return [
        { ...list, id: `s${id}`, model: 'shown' },
        { ...list, id: `h${id}`, model: 'hidden', shown: false },
        { type: 'interaction', id: `c${id}`, ts: ts + 2, user, item: 'a', ...exposure },
      ];
    }).flat(),
  );
  const hiddenIn = (snapshots: readonly Snapshot[]) =>
    new Map(
      snapshots.map(({ paneEnd, windows }) => {
        const row = windows[0]!.results.find(({ model }) => model === 'hidden');
        return [paneEnd, row && reasonOf(row)];
      }),
    );
  const alone = feed(caused, options, { partitions: 1, batchSize: 10_000, run: 1 });
  const wanted = hiddenIn(alone.snapshots);

  it.each([
    ['the note', false],
    ['the checkpoints alone', true],
  ])('stays so in a new worker by %s, until the share is below .08', async (_name, isLost) => {
    const ends = SHARES.map((_, number) => 20 * number + 10);
    const five = Array.from({ length: 5 }, () => 'caused_by_lists');
    expect(ends.map((end) => wanted.get(end))).toEqual([null, ...five, null, null]);
    const group = new SharedWorkers(caused, options, 6);
    await group.share(3);
    for (let partition = 0; partition < 6; partition++) {
      for (const role of ['exposures', 'interactions'] as const) {
        group.read(role, partition, Math.floor(0.5 * group.left(role, partition)));
      }
    }
    for (let step = 0; step < 30; step++) await group.move(step);
    await group.share(2);
    const before = group.snapshots.length;
    expect(before).toBeGreaterThan(4);
    if (isLost) group.exchange.lose();
    await group.finish();
    const found = hiddenIn(group.snapshots.slice(before));
    expect(found.size).toBeGreaterThan(4);
    for (const [end, withheld] of found) expect(withheld, `${end}`).toBe(wanted.get(end));
  });
});
