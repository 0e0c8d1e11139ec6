import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs, { Kafka, logLevel } from 'kafkajs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startOwnBroker } from '../../deploy/services.mjs';
import type { KafkaConnectionOptions } from '../../src/adapters/kafka/options.js';
import { KafkaPanesLog } from '../../src/adapters/kafka/panes-log.js';
import { describeAtNight } from '../support/at-night.js';
import { certificate } from '../support/certificate.js';
import { eventually } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { createTopics } from '../support/topics.js';
import { panesLogContract } from './panes-log.js';

const RETENTION_MS = 86_400_000;

const connectionTo = (brokers: string): KafkaConnectionOptions => ({
  brokers: brokers.split(','),
  clientId: 'unskew-test',
});

async function adminOf(brokers: string) {
  const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  return admin;
}

panesLogContract('Kafka', async (partitions) => {
  const admin = await adminOf(kafkaBrokers);
  const id = randomUUID();
  const [like, topic, wider] = ['events', 'panes', 'wider'].map((name) => `${id}.${name}`) as [
    string,
    string,
    string,
  ];
  await createTopics(admin, [{ topic: like, numPartitions: partitions }]);
  const logOf = (name: string) =>
    new KafkaPanesLog(connectionTo(kafkaBrokers), { topic: name, like, retentionMs: RETENTION_MS });
  const isGone = () =>
    eventually(
      'the topic to be gone',
      () => admin.listTopics(),
      (names) => !names.includes(topic),
    );
  return {
    log: () => logOf(topic),
    extend: async (count) => {
      await admin.createPartitions({ topicPartitions: [{ topic: like, count }] });
    },
    wider: async () => {
      await createTopics(admin, [{ topic: wider, numPartitions: partitions + 1 }]);
      return logOf(wider);
    },
    trim: async (partition, records) => {
      const [{ low } = { low: '0' }] = await admin.fetchTopicOffsets(topic);
      const offset = `${Number(low) + records}`;
      await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset }] });
    },
    recreate: async () => {
      await admin.deleteTopics({ topics: [topic] });
      await isGone();
      const log = logOf(topic);
      await log.open();
      await log.close();
    },
    close: async () => {
      const names = await admin.listTopics();
      const own = [like, topic, wider].filter((name) => names.includes(name));
      await admin.deleteTopics({ topics: own });
      await admin.disconnect();
    },
  };
});

describe('the panes topic in Kafka', () => {
  it('is created with the configured retention and deletes old records', async () => {
    const admin = await adminOf(kafkaBrokers);
    const [like, topic] = [`${randomUUID()}.events`, `${randomUUID()}.panes`];
    await createTopics(admin, [{ topic: like, numPartitions: 1 }]);
    const log = new KafkaPanesLog(connectionTo(kafkaBrokers), {
      topic,
      like,
      retentionMs: RETENTION_MS,
    });
    onTestFinished(async () => {
      await log.close();
      await admin.deleteTopics({ topics: [like, topic] });
      await admin.disconnect();
    });
    await log.open();
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: 2, name: topic, configNames: ['retention.ms', 'cleanup.policy'] }],
    });
    const entries = resources[0]!.configEntries.map(({ configName, configValue }) => [
      configName,
      configValue,
    ]);
    expect(Object.fromEntries(entries)).toEqual({
      'retention.ms': `${RETENTION_MS}`,
      'cleanup.policy': 'delete',
    });
  });

  it('is reported missing after deletion and recreated when a record is written again', async () => {
    const admin = await adminOf(kafkaBrokers);
    const [like, topic] = [`${randomUUID()}.events`, `${randomUUID()}.panes`];
    await createTopics(admin, [{ topic: like, numPartitions: 1 }]);
    const options = { topic, like, retentionMs: RETENTION_MS };
    const log = new KafkaPanesLog(connectionTo(kafkaBrokers), options);
    onTestFinished(async () => {
      await log.close();
      await admin.deleteTopics({ topics: [like, topic] });
      await admin.disconnect();
    });
    await log.open();
    await log.of(0).append(Buffer.from('a'), 1);
    await admin.deleteTopics({ topics: [topic] });
    await eventually(
      'the topic to be gone',
      () => admin.listTopics(),
      (names) => !names.includes(topic),
    );
    const unknown = { code: 'BROKER', message: expect.stringContaining('does not exist') };
    expect(await log.of(0).read({ offset: 1, mark: '' }, 10)).toBe('gone');
    await expect(log.of(0).newestPane()).rejects.toMatchObject(unknown);
    await expect(log.of(0).append(Buffer.from('b'), 2)).rejects.toMatchObject(unknown);
    await log.of(0).append(Buffer.from('b'), 2);
    expect(await log.of(0).newestPane()).toBe(2);
  });

  it('names the missing event topic or the unreachable broker in the error', async () => {
    const options = { topic: 'p', like: `${randomUUID()}.no`, retentionMs: RETENTION_MS };
    const log = new KafkaPanesLog(connectionTo(kafkaBrokers), options);
    onTestFinished(() => log.close());
    await expect(log.open()).rejects.toMatchObject({
      code: 'BROKER',
      message: `Kafka has no topic "${options.like}": create it first`,
    });
    const absent = new KafkaPanesLog(connectionTo('127.0.0.1:1'), options);
    onTestFinished(() => absent.close());
    const away = { code: 'BROKER', message: expect.stringContaining('connection refused') };
    await expect(absent.of(0).append(Buffer.from('a'), 1)).rejects.toMatchObject(away);
    await expect(absent.of(0).read({ offset: 0, mark: '' }, 10)).rejects.toMatchObject(away);
    await expect(absent.of(0).ends()).rejects.toMatchObject(away);
    await expect(absent.of(0).newestPane()).rejects.toMatchObject(away);
  });
});

describeAtNight('a user who lacks rights', () => {
  it('sees which rights are missing if the topic cannot be created or written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unskew-rights-'));
    const { key, cert } = await certificate(folder);
    const both = join(folder, 'both.pem');
    await writeFile(both, (await readFile(key, 'utf8')) + (await readFile(cert, 'utf8')));
    const user = { username: 'unskew', password: 's3cret' };
    const broker = await startOwnBroker(undefined, {
      certificate: both,
      ...user,
      lacksRights: true,
    });
    const admin = await adminOf(broker.brokers);
    await createTopics(admin, [{ topic: 'events', numPartitions: 2 }]);
    const log = new KafkaPanesLog(
      {
        ...connectionTo(broker.secureBrokers!),
        ssl: { ca: cert },
        sasl: { mechanism: 'plain', ...user },
      },
      { topic: 'panes', like: 'events', retentionMs: RETENTION_MS },
    );
    onTestFinished(async () => {
      await log.close();
      await admin.disconnect();
      await broker.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const allow = async (topic: string, operations: readonly ('DESCRIBE' | 'READ' | 'WRITE')[]) => {
      const acl = operations.map((operation) => ({
        resourceType: kafkajs.AclResourceTypes.TOPIC,
        resourceName: topic,
        resourcePatternType: kafkajs.ResourcePatternTypes.LITERAL,
        principal: 'User:unskew',
        host: '*',
        operation: kafkajs.AclOperationTypes[operation],
        permissionType: kafkajs.AclPermissionTypes.ALLOW,
      }));
      await admin.createAcls({ acl });
    };
    await allow('events', ['DESCRIBE', 'READ']);
    const refusal = async (work: () => Promise<unknown>, words: string) => {
      await eventually(
        words,
        () =>
          work().then(
            () => '',
            (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
          ),
        (said) => said.startsWith('BROKER: ') && said.includes(words),
        20_000,
      );
    };
    await refusal(
      () => log.open(),
      'give this user the rights Create, Describe, Read and Write on it',
    );
    await createTopics(admin, [{ topic: 'panes', numPartitions: 1 }]);
    await allow('panes', ['DESCRIBE', 'READ']);
    await refusal(() => log.open(), 'set it to 2 partitions, as many as the topics of events have');
    await admin.createPartitions({ topicPartitions: [{ topic: 'panes', count: 2 }] });
    expect(await log.open()).toBe(2);
    await refusal(
      () => log.of(0).append(Buffer.from('a'), 1),
      'access to the topic is not allowed',
    );
  });
});
