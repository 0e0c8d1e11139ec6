import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryBroker } from '../../../src/adapters/memory/broker.js';
import { Decoder } from '../../../src/events/decode.js';
import { encodeEvent } from '../../../src/events/encode.js';
import type { AppliedBatch } from '../../../src/stream/ingest.js';
import type { TimedPane } from '../../../src/stream/pane-closer.js';
import { Pipeline } from '../../../src/stream/pipeline.js';
import { differences } from '../../support/compare.js';
import { type Event, feed, quickOptions, roleOf } from '../../support/log.js';

const TOPICS = { exposures: 'e', interactions: 'i' };

function aLog(events: number): Event[] {
  return Array.from({ length: events }, (_, n): Event => {
    const user = `u${n % 5}`;
    const ts = 1000 + n * 3;
    return n % 4 === 0
      ? { type: 'exposure', id: `e${n}`, ts, user, model: `m${n % 3}`, items: ['a', 'b', 'c', 'd'] }
      : { type: 'interaction', id: `x${n}`, ts, user, item: 'abcde'[n % 5]! };
  });
}

const running: Pipeline[] = [];
afterEach(async () => {
  for (const pipeline of running.splice(0)) await pipeline.stop();
});

function start(broker: MemoryBroker, idleMs: number, batchSize = 7, monitor = quickOptions()) {
  const source = broker.source({ topics: TOPICS, group: 'g', batchSize });
  const pipeline = new Pipeline(source, {
    monitor,
    decoder: new Decoder({ maxFutureMs: 1e15 }),
    topics: TOPICS,
    start: 'earliest',
    idleMs,
    turns: { now: () => performance.now(), next: () => nextTurn() },
    now: Date.now,
  });
  const panes: TimedPane[] = [];
  const applied: AppliedBatch[] = [];
  pipeline.panes$.subscribe({ next: (pane) => panes.push(pane), error: () => {} });
  pipeline.applied$.subscribe((batch) => applied.push(batch));
  running.push(pipeline);
  return { pipeline, panes, applied };
}

async function write(broker: MemoryBroker, log: readonly Event[]): Promise<void> {
  const writer = broker.producer();
  for (const event of log) {
    const record = { key: event.user, value: encodeEvent(event) };
    await writer.send(TOPICS[roleOf(event)], [record]);
  }
}

function aBroker(partitions: number): MemoryBroker {
  const broker = new MemoryBroker();
  broker.createTopic('e', partitions);
  broker.createTopic('i', partitions);
  return broker;
}

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error('it never came true');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('the pipeline on the embedded broker', () => {
  it('gives the panes that one undisturbed reader gives, idle partitions included', async () => {
    const log = aLog(200);
    // More partitions than users: some never deliver, and must not hold time back forever.
    const broker = aBroker(6);
    await write(broker, log);
    const { pipeline, panes } = start(broker, 60);
    await pipeline.start();
    const wanted = feed(log, quickOptions(), { partitions: 1, batchSize: 1000, run: 1 }).snapshots;
    await until(() => panes.length >= wanted.length);
    expect(
      differences(
        panes.map(({ snapshot }) => snapshot),
        wanted,
        1e-9,
      ),
    ).toEqual([]);
    expect(pipeline.caughtUp).toBe(true);
  });

  it('forgets ids beside reading, and reports it', async () => {
    const options = quickOptions({
      popularity: { horizonMs: 60, of: 'all' },
      attributionTtlMs: 10,
    });
    // Visitors of a moment; the lists are of one user and come seldom, so that they go soon.
    const log = aLog(400).map((event, n): Event => {
      if (event.type === 'exposure') return { ...event, user: 'u' };
      return { ...event, user: `v${n}`, item: `i${n}` };
    });
    const broker = aBroker(1);
    const monitor = { ...options, ids: { sweepFrom: 20 } };
    await write(broker, log);
    const { pipeline, panes } = start(broker, 60, 7, monitor);
    const forgotten = { user: 0, item: 0, model: 0 };
    pipeline.swept$.subscribe((swept) => {
      forgotten[swept.kind] += swept.forgotten;
    });
    await pipeline.start();
    const wanted = feed(log, options, { partitions: 1, batchSize: 1000, run: 1 }).snapshots;
    await until(() => panes.length >= wanted.length);
    const snapshots = panes.map(({ snapshot }) => snapshot);
    expect(differences(snapshots, wanted, 1e-9)).toEqual([]);
    await until(() => forgotten.user > 100);
    const { user } = pipeline.knownIds;
    expect(user + forgotten.user).toBe(new Set(log.map((event) => event.user)).size);
  });

  it('waits for a partition that is silent but not for longer than the idle time', async () => {
    const broker = aBroker(2);
    await write(
      broker,
      aLog(40).filter(({ user }) => user === 'u0'),
    );
    const { pipeline, panes } = start(broker, 1_000_000);
    await pipeline.start();
    await until(() => pipeline.caughtUp);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(panes).toEqual([]);
  });

  it('gives each partition an equal share of a limit, also one that has all the traffic', async () => {
    const log = Array.from({ length: 100 }, (_, n): Event => {
      return { type: 'interaction', id: `x${n}`, ts: 1000 + n, user: 'u', item: 'a' };
    });
    // Ten in a pane, six panes in the window: a fourth of the limit is five a pane.
    const limits = { rows: 6 * 20, listEntries: 1000, users: 1000 };
    for (const [partitions, isSampled] of [
      [1, false],
      [4, true],
    ] as const) {
      const broker = aBroker(partitions);
      await write(broker, log);
      const { pipeline, panes } = start(broker, 60, 7, quickOptions({ limits }));
      await pipeline.start();
      await until(() => panes.length >= 10);
      const ratios = panes.map(({ snapshot }) => snapshot.sampling.ratio);
      expect(Math.min(...ratios) < 1, `${partitions} partitions`).toBe(isSampled);
      const out = panes.reduce((sum, { sampledOut }) => sum + sampledOut.interactions, 0);
      expect(out).toBe(isSampled ? 100 : 0);
      // The share of a pane is passed where the one user has come six times, and he is gone then.
      expect(panes.at(-1)!.snapshot.popularity.interactions.total).toBe(100);
    }
  });

  it('counts faults and hands over their bytes, and changes no number by them', async () => {
    const log = aLog(120);
    const clean = aBroker(1);
    await write(clean, log);
    const dirty = aBroker(1);
    const writer = dirty.producer();
    for (const event of log) {
      await writer.send('i', [{ key: null, value: '{"id":"broken"' }]);
      await writer.send(TOPICS[roleOf(event)], [{ key: event.user, value: encodeEvent(event) }]);
    }
    const one = start(clean, 50);
    const other = start(dirty, 50);
    await one.pipeline.start();
    await other.pipeline.start();
    const wanted = feed(log, quickOptions(), { partitions: 1, batchSize: 1000, run: 1 }).snapshots;
    await until(() => one.panes.length >= wanted.length && other.panes.length >= wanted.length);
    const snapshots = ({ panes }: typeof one) => panes.map(({ snapshot }) => snapshot);
    expect(differences(snapshots(other), snapshots(one), 0)).toEqual([]);
    const letters = other.applied.flatMap(({ deadLetters }) => deadLetters);
    expect(letters).toHaveLength(log.length);
    expect(letters[0]).toMatchObject({ reason: 'not_json', topic: 'i', partition: 0, offset: 0 });
    expect(Buffer.from(letters[0]!.value).toString()).toBe('{"id":"broken"');
  });

  it('reads everything again when its partitions change, since it has no checkpoint', async () => {
    const log = aLog(160);
    const broker = aBroker(4);
    await write(broker, log);
    const { pipeline, applied } = start(broker, 1_000_000);
    const assignments: (readonly number[])[] = [];
    pipeline.assigned$.subscribe((partitions) => assignments.push(partitions));
    await pipeline.start();
    const accepted = () => applied.reduce((sum, { outcomes }) => sum + outcomes.accepted, 0);
    await until(() => accepted() === log.length);

    const second = broker.source({ topics: TOPICS, group: 'g' });
    await second.start({
      assigned: async (held) =>
        new Map(held.map((p) => [p, { exposures: 'latest', interactions: 'latest' }])),
      revoked: () => {},
      state: () => {},
      batch: async () => {},
    });
    await until(() => assignments.some((partitions) => partitions.length === 2));
    await second.stop();
    await until(() => assignments.at(-1)!.length === 4);
    await until(() => pipeline.caughtUp);
    // Nothing is a duplicate to a state that was dropped with the assignment it belonged to.
    const duplicates = applied.reduce((sum, { outcomes }) => sum + outcomes.duplicate, 0);
    expect(duplicates).toBe(0);
  });
});
