import kafkajs, { type Admin } from 'kafkajs';
import { UnskewError } from '../../errors.js';
import type { SourceRecord } from '../../stream/intake/shuffle.js';
import { brokerError } from './broker-error.js';
import { registerCodecs } from './codecs.js';
import { type KafkaConnectionOptions, kafkaClient } from './options.js';
import { PartitionFetch } from './partition-fetch.js';
import { sourceRecord } from './record-mark.js';
import { withAdmin } from './topics.js';

// Node does not find this name among the exports of a CommonJS package.
const { ConfigResourceTypes } = kafkajs;

/**
 * Longest wait of a fetch, ms. Since some responses are empty, up to `MOST_ROUNDS` fetches are made
 * per partition.
 */
const WAIT_MS = 500;
const MOST_ROUNDS = 8;

/** Size and retention of a topic, and a sample of its newest records. */
export interface SampledTopic {
  readonly topic: string;
  readonly partitions: number;
  /** Number of offsets in all partitions. Without compaction, it is the number of records. */
  readonly records: number;
  /**
   * Retention of records, ms; Infinity without a limit, undefined without the permission to read
   * the setting.
   */
  readonly retentionMs: number | undefined;
  readonly sample: readonly SourceRecord[];
}

/**
 * Read the newest `perPartition` records of each partition of some topics.
 *
 * @param topics names of topics; empty for all topics that are not internal
 * @throws UnskewError BROKER if Kafka cannot be reached or lacks a topic
 */
export async function sampleTopics(
  options: KafkaConnectionOptions,
  topics: readonly string[],
  perPartition: number,
): Promise<readonly SampledTopic[]> {
  registerCodecs();
  try {
    return await withAdmin(kafkaClient(options), async (admin) => {
      const all = await admin.listTopics();
      const missing = topics.find((topic) => !all.includes(topic));
      if (missing !== undefined) throw new UnskewError('BROKER', `Kafka has no topic "${missing}"`);
      const wanted = topics.length > 0 ? topics : all.filter((topic) => !topic.startsWith('_'));
      const found: SampledTopic[] = [];
      for (const topic of [...wanted].sort()) {
        found.push(await sampled(options, admin, topic, perPartition));
      }
      return found;
    });
  } catch (error) {
    throw brokerError('cannot sample the topics', error);
  }
}

async function sampled(
  options: KafkaConnectionOptions,
  admin: Admin,
  topic: string,
  perPartition: number,
): Promise<SampledTopic> {
  const ranges = await admin.fetchTopicOffsets(topic);
  const sample: SourceRecord[] = [];
  let records = 0;
  for (const { partition, low, high } of ranges) {
    records += Number(high) - Number(low);
    const from = Math.max(Number(low), Number(high) - perPartition);
    sample.push(...(await newestOf(options, topic, partition, from, Number(high))));
  }
  const retentionMs = await retentionOf(admin, topic);
  return {
    topic,
    partitions: ranges.length,
    records,
    retentionMs,
    sample,
  };
}

async function newestOf(
  options: KafkaConnectionOptions,
  topic: string,
  partition: number,
  from: number,
  high: number,
): Promise<readonly SourceRecord[]> {
  const found: SourceRecord[] = [];
  const fetch = new PartitionFetch(options, topic, partition);
  try {
    let next = from;
    for (let round = 0; round < MOST_ROUNDS && next < high; round++) {
      const messages = (await fetch.fetch(next, WAIT_MS)) ?? [];
      if (messages.length === 0) break;
      found.push(...messages.map((message) => sourceRecord(topic, partition, message)));
      next = Number(messages.at(-1)!.offset) + 1;
    }
  } finally {
    await fetch.close();
  }
  return found.slice(0, high - from);
}

/** Retention of the topic; undefined without the permission to read it. */
async function retentionOf(admin: Admin, topic: string): Promise<number | undefined> {
  const resource = {
    type: ConfigResourceTypes.TOPIC,
    name: topic,
    configNames: ['retention.ms'],
  };
  try {
    const { resources } = await admin.describeConfigs({
      resources: [resource],
      includeSynonyms: false,
    });
    const value = Number(resources[0]?.configEntries[0]?.configValue ?? Number.NaN);
    if (Number.isNaN(value)) return undefined;
    return value < 0 ? Number.POSITIVE_INFINITY : value;
  } catch (error) {
    if (
      error instanceof Error &&
      /AUTHORIZATION|not authorized/i.test(`${error.name} ${error.message}`)
    ) {
      return undefined;
    }
    throw error;
  }
}
