import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeEvent } from '../../../src/events/encode.js';
import { Pipeline } from '../../../src/stream/pipeline.js';
import type { LogSource, SourceHandlers } from '../../../src/stream/ports.js';
import { quickDecoder, quickOptions, roleOf, threeModels } from '../../support/log.js';
import { MemoryCheckpointStore } from '../../support/memory-checkpoint-store.js';

const TOPICS = { exposures: 'e', interactions: 'i' };
const log = threeModels(160);
const turns = { now: () => performance.now(), next: () => nextTurn() };

/** A source whose group events come from the test. */
class ScriptedSource implements LogSource {
  handlers!: SourceHandlers;

  rejoin(why: string): never {
    throw new Error(why);
  }

  async start(handlers: SourceHandlers): Promise<void> {
    this.handlers = handlers;
  }

  async ends() {
    return [];
  }

  async stop(): Promise<void> {}
}

const running: Pipeline[] = [];
afterEach(async () => {
  for (const pipeline of running.splice(0)) await pipeline.stop();
});

function pipelineOf(source: LogSource, store: MemoryCheckpointStore): Pipeline {
  const checkpoints = { store, everyMs: 20, written: async () => {}, stopMs: 2_000 };
  const pipeline = new Pipeline(source, {
    monitor: quickOptions(),
    decoder: quickDecoder(),
    topics: TOPICS,
    start: 'earliest',
    idleMs: 2_000,
    turns,
    now: Date.now,
    checkpoints,
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

describe('an owner that another worker has fenced', () => {
  it('saves no state until its ownership is confirmed, and saves it afterwards', async () => {
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
    source.handlers.confirmed!(1);
    await read(bytes[1]!);
    await until(() => outcomes.includes('saved'));
    expect(await usurper.save(0, epoch, [Buffer.from('another')])).toBe('fenced');
  });
});
