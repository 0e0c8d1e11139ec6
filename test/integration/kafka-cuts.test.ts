import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startOwnCluster } from '../../deploy/services.mjs';
import { type KafkaHarness, kafkaHarness } from '../contract/kafka-harness.js';
import { RecordingHandlers } from '../contract/recording-handlers.js';
import { describeAtNight, itAtNight } from '../support/at-night.js';
import { expectUndisturbed, type Meanwhile } from '../support/expect-undisturbed.js';
import { MemoryCheckpointStore } from '../support/memory-checkpoint-store.js';
import { type Connections, IDLE_MS } from '../support/pipeline-group.js';
import { eventually } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { PARTITIONS } from '../support/steady-traffic.js';
import { type Direction, TcpProxy } from '../support/tcp-proxy.js';

let cable: TcpProxy;
beforeAll(async () => {
  cable = await TcpProxy.before(`tcp://${kafkaBrokers}`, true);
});
afterAll(() => cable?.cut());

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  cable.thaw();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** One worker, whose state nobody else needs. */
const alone = (harness: KafkaHarness): Connections[] => [
  { source: harness.source(), store: new MemoryCheckpointStore() },
];

/** Cuts as long as these, one after the other, in traffic that does not know of them. */
async function expectUndisturbedBy(cuts: readonly number[], direction: Direction): Promise<void> {
  // Producers have another way to the broker.
  const through = { brokers: [cable.address] };
  const harness = await kafkaHarness(kafkaBrokers, PARTITIONS, through);
  cleanups.push(() => harness.close());
  await expectUndisturbed(harness, alone(harness), cleanups, async ({ allRead }) => {
    for (const times of cuts) {
      await allRead();
      await sleep(2 * IDLE_MS);
      cable.freeze(direction);
      await sleep(times * IDLE_MS);
      cable.thaw();
    }
  });
}

describe('a silently cut connection to Kafka, while producers write,', () => {
  it('changes no row, list or estimate, however long the cut lasts', async () => {
    await expectUndisturbedBy(IS_LONG ? [0.5, 1, 3, 10, 3, 10] : [3], 'both');
  });

  for (const direction of ['requests', 'answers'] as const) {
    itAtNight(`changes none of them if only ${direction} are cut`, async () => {
      await expectUndisturbedBy([1, 3, 10], direction);
    });
  }
});

describeAtNight('a client whose fetches alone get no answer', () => {
  const FETCH = 1;
  afterEach(() => cable.swallowNothing());

  async function stuck(stuckAfterMs: number) {
    const through = { brokers: [`127.0.0.1:${cable.port}`], stuckAfterMs };
    const harness = await kafkaHarness(kafkaBrokers, 1, through);
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

  it('starts a new session that resumes where the old one stopped', async () => {
    const handlers = await stuck(1_500);
    await eventually(
      'the session to be dropped',
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

  it('fails if no session gets an answer', async () => {
    const handlers = await stuck(1_500);
    await eventually(
      'the source to give up',
      async () => handlers.failures,
      (failures) => failures.length === 1,
    );
    expect(handlers.failures[0]).toMatchObject({ code: 'BROKER' });
    expect(handlers.failures[0]!.message).toMatch(/cannot fetch from Kafka, although it answers/);
  });
});

describeAtNight('a rolling restart of a broker cluster', () => {
  const BROKERS = 3;
  /** Writing waits while leaders change, and what is written then must not be late for that. */
  const AHEAD_MS = 60_000;
  const ALL_IN_SYNC = PARTITIONS * 2 * BROKERS;

  it('changes no row, list or estimate', async () => {
    const cluster = await startOwnCluster(BROKERS);
    cleanups.push(() => cluster.stop());
    const harness = await kafkaHarness(cluster.brokers, PARTITIONS);
    cleanups.push(() => harness.close());
    const { exposures, interactions } = harness.options.topics;
    const inSync = async () => {
      const topics = [exposures, interactions];
      const found = await harness.admin.fetchTopicMetadata({ topics });
      const partitions = found.topics.flatMap((topic) => topic.partitions);
      return partitions.reduce((sum, { isr }) => sum + isr.length, 0);
    };
    const roll = async ({ allRead }: Meanwhile) => {
      for (let n = 0; n < BROKERS; n++) {
        await allRead();
        await eventually('all to be in sync', inSync, (replicas) => replicas === ALL_IN_SYNC);
        await cluster.restart(n);
      }
      await allRead();
    };
    await expectUndisturbed(harness, alone(harness), cleanups, roll, AHEAD_MS);
  }, 1_200_000);
});
