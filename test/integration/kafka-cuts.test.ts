import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OwnBroker, startOwnBroker } from '../../deploy/services.mjs';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { Outcomes } from '../../src/stream/ingest/outcomes.js';
import { Pipeline } from '../../src/stream/pipeline.js';
import type { Snapshot } from '../../src/stream/snapshot.js';
import { type KafkaHarness, kafkaHarness } from '../contract/kafka-harness.js';
import { RecordingHandlers } from '../contract/recording-handlers.js';
import { differences } from '../support/compare.js';
import { type Event, feed, quickOptions, roleOf } from '../support/log.js';
import { eventually } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { type Direction, TcpProxy } from '../support/tcp-proxy.js';

const PARTITIONS = 4;
const IDLE_MS = 400;
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

let cable: TcpProxy;
let broker: OwnBroker;
beforeAll(async () => {
  broker = await startOwnBroker(undefined, undefined, async (port) => {
    cable = await TcpProxy.before(`tcp://127.0.0.1:${port}`);
    return cable.port;
  });
});
afterAll(async () => {
  await cable?.cut();
  await broker?.stop();
});

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  cable.thaw();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Producers that go on whatever becomes of the cable: the way to the broker is another. */
class Traffic {
  readonly written: Event[] = [];
  readonly #harness: KafkaHarness;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(harness: KafkaHarness) {
    this.#harness = harness;
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
      const ts = Date.now() + AHEAD_MS;
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

async function startedPipeline(harness: KafkaHarness) {
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

/** Cuts as long as these, one after the other, in traffic that does not know of them. */
async function expectUndisturbed(cuts: readonly number[], direction: Direction): Promise<void> {
  const through = { brokers: [`127.0.0.1:${cable.port}`] };
  const harness = await kafkaHarness(broker.brokers, PARTITIONS, through);
  cleanups.push(() => harness.close());
  const { snapshots, outcomes } = await startedPipeline(harness);
  const traffic = new Traffic(harness);
  traffic.start();
  for (const times of cuts) {
    await eventually(
      'everything written so far to be read',
      async () => outcomes.accepted + outcomes.late,
      (read) => read >= traffic.written.length - PARTITIONS,
    );
    await sleep(2 * IDLE_MS);
    cable.freeze(direction);
    await sleep(times * IDLE_MS);
    cable.thaw();
  }
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

describe('a cable to Kafka that is cut without a word, while others write', () => {
  it('leaves rows, lists and estimates as they are, whatever the length of the cut', async () => {
    await expectUndisturbed(IS_LONG ? [0.5, 1, 3, 10, 3, 10] : [1, 10], 'both');
  });

  it.each(IS_LONG ? (['requests', 'answers'] as const) : (['answers'] as const))(
    'does so where it keeps only %s',
    async (direction) => {
      await expectUndisturbed(IS_LONG ? [1, 3, 10] : [8], direction);
    },
  );
});

describe('a client whose fetches get no answer, while the broker answers all else', () => {
  const FETCH = 1;
  afterEach(() => cable.swallowNothing());

  async function stuck(stuckAfterMs: number) {
    const through = { brokers: [`127.0.0.1:${cable.port}`], stuckAfterMs };
    const harness = await kafkaHarness(broker.brokers, 1, through);
    cleanups.push(() => harness.close());
    const source = harness.source();
    cleanups.push(() => source.stop());
    const handlers = new RecordingHandlers();
    await source.start(handlers);
    await harness.produce('interactions', 0, ['a']);
    await eventually(
      'the first record',
      async () => handlers.count,
      (count) => count === 1,
    );
    cable.swallow(FETCH);
    await harness.produce('interactions', 0, ['b']);
    return handlers;
  }

  it('begins another session, which goes on where it stood', async () => {
    const handlers = await stuck(1_500);
    await eventually(
      'the session to be given up',
      async () => handlers.states,
      (states) => states.includes('disconnected'),
    );
    cable.swallowNothing();
    await eventually(
      'the record after it',
      async () => handlers.texts('interactions', 0),
      (texts) => texts.length === 2,
    );
    expect(handlers.failures).toEqual([]);
  });

  // Each session that gets nowhere takes a while to be given up: for the night.
  // It takes three quarters of a minute.
  if (IS_LONG) {
    it('ends for good where no session gets an answer', async () => {
      const handlers = await stuck(1_500);
      await eventually(
        'the source to give up',
        async () => handlers.failures,
        (failures) => failures.length === 1,
      );
      expect(handlers.failures[0]).toMatchObject({ code: 'BROKER' });
      expect(handlers.failures[0]!.message).toMatch(/cannot fetch from Kafka, though it answers/);
    });
  }
});
