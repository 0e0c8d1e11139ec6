import { randomBytes, randomUUID } from 'node:crypto';
import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import { afterEach, expect, inject, it } from 'vitest';
import {
  KafkaRoundLog,
  type KafkaRoundLogOptions,
} from '../../src/adapters/kafka/rounds/round-log.js';
import type { RoundRecord, RoundsFound } from '../../src/stream/ports.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { createTopics } from '../support/topics.js';
import { roundLogCableContract, roundLogContract } from './round-log.js';

const harness = async () => {
  const brokers = inject('kafkaBrokers').split(',');
  // What the broker says of itself leads through the cable, too.
  const cable = await TcpProxy.before(`tcp://${brokers[0]}`, true);
  const topic = `t${randomUUID()}.rounds`;
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await createTopics(admin, [{ topic, numPartitions: 1 }]);
  const open = () => new KafkaRoundLog({ brokers: [cable.address], clientId: 'test', topic });
  return {
    open,
    lose: async () => {
      await admin.deleteTopics({ topics: [topic] });
      await createTopics(admin, [{ topic, numPartitions: 1 }]);
    },
    cut: () => cable.cut(),
    restore: () => cable.restore(),
    close: async () => {
      await admin.deleteTopics({ topics: [topic] });
      await admin.disconnect();
      await cable.cut().catch(() => {});
    },
  };
};

roundLogContract('Kafka', harness);
roundLogCableContract('Kafka', harness);

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function logOf(topic: string, more: Partial<KafkaRoundLogOptions> = {}): KafkaRoundLog {
  const brokers = inject('kafkaBrokers').split(',');
  const log = new KafkaRoundLog({ brokers, clientId: 'test', topic, ...more });
  open.push(log);
  return log;
}

async function admin() {
  const found = new Kafka({
    brokers: inject('kafkaBrokers').split(','),
    logLevel: logLevel.NOTHING,
  }).admin();
  await found.connect();
  open.push({ close: () => found.disconnect() });
  return found;
}

it('creates the topic with one partition and a short retention', async () => {
  const topic = `t${randomUUID()}.rounds`;
  // Several workers begin at once.
  const logs = [logOf(topic, { retentionMs: 7_200_000 }), logOf(topic)];
  await Promise.all(logs.map((log, n) => log.append(Buffer.from(`${n}`))));
  const client = await admin();
  const { topics } = await client.fetchTopicMetadata({ topics: [topic] });
  expect(topics[0]!.partitions).toHaveLength(1);
  const { resources } = await client.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic }],
  });
  const entries = resources[0]!.configEntries;
  const setting = (name: string) =>
    entries.find(({ configName }) => configName === name)?.configValue;
  expect(setting('cleanup.policy')).toBe('delete');
  expect(['7200000', '86400000']).toContain(setting('retention.ms'));
  await client.deleteTopics({ topics: [topic] });
});

it('refuses a topic of several partitions in one line', async () => {
  const topic = `t${randomUUID()}.rounds`;
  const client = await admin();
  await createTopics(client, [{ topic, numPartitions: 2 }]);
  const failure = await logOf(topic)
    .append(Buffer.from('a'))
    .catch((error: Error) => error);
  expect(failure).toMatchObject({
    code: 'USAGE',
    message: `the Kafka topic ${topic} has 2 partitions, and rounds need one order: create it with one partition`,
  });
  await client.deleteTopics({ topics: [topic] });
});

it('says in one line why the topic cannot be created', async () => {
  const failure = await logOf('no such name!')
    .append(Buffer.from('a'))
    .catch((error: Error) => error);
  expect(failure).toMatchObject({ code: 'BROKER' });
  expect((failure as Error).message).toMatch(
    /^cannot create the Kafka topic no such name! of rounds: .+; create it with one partition, or let this user create it$/,
  );
});

it('splits what the broker takes for too large, whatever its limit is', async () => {
  const topic = `t${randomUUID()}.rounds`;
  const client = await admin();
  const configEntries = [{ name: 'max.message.bytes', value: '30000' }];
  await createTopics(client, [{ topic, numPartitions: 1, configEntries }]);
  const log = logOf(topic);
  const large = randomBytes(200_000);
  await log.append(large);
  await log.append(Buffer.from('after'));
  const found = await log.read(null, 30_000);
  expect(found).toMatchObject({ kind: 'found', records: [{ bytes: large }, {}] });
  await client.deleteTopics({ topics: [topic] });
});

it('goes on in the middle of records whose parts lie between each other', async () => {
  const topic = `t${randomUUID()}.rounds`;
  const client = await admin();
  await createTopics(client, [{ topic, numPartitions: 1 }]);
  const writers = [1, 2, 3].map(() => logOf(topic, { partBytes: 1_000 }));
  const sent = writers.map((writer) => writer.append(randomBytes(20_000)));
  await Promise.all(sent);
  const records: RoundRecord[] = [];
  const reader = logOf(topic);
  while (records.length < 3) {
    const found = await reader.read(records.at(-1)?.position ?? null, 1_000);
    if (found.kind === 'found') records.push(...found.records);
  }
  const { records: rest } = (await logOf(topic).read(records[0]!.position, 5_000)) as RoundsFound;
  const bytesOf = (found: readonly RoundRecord[]) => found.map(({ bytes }) => bytes);
  expect(bytesOf(rest)).toEqual(bytesOf(records.slice(1)));
  await client.deleteTopics({ topics: [topic] });
});
