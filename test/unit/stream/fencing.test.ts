import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryBroker } from '../../../src/adapters/memory/broker.js';
import { encodeEvent } from '../../../src/events/encode.js';
import { Pipeline } from '../../../src/stream/pipeline.js';
import type { LogSource, SourceHandlers } from '../../../src/stream/ports.js';
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
import { MemoryPaneExchange } from '../../support/memory-pane-exchange.js';

const TOPICS = { exposures: 'e', interactions: 'i' };
const log = threeModels(160);
const turns = { now: () => performance.now(), next: () => nextTurn() };

/** What a group would say to its member is said by the test. */
class ScriptedSource implements LogSource {
  handlers!: SourceHandlers;

  async start(handlers: SourceHandlers): Promise<void> {
    this.handlers = handlers;
  }

  async ends() {
    return [];
  }

  async stop(): Promise<void> {}
}

/** A source whose handlers the test may call too. */
class OverheardSource implements LogSource {
  handlers!: SourceHandlers;
  readonly #inner: LogSource;

  constructor(inner: LogSource) {
    this.#inner = inner;
  }

  start(handlers: SourceHandlers): Promise<void> {
    this.handlers = handlers;
    return this.#inner.start(handlers);
  }

  ends() {
    return this.#inner.ends();
  }

  stop(): Promise<void> {
    return this.#inner.stop();
  }
}

const running: Pipeline[] = [];
afterEach(async () => {
  for (const pipeline of running.splice(0)) await pipeline.stop();
});

function pipelineOf(
  source: LogSource,
  store: MemoryCheckpointStore,
  exchange?: MemoryPaneExchange,
): Pipeline {
  const checkpoints = { store, everyMs: 20, written: async () => {}, stopMs: 2_000 };
  const pipeline = new Pipeline(source, {
    monitor: quickOptions(),
    decoder: quickDecoder(),
    topics: TOPICS,
    start: 'earliest',
    idleMs: 2_000,
    turns,
    now: Date.now,
    checkpoints: { ...checkpoints, ...(exchange && { exchange }) },
  });
  running.push(pipeline);
  return pipeline;
}

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 90_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error('it never came true');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A store that answers the first request for an epoch when the test wants. */
class SlowStore extends MemoryCheckpointStore {
  requests = 0;
  goOn!: () => void;
  readonly #gate = new Promise<void>((resolve) => {
    this.goOn = resolve;
  });

  override async takeEpoch(partition: number): Promise<number> {
    this.requests++;
    if (this.requests === 1) await this.#gate;
    return super.takeEpoch(partition);
  }
}

/** A worker that is in the middle of taking two partitions when the group has another assignment. */
async function halfTaken() {
  const source = new ScriptedSource();
  const store = new SlowStore();
  await pipelineOf(source, store).start();
  const first = new AbortController();
  const taking = source.handlers.assigned([0, 1], 3, first.signal);
  await until(() => store.requests === 1);
  first.abort();
  return { source, store, taking };
}

describe('taking partitions over', () => {
  it('ends before its next step when a newer assignment has come', async () => {
    const { store, taking } = await halfTaken();
    const owner = new MemoryCheckpointStore(store);
    const epoch = await owner.takeEpoch(1);
    store.goOn();
    expect((await taking).size).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(store.requests).toBe(1);
    expect(await owner.save(1, epoch, [Buffer.from('of the owner')])).toBe('saved');
  });

  it('begins again where the next assignment is the one that was left half taken', async () => {
    const { source, store, taking } = await halfTaken();
    store.goOn();
    await taking;
    const starts = await source.handlers.assigned([0, 1], 3, new AbortController().signal);
    expect([...starts.keys()]).toEqual([0, 1]);
    expect([0, 1].map((partition) => store.epochOf(partition))).toEqual([2, 1]);
  });
});

async function groupOfTwo() {
  const broker = new MemoryBroker({ recordsPerPartition: 1_000_000 });
  for (const topic of Object.values(TOPICS)) broker.createTopic(topic, 2);
  const writer = broker.producer();
  const write = async (events: readonly Event[]) => {
    for (const event of events) {
      await writer.send(TOPICS[roleOf(event)], [{ key: event.user, value: encodeEvent(event) }]);
    }
  };
  const store = new MemoryCheckpointStore();
  const exchange = new MemoryPaneExchange(store);
  const workers = [0, 1].map(() => {
    const source = new OverheardSource(broker.source({ topics: TOPICS, group: 'g', batchSize: 7 }));
    const its = [
      new MemoryCheckpointStore(store),
      new MemoryPaneExchange(store, exchange),
    ] as const;
    const pipeline = pipelineOf(source, ...its);
    const snapshots: Snapshot[] = [];
    pipeline.panes$.subscribe(({ snapshot }) => snapshots.push(snapshot));
    return { source, pipeline, snapshots };
  });
  for (const { pipeline } of workers) await pipeline.start();
  const [evaluating, other] = workers[0]!.pipeline.sharing!.evaluates ? workers : workers.reverse();
  return { store, write, evaluating: evaluating!, other: other! };
}

describe('an owner that another worker has fenced', () => {
  const wanted = feed(log, quickOptions(), { partitions: 1, batchSize: 1000, run: 1 }).snapshots;

  it.each([
    ['that evaluates', 0],
    ['that only publishes', 1],
  ])('%s takes its partition again once the group confirms that it holds it', async (_, lost) => {
    const { store, write, evaluating, other } = await groupOfTwo();
    await write(log.slice(0, 80));
    await until(() => evaluating.snapshots.length > 0);
    const shutOut = lost === 0 ? evaluating : other;
    await store.takeEpoch(lost);
    await write([...log.slice(80), ...closingEvents(log)]);
    await until(() => /another worker has taken/.test(shutOut.pipeline.sharing!.trouble ?? ''));
    const saved = store.epochOf(lost);
    await new Promise((resolve) => setTimeout(resolve, 100));
    // By itself it takes nothing: it may be the one that is outdated.
    expect(store.epochOf(lost)).toBe(saved);
    expect(shutOut.pipeline.sharing!.trouble).toMatch(/another worker has taken/);

    shutOut.source.handlers.confirmed!();
    await until(() => evaluating.snapshots.at(-1)!.paneEnd >= wanted.at(-1)!.paneEnd);
    expect(shutOut.pipeline.sharing!.trouble).toBeUndefined();
    const newest = withoutClosing(evaluating.snapshots, wanted).at(-1);
    expect(differences(newest, wanted.at(-1), 1e-9)).toEqual([]);
  });

  it('keeps nothing before, and keeps on keeping its state after', async () => {
    const source = new ScriptedSource();
    const store = new MemoryCheckpointStore();
    const pipeline = pipelineOf(source, store);
    const outcomes: string[] = [];
    pipeline.checkpointer!.events$.subscribe(({ outcome }) => outcomes.push(outcome));
    await pipeline.start();
    await source.handlers.assigned([0], 1, new AbortController().signal);
    const usurper = new MemoryCheckpointStore(store);
    const epoch = await usurper.takeEpoch(0);
    const bytes = log
      .filter((event) => roleOf(event) === 'interactions')
      .map((event) => Buffer.from(encodeEvent(event)));
    let offset = 0;
    const read = (value: Uint8Array) =>
      source.handlers.batch({
        role: 'interactions',
        partition: 0,
        offsets: Float64Array.of(offset++),
        values: [value],
        recordTs: Float64Array.of(1e6),
        highWatermark: 1e6,
      });
    await read(bytes[0]!);
    await until(() => outcomes.filter((outcome) => outcome === 'fenced').length > 1);
    expect(outcomes).not.toContain('saved');
    expect(await usurper.save(0, epoch, [Buffer.from('another')])).toBe('saved');
    source.handlers.confirmed!();
    await read(bytes[1]!);
    await until(() => outcomes.includes('saved'));
    expect(await usurper.save(0, epoch, [Buffer.from('another')])).toBe('fenced');
  });
});
