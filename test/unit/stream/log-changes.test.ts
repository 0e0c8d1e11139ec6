import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryBroker } from '../../../src/adapters/memory/broker.js';
import { encodeEvent } from '../../../src/events/encode.js';
import type { ChangedLog } from '../../../src/stream/flow.js';
import { Pipeline } from '../../../src/stream/pipeline.js';
import type { StartPosition } from '../../../src/stream/ports.js';
import type { AppliedBatch } from '../../../src/stream/read/ingest.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { closingEvents, withoutClosing } from '../../support/closing-events.js';
import { differences } from '../../support/compare.js';
import {
  type Event,
  feed,
  quickDecoder,
  quickOptions,
  roleOf,
  threeModels,
} from '../../support/log.js';
import { MemoryCheckpointStore } from '../../support/memory-checkpoint-store.js';
import { eventually } from '../../support/program.js';

const TOPICS = { exposures: 'e', interactions: 'i' };
const HALF = 55;
/** After this many more events, one topic is longer than before and the other still shorter. */
const MORE = 30;
/** No partition's time is passed over while a test is busy. */
const IDLE_MS = 2_000;

const log = threeModels(100);
const closing = closingEvents(log);
const wanted = feed(log, quickOptions(), { partitions: 1, batchSize: 1000, run: 1 }).snapshots;

const running: Pipeline[] = [];
afterEach(async () => {
  for (const pipeline of running.splice(0)) await pipeline.stop();
});

function aBroker(partitions = 1): MemoryBroker {
  const broker = new MemoryBroker();
  for (const topic of Object.values(TOPICS)) broker.createTopic(topic, partitions);
  return broker;
}

async function write(broker: MemoryBroker, events: readonly Event[], partition?: number) {
  const writer = broker.producer();
  for (const event of events) {
    const record = { key: event.user, value: encodeEvent(event) };
    const to = partition === undefined ? {} : { partition };
    await writer.send(TOPICS[roleOf(event)], [{ ...record, ...to }]);
  }
}

class Worker {
  readonly snapshots: Snapshot[] = [];
  readonly applied: AppliedBatch[] = [];
  readonly changes: ChangedLog[] = [];
  readonly pipeline: Pipeline;

  constructor(broker: MemoryBroker, store: MemoryCheckpointStore, start: StartPosition) {
    const source = broker.source({ topics: TOPICS, group: 'g', batchSize: 7 });
    this.pipeline = new Pipeline(source, {
      monitor: quickOptions(),
      decoder: quickDecoder(),
      topics: TOPICS,
      start,
      idleMs: IDLE_MS,
      now: Date.now,
      turns: { now: () => performance.now(), next: () => nextTurn() },
      checkpoints: { store, everyMs: 1_000_000, written: async () => {}, stopMs: 2_000 },
    });
    this.pipeline.panes$.subscribe(({ snapshot }) => this.snapshots.push(snapshot));
    this.pipeline.applied$.subscribe((batch) => this.applied.push(batch));
    this.pipeline.logChanges$.subscribe((change) => this.changes.push(change));
    running.push(this.pipeline);
  }

  get accepted(): number {
    return this.applied.reduce((sum, { outcomes }) => sum + outcomes.accepted, 0);
  }

  async accepts(count: number): Promise<void> {
    await eventually(
      `${count} events`,
      async () => this.accepted,
      (seen) => seen >= count,
    );
  }

  async stop(): Promise<void> {
    running.splice(running.indexOf(this.pipeline), 1);
    await this.pipeline.stop();
  }
}

async function aWorker(
  broker: MemoryBroker,
  store: MemoryCheckpointStore,
  start: StartPosition = 'earliest',
): Promise<Worker> {
  const worker = new Worker(broker, store, start);
  await worker.pipeline.start();
  return worker;
}

/** One snapshot per pane, the newest that was emitted. */
function series(...workers: Worker[]): Snapshot[] {
  const byPane = new Map<number, Snapshot>();
  for (const { snapshots } of workers) {
    for (const snapshot of snapshots) byPane.set(snapshot.paneEnd, snapshot);
  }
  return [...byPane.values()].sort((a, b) => a.paneEnd - b.paneEnd);
}

/** Wait for the pane of the newest of this many events: no state is saved while catching up. */
const closes = (worker: Worker, events: number) =>
  eventually(
    `the pane of ${events} events`,
    async () => worker.snapshots.at(-1)?.paneEnd ?? 0,
    (end) => end > Number(log[events - 1]!.ts),
  );

const CHANGES = {
  'lost its end': (broker: MemoryBroker) => {
    for (const topic of Object.values(TOPICS)) {
      const [only] = broker.logs(topic);
      only!.truncate(only!.high - 10);
    }
    return 'truncated';
  },
  'was recreated': (broker: MemoryBroker) => {
    for (const topic of Object.values(TOPICS)) broker.recreateTopic(topic);
    return 'recreated';
  },
};

describe.each(Object.entries(CHANGES))('over a log that %s', (_, change) => {
  it('a worker that resumes from a checkpoint gives the undisturbed panes', async () => {
    const broker = aBroker();
    const store = new MemoryCheckpointStore();
    await write(broker, log.slice(0, HALF));
    const first = await aWorker(broker, store);
    await first.accepts(HALF);
    await first.stop();
    const kind = change(broker);
    await write(broker, log.slice(HALF, HALF + MORE));
    const second = await aWorker(broker, store);
    await second.accepts(MORE);
    await write(broker, [...log.slice(HALF + MORE), ...closing]);
    await second.accepts(log.length - HALF + closing.length);
    await closes(second, log.length);
    expect(second.accepted).toBe(log.length - HALF + closing.length);
    expect(second.changes.map((each) => each.kind)).toEqual([kind, kind]);
    const found = withoutClosing(series(first, second), wanted);
    expect(differences(found, wanted, 1e-9)).toEqual([]);
  });

  it('a worker that keeps running gives the undisturbed panes', async () => {
    const broker = aBroker();
    await write(broker, log.slice(0, HALF));
    const worker = await aWorker(broker, new MemoryCheckpointStore());
    await worker.accepts(HALF);
    const kind = change(broker);
    await write(broker, [...log.slice(HALF), ...closing]);
    await worker.accepts(log.length + closing.length);
    await closes(worker, log.length);
    expect(worker.accepted).toBe(log.length + closing.length);
    expect(worker.applied.reduce((sum, { outcomes }) => sum + outcomes.duplicate, 0)).toBe(0);
    expect(worker.changes.map((each) => each.kind)).toEqual([kind, kind]);
    expect(differences(withoutClosing(worker.snapshots, wanted), wanted, 1e-9)).toEqual([]);
  });
});

describe('over topics with more partitions than before', () => {
  it('a worker reports the change once and reads the new partitions in full', async () => {
    const broker = aBroker(2);
    const store = new MemoryCheckpointStore();
    const first = await aWorker(broker, store, 'latest');
    await write(broker, log.slice(0, HALF));
    await first.accepts(HALF);
    await first.stop();
    expect(first.changes).toEqual([]);
    for (const topic of Object.values(TOPICS)) broker.addPartitions(topic, 2);
    await write(broker, log.slice(HALF, HALF + 25), 3);
    const second = await aWorker(broker, store, 'latest');
    await second.accepts(25);
    expect(second.changes).toEqual([{ kind: 'extended', from: 2, to: 4 }]);
    await closes(second, HALF + 25);
    await second.stop();
    const third = await aWorker(broker, store, 'latest');
    await write(broker, log.slice(HALF + 25), 3);
    await third.accepts(20);
    expect(third.changes).toEqual([]);
    expect([second.accepted, third.accepted]).toEqual([25, 20]);
  });
});
