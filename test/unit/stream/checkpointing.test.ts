import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryBroker } from '../../../src/adapters/memory/broker.js';
import { UnskewError } from '../../../src/errors.js';
import { encodeEvent } from '../../../src/events/encode.js';
import type { CheckpointEvent } from '../../../src/stream/checkpoint/checkpointer.js';
import type { Gap } from '../../../src/stream/flow.js';
import { Pipeline } from '../../../src/stream/pipeline.js';
import type { CheckpointStore } from '../../../src/stream/ports.js';
import type { AppliedBatch } from '../../../src/stream/read/ingest.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import {
  type Event,
  feed,
  quickDecoder,
  quickOptions,
  roleOf,
  threeModels,
} from '../../support/log.js';
import { MemoryCheckpointStore } from '../../support/memory-checkpoint-store.js';

const TOPICS = { exposures: 'e', interactions: 'i' };

const log = threeModels(120);
const wanted = feed(log, quickOptions(), { partitions: 1, batchSize: 1000, run: 1 }).snapshots;

const running: Pipeline[] = [];
afterEach(async () => {
  for (const pipeline of running.splice(0)) await pipeline.stop();
});

function aBroker(partitions: number, recordsPerPartition = 1_000_000): MemoryBroker {
  const broker = new MemoryBroker({ recordsPerPartition });
  broker.createTopic('e', partitions);
  broker.createTopic('i', partitions);
  return broker;
}

async function write(broker: MemoryBroker, events: readonly Event[]): Promise<void> {
  const writer = broker.producer();
  for (const event of events) {
    await writer.send(TOPICS[roleOf(event)], [{ key: event.user, value: encodeEvent(event) }]);
  }
}

interface Worker {
  readonly pipeline: Pipeline;
  readonly snapshots: Snapshot[];
  readonly applied: AppliedBatch[];
  readonly told: CheckpointEvent[];
  readonly gaps: Gap[];
  readonly failures: unknown[];
}

/**
 * For a worker that is given more to read: a partition that does not yet count as silent when the
 * rest comes makes nothing late, however busy the machine is.
 */
const PATIENT_MS = 2_000;

function worker(
  broker: MemoryBroker,
  store: CheckpointStore,
  everyMs = 1_000_000,
  idleMs = 60,
): Worker {
  const pipeline = new Pipeline(broker.source({ topics: TOPICS, group: 'g', batchSize: 7 }), {
    monitor: quickOptions(),
    decoder: quickDecoder(),
    topics: TOPICS,
    start: 'earliest',
    idleMs,
    turns: { now: () => performance.now(), next: () => nextTurn() },
    now: Date.now,
    checkpoints: { store, everyMs, written: async () => {}, stopMs: 2_000 },
  });
  const made: Worker = { pipeline, snapshots: [], applied: [], told: [], gaps: [], failures: [] };
  pipeline.panes$.subscribe({
    next: ({ snapshot }) => made.snapshots.push(snapshot),
    error: (error) => made.failures.push(error),
  });
  pipeline.applied$.subscribe((batch) => made.applied.push(batch));
  pipeline.gaps$.subscribe((gap) => made.gaps.push(gap));
  pipeline.checkpointer!.events$.subscribe((event) => made.told.push(event));
  running.push(pipeline);
  return made;
}

async function stop({ pipeline }: Worker): Promise<void> {
  running.splice(running.indexOf(pipeline), 1);
  await pipeline.stop();
}

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error('it never came true');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const outcomes = ({ told }: Worker) => told.map(({ outcome }) => outcome);
const reaches = ({ snapshots }: Worker, last: Snapshot) =>
  until(() => snapshots.some(({ paneEnd }) => paneEnd >= last.paneEnd));

/** A store whose answers are lost: a call fails once it has been waited for. */
class SilentStore extends MemoryCheckpointStore {
  isSilent = false;
  asked = 0;

  override async isWhole(partition: number): Promise<boolean> {
    await this.#wait();
    return super.isWhole(partition);
  }

  override async save(partition: number, epoch: number, chunks: readonly Uint8Array[]) {
    await this.#wait();
    return super.save(partition, epoch, chunks);
  }

  async #wait(): Promise<void> {
    if (!this.isSilent) return;
    this.asked++;
    for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
    throw new UnskewError('STATE', 'no answer');
  }
}

describe('a checkpoint store that does not answer', () => {
  it('stays unreachable through retries until it answers', async () => {
    const broker = aBroker(1);
    const store = new SilentStore();
    const made = worker(broker, store, 20, PATIENT_MS);
    const { checkpointer } = made.pipeline;
    await made.pipeline.start();
    await write(broker, log.slice(0, 50));
    await until(() => made.pipeline.caughtUp && outcomes(made).includes('saved'));
    store.isSilent = true;
    await write(broker, log.slice(50));
    await until(() => !checkpointer!.isReachable);
    const asked = store.asked;
    // It is asked twice more, and each time takes a while to fail.
    while (store.asked < asked + 2) {
      expect(checkpointer!.isReachable).toBe(false);
      await nextTurn();
    }
    store.isSilent = false;
    await until(() => checkpointer!.isReachable);
  });
});

/** Whether a count has not changed for long, asked time and again. */
function quiet(count: () => number): () => boolean {
  let last = count();
  let since = Date.now();
  return () => {
    if (count() !== last) since = Date.now();
    last = count();
    return Date.now() - since > 400;
  };
}

describe('a store that loses a checkpoint', () => {
  it('gets the state again even if nothing new was read', async () => {
    const broker = aBroker(2);
    const store = new MemoryCheckpointStore();
    await write(broker, log);
    const keeping = worker(broker, store, 20);
    await keeping.pipeline.start();
    await reaches(keeping, wanted.at(-1)!);
    await until(() => outcomes(keeping).filter((outcome) => outcome === 'saved').length >= 2);
    const saved = async () => {
      for await (const bytes of store.load(1)) return bytes.length;
      return 0;
    };
    // A checkpoint that is on its way would restore what is lost before anybody looks.
    await until(quiet(() => outcomes(keeping).length));
    store.lose(1);
    await until(() => outcomes(keeping).includes('lost'));
    const lost = outcomes(keeping).indexOf('lost');
    await until(() => outcomes(keeping).slice(lost).includes('saved'));
    expect(await saved()).toBeGreaterThan(0);
    // The loss is reported once, as the state is there again.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(outcomes(keeping).filter((outcome) => outcome === 'lost')).toHaveLength(1);
    await stop(keeping);
    const next = worker(broker, store);
    await next.pipeline.start();
    await until(() => next.pipeline.caughtUp);
    expect(outcomes(next)).toEqual(['loaded', 'loaded']);
  });
});
