import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, it } from 'vitest';
import { KafkaSource } from '../../src/adapters/kafka/source.js';
import { KafkaSumsLog, sumsTopic } from '../../src/adapters/kafka/sums-log.js';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { type KafkaHarness, kafkaHarness } from '../contract/kafka-harness.js';
import { expectUndisturbed } from '../support/expect-undisturbed.js';
import { type Connections, IDLE_MS } from '../support/pipeline-group.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { redisUrl } from '../support/shared/redis.js';
import { PARTITIONS } from '../support/steady-traffic.js';
import { type Direction, TcpProxy } from '../support/tcp-proxy.js';

// Two workers of a group close panes together. Each has a cable of its own to Kafka and to Redis; one that is cut passes nothing and closes nothing.

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Cables {
  readonly kafka: TcpProxy;
  readonly redis: TcpProxy;
}

async function cable(url: string, isRenamed: boolean): Promise<TcpProxy> {
  const proxy = await TcpProxy.before(url, isRenamed);
  cleanups.push(() => proxy.cut());
  return proxy;
}

async function worker(harness: KafkaHarness): Promise<Connections & { readonly cables: Cables }> {
  const kafka = await cable(`tcp://${kafkaBrokers}`, true);
  const redis = await cable(redisUrl, false);
  const options = { url: `redis://${redis.address}`, namespace: harness.options.groupId };
  const store = new RedisCheckpointStore(options);
  cleanups.push(() => store.close());
  const own = { ...harness.options, brokers: [kafka.address] };
  const source = new KafkaSource(own);
  const sums = new KafkaSumsLog(own, sumsTopic(own.groupId));
  return { source, store, sums, cables: { kafka, redis } };
}

/** A cut lasts for so many times `idle`; a member may be silent for 7.5, a command take 12.5. */
async function expectUndisturbedBy(
  which: readonly (keyof Cables)[],
  whose: 'one' | 'both',
  cuts: readonly number[],
  direction: Direction = 'both',
  isLost = false,
): Promise<void> {
  const harness = await kafkaHarness(kafkaBrokers, PARTITIONS);
  cleanups.push(() => harness.close());
  const workers = [await worker(harness), await worker(harness)];
  await expectUndisturbed(harness, workers, cleanups, async ({ allRead, nextPane }) => {
    // One after the other has the partition whose owner evaluates.
    for (const [n, times] of cuts.entries()) {
      await allRead();
      await nextPane();
      const own = whose === 'both' ? workers : [workers[n % 2]!];
      const cut = own.flatMap(({ cables }) => which.map((name) => cables[name]));
      for (const proxy of cut) proxy.freeze(direction);
      await sleep(times * IDLE_MS);
      if (isLost) await Promise.all(cut.map((proxy) => proxy.cut()));
      for (const proxy of cut) proxy.thaw();
      if (isLost) await Promise.all(cut.map((proxy) => proxy.restore()));
    }
    await nextPane();
  });
}

describe('two workers that share their panes, of which cables are cut without a word', () => {
  const CUTS = [0.5, 1, 3, 10, 20, 20];

  describe.each(['one', 'both'] as const)('those of %s', (whose) => {
    it('to Kafka: panes, rows and lists are as they are', async () => {
      await expectUndisturbedBy(['kafka'], whose, CUTS);
    });

    it('to Redis: panes, rows and lists are as they are', async () => {
      await expectUndisturbedBy(['redis'], whose, CUTS);
    });

    it('to Kafka and Redis: panes, rows and lists are as they are', async () => {
      await expectUndisturbedBy(['kafka', 'redis'], whose, CUTS);
    });
  });

  // Otherwise all that was sent arrives in the end.
  it('to Redis, and what was under way is lost: panes, rows and lists are as they are', async () => {
    await expectUndisturbedBy(['redis'], 'both', [3, 20, 20], 'both', true);
  });

  it.each(['requests', 'answers'] as const)(
    'to Redis, which keep only %s: panes, rows and lists are as they are',
    async (direction) => {
      await expectUndisturbedBy(['redis'], 'both', [3, 20, 20], direction);
    },
  );
});
