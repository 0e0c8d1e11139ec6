import { randomUUID } from 'node:crypto';
import { type Admin, Kafka, logLevel, type Producer } from 'kafkajs';
import type { KafkaOptions } from '../../src/adapters/kafka/options.js';
import { KafkaSource } from '../../src/adapters/kafka/source.js';
import { eventually } from '../support/program.js';
import { createTopics } from '../support/topics.js';
import type { LogSourceHarness } from './log-source.js';

const SESSION_TIMEOUT_MS = 3_000;

/** Topics and a group of their own on a real broker, with the means to write to them. */
export interface KafkaHarness extends LogSourceHarness {
  readonly options: KafkaOptions;
  readonly admin: Admin;
  readonly producer: Producer;
}

export async function kafkaHarness(
  brokers: string,
  partitions: number,
  more: Partial<KafkaOptions> = {},
): Promise<KafkaHarness> {
  const kafka = new Kafka({
    brokers: brokers.split(','),
    logLevel: logLevel.NOTHING,
    // Patient: some tests take the broker away for a while.
    retry: { retries: 30, maxRetryTime: 1000 },
  });
  const id = randomUUID();
  const topics = { exposures: `${id}.exposures`, interactions: `${id}.interactions` };
  const wider = `${id}.wider`;
  const admin = kafka.admin();
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await Promise.all([admin.connect(), producer.connect()]);
  const create = (topic: string, numPartitions: number): Promise<void> =>
    createTopics(admin, [{ topic, numPartitions }]);
  for (const topic of Object.values(topics)) await create(topic, partitions);
  await knownToAll(brokers.split(','), Object.values(topics));
  const options: KafkaOptions = {
    brokers: brokers.split(','),
    clientId: 'unskew-test',
    groupId: id,
    topics,
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    maxWaitMs: 100,
    ...more,
  };
  const produce: LogSourceHarness['produce'] = async (role, partition, values) => {
    const messages = values.map((value) => ({
      partition,
      value: value === null || typeof value === 'string' ? value : Buffer.from(value),
    }));
    await producer.send({ topic: topics[role], messages });
  };
  return {
    options,
    admin,
    producer,
    produce,
    source: () => new KafkaSource(options),
    mismatchedSource: async () => {
      await create(wider, partitions + 1);
      return new KafkaSource({ ...options, topics: { ...topics, exposures: wider } });
    },
    topiclessSource: () => new KafkaSource({ ...options, topics: { ...topics, exposures: 'no' } }),
    produceTrimmed: async (role, partition) => {
      await produce(
        role,
        partition,
        Array.from({ length: 1500 }, (_, i) => `${i}`),
      );
      // The client deletes only from topics whose leaders it has looked up before.
      await admin.fetchTopicOffsets(topics[role]);
      await admin.deleteTopicRecords({
        topic: topics[role],
        partitions: [{ partition, offset: '500' }],
      });
    },
    recreate: async (role) => {
      await admin.deleteTopics({ topics: [topics[role]] });
      await eventually(
        `${topics[role]} to be gone`,
        () => admin.listTopics(),
        (names) => !names.includes(topics[role]),
      );
      await create(topics[role], partitions);
    },
    longSilenceMs: SESSION_TIMEOUT_MS * 2,
    close: async () => {
      await admin.deleteTopics({ topics: Object.values(topics) });
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
  };
}

/** Of several brokers the others hear of a topic later than the one that was asked to make it. */
async function knownToAll(brokers: readonly string[], topics: readonly string[]): Promise<void> {
  if (brokers.length === 1) return;
  for (const broker of brokers) {
    const admin = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await eventually(
      `${broker} to know the topics`,
      () => admin.listTopics(),
      (known) => topics.every((topic) => known.includes(topic)),
    );
    await admin.disconnect();
  }
}
