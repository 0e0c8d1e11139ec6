import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { Outcomes } from '../../src/stream/ingest/outcomes.js';
import { Pipeline } from '../../src/stream/pipeline.js';
import type { Snapshot } from '../../src/stream/snapshot.js';
import type { KafkaHarness } from '../contract/kafka-harness.js';
import { differences } from './compare.js';
import { type Event, feed, quickOptions, roleOf } from './log.js';
import { eventually } from './program.js';

export const PARTITIONS = 4;
export const IDLE_MS = 400;
const LATENESS_MS = 1_000;
/** Events are stamped ahead, so that a machine that is slow to write them does not make them late. */
const AHEAD_MS = 8_000;
const PACE_MS = 40;
const QUICK = quickOptions();
const OPTIONS = quickOptions({
  tickMs: 500,
  windows: [{ name: 'one', ms: 2_000 }],
  latenessMs: LATENESS_MS,
  dedupeTtlMs: 60_000,
  attributionTtlMs: 10_000,
  popularity: { horizonMs: 120_000, of: 'positive' },
  gamma: { use: 2, fit: 'ols', default: 2, periodMs: 60_000 },
  estimates: { ...QUICK.estimates, estimators: ['snips'] },
});

type Cleanups = (() => Promise<unknown>)[];

/** Producers that go on, whatever becomes of those who read. */
class Traffic {
  readonly written: Event[] = [];
  readonly #harness: KafkaHarness;
  readonly #aheadMs: number;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(harness: KafkaHarness, aheadMs: number) {
    this.#harness = harness;
    this.#aheadMs = aheadMs;
  }

  start(): void {
    const all = Array.from({ length: PARTITIONS }, (_, partition) => this.#write(partition));
    this.#running = Promise.all(all);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #write(partition: number): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const n = this.written.length;
      const user = `u${partition + PARTITIONS * (n % 3)}`;
      const ts = Date.now() + this.#aheadMs;
      const event: Event =
        n % 3 === 0
          ? { type: 'exposure', id: `e${n}`, ts, user, model: `m${n % 2}`, items: ['a', 'b', 'c'] }
          : { type: 'interaction', id: `x${n}`, ts, user, item: 'abcd'[n % 4]! };
      this.written.push(event);
      await this.#harness.produce(roleOf(event), partition, [encodeEvent(event)]);
      await sleep(PACE_MS);
    }
  }
}

async function startedPipeline(harness: KafkaHarness, cleanups: Cleanups) {
  const pipeline = new Pipeline(harness.source(), {
    monitor: OPTIONS,
    decoder: new Decoder({ maxFutureMs: 600_000 }),
    topics: harness.options.topics,
    start: 'earliest',
    idleMs: IDLE_MS,
    turns: { now: () => performance.now(), next: () => nextTurn() },
    now: Date.now,
  });
  cleanups.push(() => pipeline.stop());
  const snapshots: Snapshot[] = [];
  const outcomes = new Outcomes();
  pipeline.panes$.subscribe(({ snapshot }) => snapshots.push(snapshot));
  pipeline.applied$.subscribe((applied) => outcomes.add(applied.outcomes));
  await pipeline.start();
  return { snapshots, outcomes };
}

/**
 * Writes steadily and reads meanwhile, while something happens to Kafka: what comes of it is what an
 * undisturbed run gives.
 *
 * @param disturb is handed a way to wait until everything that was written so far is read
 */
export async function expectUndisturbed(
  harness: KafkaHarness,
  cleanups: Cleanups,
  disturb: (allRead: () => Promise<unknown>) => Promise<void>,
  aheadMs = AHEAD_MS,
): Promise<void> {
  const { snapshots, outcomes } = await startedPipeline(harness, cleanups);
  const traffic = new Traffic(harness, aheadMs);
  traffic.start();
  await disturb(() =>
    eventually(
      'everything written so far to be read',
      async () => outcomes.accepted + outcomes.late,
      (read) => read >= traffic.written.length - PARTITIONS,
    ),
  );
  await traffic.stop();
  await eventually(
    'all events',
    async () => outcomes.accepted + outcomes.late,
    (read) => read >= traffic.written.length,
  );
  const how = { partitions: 1, batchSize: 1_000, run: 1 };
  const wanted = feed(traffic.written, OPTIONS, how).snapshots;
  await eventually(
    'the last pane',
    async () => snapshots.length,
    (count) => count >= wanted.length,
  );
  expect(outcomes.late).toBe(0);
  expect(outcomes.accepted).toBe(traffic.written.length);
  expect(differences(snapshots, wanted, 1e-9)).toEqual([]);
}
