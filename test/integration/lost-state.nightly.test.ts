import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { startOwnBroker } from '../../deploy/services.mjs';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { differences } from '../support/compare.js';
import { withoutReading } from '../support/estimate-lines.js';
import { loseTail } from '../support/lost-tail.js';
import { eventually } from '../support/program.js';
import { RedisServers } from '../support/redis-sentinel.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { redisUrl } from '../support/shared/redis.js';
import { createTopics } from '../support/topics.js';
import { type Made, TwinLogs } from '../support/twin-logs.js';

// A service is a process of its own, and its panes, rows and lists are compared with those of one
// that nothing happens to.

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function twins(brokers: string, rough = redisUrl): Promise<TwinLogs> {
  const logs = await TwinLogs.start(brokers, { rough, calm: redisUrl });
  cleanups.push(() => logs.stop());
  await logs.addWorker();
  return logs;
}

function expectSame({ found, wanted }: { found: Made; wanted: Made }): void {
  expect(wanted.lines.length).toBeGreaterThan(20);
  expect(wanted.kept.rows.length).toBeGreaterThan(500);
  expect(wanted.kept.lists.length).toBeGreaterThan(150);
  expect(found.kept).toEqual(wanted.kept);
  const lines = withoutReading(found.lines);
  const own = withoutReading(wanted.lines);
  expect(differences(lines, own, 1e-9)).toEqual([]);
}

describe('a service writes the same panes, rows and lists as an undisturbed one', () => {
  it('if the leading Redis hangs and Sentinel promotes its replica', async () => {
    const servers = await RedisServers.create();
    cleanups.push(() => servers.stop());
    const { first, leader } = await servers.leaderAndReplica();
    const sentinel = await servers.sentinel(first);
    const logs = await twins(kafkaBrokers, `redis-sentinel://127.0.0.1:${sentinel}/lead`);
    await logs.writeFirstHalf();
    await logs.allKept();
    leader.kill('SIGSTOP');
    await logs.writeSecondHalf();
    expectSame(await logs.made());
  });

  it('if Redis evicts its keys and the service dies after repairing them', async () => {
    const logs = await twins(kafkaBrokers);
    const redis = new Redis(redisUrl);
    cleanups.push(async () => redis.disconnect());
    await logs.writeFirstHalf();
    await logs.allKept();
    for (const kind of ['pointer', 'chunk', 'epoch']) {
      const keys = await eventually(
        `a key of ${kind}`,
        () => redis.keys(`unskew:{${logs.namespace}/*}:${kind}*`),
        ({ length }) => length > 0,
      );
      for (const key of keys) await redis.unlink(key);
    }
    const { namespace } = logs;
    const store = new RedisCheckpointStore({ url: redisUrl, namespace });
    cleanups.push(() => store.close());
    await eventually(
      'all checkpoints to be whole',
      () => Promise.all([0, 1, 2].map((partition) => store.isWhole(partition))),
      (whole) => whole.every(Boolean),
    );
    await logs.rough.world.killAlone('rough');
    await logs.writeSecondHalf();
    expectSame(await logs.made());
  });

  describe.each(['while it is read', 'while nobody reads it'] as const)('%s', (when) => {
    const changed = async (logs: TwinLogs, change: () => Promise<unknown>) => {
      await logs.writeFirstHalf();
      await logs.allKept();
      if (when === 'while nobody reads it') await logs.rough.world.endAll();
      await change();
      await logs.writeSecondHalf();
      if (when !== 'while nobody reads it') return;
      await logs.addWorker();
    };

    it('if a log loses its end', async () => {
      const broker = await startOwnBroker();
      cleanups.push(() => broker.stop());
      const logs = await twins(broker.brokers);
      const topic = `${logs.rough.topics.name}.interactions`;
      await changed(logs, async () => {
        const admin = logs.rough.topics.kafka.admin();
        await admin.connect();
        const read = await admin.fetchTopicOffsets(topic);
        const end = Number(read.find(({ partition }) => partition === 0)!.high);
        await loseTail(broker, topic, Math.floor(end / 2));
        await eventually(
          'the log to be shorter',
          () => admin.fetchTopicOffsets(topic).catch(() => []),
          (left) => left.some(({ partition, high }) => partition === 0 && Number(high) < end),
        );
        await admin.disconnect();
        await logs.renewProducers();
      });
      expectSame(await logs.made());
    });

    it('if both topics are deleted and recreated', async () => {
      const logs = await twins(kafkaBrokers);
      await changed(logs, async () => {
        const { kafka, name } = logs.rough.topics;
        const names = ['exposures', 'interactions'].map((role) => `${name}.${role}`);
        const admin = kafka.admin();
        await admin.connect();
        await admin.deleteTopics({ topics: names });
        await eventually(
          'the topics to be gone',
          () => admin.listTopics(),
          (left) => !names.some((topic) => left.includes(topic)),
        );
        await createTopics(
          admin,
          names.map((topic) => ({ topic, numPartitions: 3 })),
        );
        await admin.disconnect();
      });
      expectSame(await logs.made());
    });
  });
});
