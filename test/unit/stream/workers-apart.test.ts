import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { encodeEvent } from '../../../src/events/encode.js';
import { MembershipWait } from '../../../src/stream/membership-wait.js';
import { Pipeline } from '../../../src/stream/pipeline.js';
import type { LogEnd, LogSource, SourceHandlers, TopicRole } from '../../../src/stream/ports.js';
import type { Snapshot } from '../../../src/stream/snapshot.js';
import {
  feed,
  partitionOf,
  quickDecoder,
  quickOptions,
  roleOf,
  threeModels,
} from '../../support/log.js';
import { MemoryCheckpointStore } from '../../support/memory-checkpoint-store.js';

const COUNT = 4;
const ALL = [0, 1, 2, 3];
const SESSION_MS = 6_000;
const ROLES = ['exposures', 'interactions'] as const;
const log = threeModels(80);
const wanted = feed(log, quickOptions(), { partitions: 1, batchSize: 1000, run: 1 }).snapshots;

const values = (role: TopicRole, partition: number) =>
  log
    .filter((event) => roleOf(event) === role && partitionOf(event.user, COUNT) === partition)
    .map((event) => Buffer.from(encodeEvent(event)));

/** What a group would say to its member is said by the test. */
class ScriptedSource implements LogSource {
  handlers!: SourceHandlers;
  #ends: readonly LogEnd[] = [];

  rejoin(why: string): never {
    throw new Error(why);
  }

  async start(handlers: SourceHandlers): Promise<void> {
    this.handlers = handlers;
  }

  async ends() {
    return this.#ends;
  }

  async stop(): Promise<void> {}

  /** Gives what the logs of these partitions hold; @returns how many batches were refused */
  async deliver(partitions: readonly number[]): Promise<number> {
    let refused = 0;
    const ends: LogEnd[] = [];
    for (const partition of partitions) {
      for (const role of ROLES) {
        const all = values(role, partition);
        const end = all.length;
        if (end > 0) {
          const offsets = Float64Array.from(all, (_, n) => n);
          const recordTs = new Float64Array(end);
          const batch = { role, partition, offsets, recordTs, values: all, highWatermark: end };
          if ((await this.handlers.batch(batch)) === 'again') refused++;
        }
        ends.push({ role, partition, next: end, end });
      }
    }
    if (refused === 0) this.#ends = ends;
    return refused;
  }
}

const running: Pipeline[] = [];
afterEach(async () => {
  for (const pipeline of running.splice(0)) await pipeline.stop();
});

async function begin(store: MemoryCheckpointStore) {
  const source = new ScriptedSource();
  const clock = { now: 0 };
  const pipeline = new Pipeline(source, {
    monitor: quickOptions(),
    decoder: quickDecoder(),
    topics: { exposures: 'e', interactions: 'i' },
    start: 'earliest',
    idleMs: 1,
    turns: { now: () => clock.now, next: () => nextTurn() },
    now: Date.now,
    sessionTimeoutMs: SESSION_MS,
    checkpoints: { store, everyMs: 1_000_000, written: async () => {}, stopMs: 2_000 },
  });
  running.push(pipeline);
  const panes: Snapshot[] = [];
  pipeline.panes$.subscribe(({ snapshot }) => panes.push(snapshot));
  await pipeline.start();
  const assign = (partitions: readonly number[]) =>
    source.handlers.assigned(partitions, COUNT, new AbortController().signal);
  return { source, clock, pipeline, panes, assign };
}

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 90_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error('it never came true');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A worker that has read all partitions, and stops; @returns its panes */
async function first(store: MemoryCheckpointStore): Promise<Snapshot[]> {
  const { source, clock, pipeline, panes, assign } = await begin(store);
  await assign(ALL);
  expect(await source.deliver(ALL)).toBe(0);
  clock.now = 10;
  await until(() => panes.at(-1)?.paneEnd === wanted.at(-1)!.paneEnd);
  await pipeline.stop();
  running.splice(running.indexOf(pipeline), 1);
  return panes;
}

it('a worker that follows on one that died gives no pane of half the partitions while the dead one is counted', async () => {
  const store = new MemoryCheckpointStore();
  const [before] = (await first(store)).slice(-1);
  const { source, clock, panes, assign } = await begin(store);
  await assign([0, 1]);
  clock.now = SESSION_MS - 1;
  source.handlers.confirmed?.(1);
  source.handlers.confirmed?.(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(panes).toHaveLength(0);
  expect(await source.deliver([0])).toBe(2);
  expect(panes).toHaveLength(0);
  // The session of the dead one has ended.
  await assign(ALL);
  await until(() => panes.length > 0);
  expect(panes.map(({ paneEnd, windows }) => [paneEnd, windows[0]!.counts])).toEqual([
    [before!.paneEnd, before!.windows[0]!.counts],
  ]);
});

it('a worker gives the panes of its own partitions once it is known that others live', async () => {
  const { source, clock, panes, assign } = await begin(new MemoryCheckpointStore());
  await assign([0, 1]);
  expect(await source.deliver([0, 1])).toBe(0);
  clock.now = SESSION_MS;
  // It may have been asked for long before it came.
  source.handlers.confirmed?.(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(panes).toHaveLength(0);
  source.handlers.confirmed?.(1);
  await until(() => panes.length > 0);
});

it('a membership counts from its newest assignment', () => {
  let now = 0;
  const wait = new MembershipWait(SESSION_MS, () => now);
  expect(wait.confirmed()).toBe(false);
  wait.begin();
  now = SESSION_MS;
  expect([wait.confirmed(), wait.confirmed()]).toEqual([false, true]);
  wait.begin();
  expect([wait.confirmed(), wait.confirmed()]).toEqual([false, false]);
});
