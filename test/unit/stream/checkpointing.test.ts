import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryBroker } from '../../../src/adapters/memory/broker.js';
import { UnskewError } from '../../../src/errors.js';
import { encodeEvent } from '../../../src/events/encode.js';
import { type CheckpointEvent, Checkpointer } from '../../../src/stream/checkpoint/checkpointer.js';
import type { AppliedBatch } from '../../../src/stream/ingest.js';
import { PaneCloser } from '../../../src/stream/pane-closer.js';
import { type Gap, Pipeline } from '../../../src/stream/pipeline.js';
import type { CheckpointStore } from '../../../src/stream/ports.js';
import type { Snapshot } from '../../../src/stream/snapshot.js';
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
import { RestartedReader } from '../../support/restarts.js';

const TOPICS = { exposures: 'e', interactions: 'i' };
/** Nobody else is to hold what is held here. */
const HELD = new AbortController().signal;

const log = threeModels(240);
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

/** One of each pane, the newest it was given as. */
function series(...workers: Worker[]): Snapshot[] {
  const byPane = new Map<number, Snapshot>();
  for (const { snapshots } of workers) {
    for (const snapshot of snapshots) byPane.set(snapshot.paneEnd, snapshot);
  }
  return [...byPane.values()].sort((a, b) => a.paneEnd - b.paneEnd);
}

describe('a worker that stops and another that goes on', () => {
  it('give the undisturbed panes, and read each record once', async () => {
    const broker = aBroker(4);
    const store = new MemoryCheckpointStore();
    await write(broker, log.slice(0, 140));
    const first = worker(broker, store);
    await first.pipeline.start();
    await until(() => first.pipeline.caughtUp);
    await stop(first);
    await write(broker, log.slice(140));
    const second = worker(broker, store);
    await second.pipeline.start();
    await reaches(second, wanted.at(-1)!);
    expect(outcomes(second).filter((outcome) => outcome === 'loaded')).toHaveLength(4);
    const read = (made: Worker) => made.applied.reduce((n, { outcomes: o }) => n + o.accepted, 0);
    expect(read(first)).toBe(140);
    expect(read(second)).toBe(100);
    expect(differences(series(first, second), wanted, 1e-9)).toEqual([]);
  });

  it('go on from the checkpoint before where the newest is damaged', async () => {
    const broker = aBroker(2);
    const store = new MemoryCheckpointStore();
    await write(broker, log.slice(0, 90));
    const first = worker(broker, store, 20, PATIENT_MS);
    await first.pipeline.start();
    await until(() => outcomes(first).filter((outcome) => outcome === 'saved').length >= 2);
    await write(broker, log.slice(90, 180));
    await until(() => (first.snapshots.at(-1)?.paneEnd ?? 0) > 1400);
    await stop(first);
    await write(broker, log.slice(180));
    store.damageNewest(1);
    const second = worker(broker, store);
    await second.pipeline.start();
    await reaches(second, wanted.at(-1)!);
    expect(outcomes(second)).toEqual(expect.arrayContaining(['loaded', 'damaged', 'loaded']));
    expect(differences(series(first, second), wanted, 1e-9)).toEqual([]);
  });

  it('is refused with a line to act on where no checkpoint of a partition is whole', async () => {
    const broker = aBroker(1);
    const store = new MemoryCheckpointStore();
    await store.save(0, await store.takeEpoch(0), [Buffer.from('short')]);
    const made = worker(broker, store);
    await expect(made.pipeline.start()).rejects.toThrow(
      'no checkpoint of partition 0 is whole: remove its checkpoints to read the log again',
    );
  });

  it('says how many records the log no longer held, and goes on after them', async () => {
    const broker = aBroker(1, 100);
    const store = new MemoryCheckpointStore();
    await write(broker, log.slice(0, 80));
    const first = worker(broker, store);
    await first.pipeline.start();
    await until(() => first.pipeline.caughtUp);
    await stop(first);
    await write(broker, log.slice(80));
    const second = worker(broker, store);
    await second.pipeline.start();
    await reaches(second, wanted.at(-1)!);
    // 180 interactions in all, of which 60 were read and the last 100 are held.
    expect(second.gaps).toEqual([{ role: 'interactions', partition: 0, records: 20 }]);
  });
});

describe('two processes that think they own a partition', () => {
  it('one is refused, and what the other has saved stays', async () => {
    const broker = aBroker(1);
    const store = new MemoryCheckpointStore();
    await write(broker, log);
    const made = worker(broker, store, 30);
    await made.pipeline.start();
    await until(() => outcomes(made).includes('saved'));
    const epoch = await store.takeEpoch(0);
    await store.save(0, epoch, [Buffer.from('of the other')]);
    await write(broker, [{ ...log[1]!, id: 'one more' } as Event]);
    await until(() => outcomes(made).includes('fenced'));
    for await (const bytes of store.load(0)) {
      expect(Buffer.from(bytes).toString()).toBe('of the other');
      break;
    }
  });
});

/** A store that takes its time: nothing is saved before the test lets it go on. */
class SlowStore extends MemoryCheckpointStore {
  saves = 0;
  goOn!: () => void;
  readonly #gate = new Promise<void>((open) => {
    this.goOn = open;
  });

  override async save(partition: number, epoch: number, chunks: readonly Uint8Array[]) {
    this.saves++;
    await this.#gate;
    return super.save(partition, epoch, chunks);
  }
}

describe('a partition that was released', () => {
  it('is not taken again by a round of checkpoints that waited for the one before', async () => {
    const { ingest } = new RestartedReader(log, quickOptions(), 1);
    const turns = { now: () => performance.now(), next: () => nextTurn() };
    const store = new SlowStore();
    const written = async () => {};
    const made = new Checkpointer({ store, everyMs: 1, turns, now: Date.now, written });
    made.hold([0], HELD);
    await made.take(0, new AbortController().signal);
    const closer = new PaneCloser(ingest.monitor, turns);
    const rounds = [made.save([0], ingest, closer), made.save([0], ingest, closer)];
    await until(() => store.saves === 1);
    made.hold([], HELD);
    const owner = new MemoryCheckpointStore(store);
    const epoch = await owner.takeEpoch(0);
    store.goOn();
    await Promise.all(rounds);
    expect(await owner.save(0, epoch, [Buffer.from('of the owner')])).toBe('saved');
    expect(made.keptSince).toBeUndefined();
  });
});

/** A store that is away for as long as the test wants. */
class MovingStore extends MemoryCheckpointStore {
  isAway = false;

  override async takeEpoch(partition: number): Promise<number> {
    this.#check();
    return super.takeEpoch(partition);
  }

  override async save(partition: number, epoch: number, chunks: readonly Uint8Array[]) {
    this.#check();
    return super.save(partition, epoch, chunks);
  }

  #check(): void {
    if (this.isAway) throw new UnskewError('STATE', 'the store is away');
  }
}

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

describe('a store that is away', () => {
  it('makes checkpoints wait and not the stream, and is tried until it is back', async () => {
    const broker = aBroker(2);
    const store = new MovingStore();
    await write(broker, log.slice(0, 100));
    const made = worker(broker, store, 20, PATIENT_MS);
    const { checkpointer } = made.pipeline;
    await made.pipeline.start();
    await until(() => made.pipeline.caughtUp && outcomes(made).includes('saved'));
    store.isAway = true;
    await write(broker, [...log.slice(100), ...closingEvents(log)]);
    await reaches(made, wanted.at(-1)!);
    await until(() => !checkpointer!.isReachable);
    const since = checkpointer!.keptSince!;
    store.isAway = false;
    await until(() => checkpointer!.isReachable && checkpointer!.keptSince! > since);
    expect(differences(withoutClosing(series(made), wanted), wanted, 1e-9)).toEqual([]);
  });

  it('is away for as long as it does not answer, though it is asked again and again', async () => {
    const broker = aBroker(1);
    const store = new SilentStore();
    const made = worker(broker, store, 20, PATIENT_MS);
    const { checkpointer } = made.pipeline;
    await made.pipeline.start();
    await write(broker, log.slice(0, 100));
    await until(() => made.pipeline.caughtUp && outcomes(made).includes('saved'));
    store.isSilent = true;
    await write(broker, log.slice(100));
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

  it('keeps a worker waiting that has yet to load, and a stop ends the waiting', async () => {
    const broker = aBroker(2);
    const store = new MovingStore();
    await write(broker, log.slice(0, 100));
    const first = worker(broker, store);
    await first.pipeline.start();
    await until(() => first.pipeline.caughtUp);
    await stop(first);
    const kept: Uint8Array[] = [];
    for await (const bytes of store.load(0)) kept.push(bytes);

    store.isAway = true;
    const second = worker(broker, store, 20);
    const started = second.pipeline.start().catch((error: UnskewError) => error);
    await until(() => outcomes(second).includes('failed'));
    expect(second.applied).toEqual([]);
    store.isAway = false;
    await stop(second);
    await started;
    // What is kept is not replaced by the nothing that the second had.
    const after: Uint8Array[] = [];
    for await (const bytes of store.load(0)) after.push(bytes);
    expect(after).toEqual(kept);
  });
});

describe('while partitions catch up', () => {
  it('nothing is saved, since those ahead have ticks that the others would not give again', async () => {
    const reader = new RestartedReader(log, quickOptions(), 2);
    for (const role of ['exposures', 'interactions'] as const) {
      for (const partition of [0, 1]) reader.read(role, partition, 40);
    }
    reader.checkpoint(0);
    reader.restart();
    const { ingest } = reader;
    expect(ingest.monitor.partitions.isCatchingUp).toBe(true);
    const store = new MemoryCheckpointStore();
    const turns = { now: () => performance.now(), next: () => nextTurn() };
    const checkpointer = new Checkpointer({
      store,
      everyMs: 1,
      turns,
      now: Date.now,
      written: async () => {},
    });
    checkpointer.hold([0, 1], HELD);
    const closer = new PaneCloser(ingest.monitor, turns);
    await checkpointer.save([0, 1], ingest, closer);
    for await (const _ of store.load(0)) throw new Error('something was saved');
    reader.finish();
    await checkpointer.save([0, 1], ingest, closer);
    const kept: Uint8Array[] = [];
    for await (const bytes of store.load(0)) kept.push(bytes);
    expect(kept).toHaveLength(1);
  });
});

describe('workers of one group that share a store', () => {
  it('hand partitions over with their state, at no record read twice for good', async () => {
    const broker = aBroker(4);
    const store = new MemoryCheckpointStore();
    await write(broker, log.slice(0, 120));
    const first = worker(broker, store, 20, PATIENT_MS);
    await first.pipeline.start();
    await until(() => first.pipeline.caughtUp);
    const saved = new Set<number>();
    await until(() => {
      for (const { partition, outcome } of first.told)
        if (outcome === 'saved') saved.add(partition);
      return saved.size === 4;
    });
    const second = worker(broker, store);
    await second.pipeline.start();
    await until(() => outcomes(second).filter((outcome) => outcome === 'loaded').length === 2);
    await stop(second);
    await until(() => first.pipeline.caughtUp);
    await write(broker, [...log.slice(120), ...closingEvents(log)]);
    await reaches(first, wanted.at(-1)!);
    const duplicates = first.applied.reduce((n, { outcomes: o }) => n + o.duplicate, 0);
    expect(duplicates).toBe(0);
    const last = withoutClosing(first.snapshots, wanted).at(-1);
    expect(differences(last, wanted.at(-1)!, 1e-9)).toEqual([]);
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

describe('a store that loses what it keeps', () => {
  it('is given the state again, though nothing has moved', async () => {
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
    // Once: what is there again is not a loss.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(outcomes(keeping).filter((outcome) => outcome === 'lost')).toHaveLength(1);
    await stop(keeping);
    const next = worker(broker, store);
    await next.pipeline.start();
    await until(() => next.pipeline.caughtUp);
    expect(outcomes(next)).toEqual(['loaded', 'loaded']);
  });
});
