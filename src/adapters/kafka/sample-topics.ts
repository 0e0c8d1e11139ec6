import { type Admin, ConfigResourceTypes, type KafkaMessage } from 'kafkajs';
import Cluster from 'kafkajs/src/cluster/index.js';
import socketFactory from 'kafkajs/src/network/socketFactory.js';
import { UnskewError } from '../../errors.js';
import type { SourceRecord } from '../../stream/intake/shuffle.js';
import { brokerError, causesOf } from './broker-error.js';
import { registerCodecs } from './codecs.js';
import { type KafkaConnectionOptions, kafkaClient, securityOf } from './options.js';
import { sourceRecord } from './record-mark.js';
import { withAdmin } from './topics.js';

const MAX_BYTES = 16 * 1024 * 1024;
const READ_COMMITTED = 1;
const METADATA_MAX_AGE_MS = 300_000;

/** Reads one partition of a topic from a given offset, without a group. */
class PartitionFetch {
  #cluster: Cluster | undefined;

  constructor(
    private readonly options: KafkaConnectionOptions,
    private readonly topic: string,
    private readonly partition: number,
  ) {}

  /**
   * Waits up to `waitMs` for a record at `offset` or after it.
   *
   * @returns undefined if the offset is outside of what the log holds
   */
  async fetch(offset: number, waitMs: number): Promise<readonly KafkaMessage[] | undefined> {
    try {
      const cluster = await this.#connected();
      const [nodeId] = Object.keys(cluster.findLeaderForPartitions(this.topic, [this.partition]));
      const broker = await cluster.findBroker({ nodeId: nodeId ?? '-1' });
      const partition = {
        partition: this.partition,
        fetchOffset: `${offset}`,
        maxBytes: MAX_BYTES,
      };
      const { responses } = await broker.fetch({
        ...{ replicaId: -1, isolationLevel: READ_COMMITTED, maxWaitTime: waitMs },
        ...{ minBytes: 1, maxBytes: MAX_BYTES },
        topics: [{ topic: this.topic, partitions: [partition] }],
      });
      const fetched = responses[0]?.partitions[0]?.messages ?? [];
      return fetched.filter(
        ({ offset: at, isControlRecord }) => Number(at) >= offset && !isControlRecord,
      );
    } catch (error) {
      if (isKind(error, 'OFFSET_OUT_OF_RANGE')) return undefined;
      // The next call finds the leader again.
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const cluster = this.#cluster;
    this.#cluster = undefined;
    // A connection that is broken already has nothing left to close.
    await cluster?.disconnect().catch(() => {});
  }

  async #connected(): Promise<Cluster> {
    if (this.#cluster !== undefined) return this.#cluster;
    const { brokers, clientId } = this.options;
    const cluster = new Cluster({
      ...{ brokers: [...brokers], clientId, connectionTimeout: 3000, requestTimeout: 30_000 },
      ...securityOf(this.options),
      ...{ socketFactory: socketFactory(), logger: kafkaClient(this.options).logger() },
      ...{ retry: { initialRetryTime: 100, maxRetryTime: 1000, retries: 2 } },
      ...{ enforceRequestTimeout: true, metadataMaxAge: METADATA_MAX_AGE_MS },
      ...{ allowAutoTopicCreation: false, maxInFlightRequests: null },
      isolationLevel: READ_COMMITTED,
    });
    this.#cluster = cluster;
    await cluster.connect();
    await cluster.addTargetTopic(this.topic);
    return cluster;
  }
}

function isKind(error: unknown, kind: string): boolean {
  return causesOf(error).some((cause) => (cause as { type?: unknown }).type === kind);
}

/** How long a partition is waited for that delivers nothing, ms; and rounds, as some answers are empty. */
const WAIT_MS = 500;
const MOST_ROUNDS = 8;

/** The newest records of a topic. */
export interface SampledTopic {
  readonly topic: string;
  readonly partitions: number;
  /** All records that it holds. */
  readonly records: number;
  /** How long it keeps records, ms; Infinity for ever, undefined where nobody may know. */
  readonly retentionMs: number | undefined;
  readonly sample: readonly SourceRecord[];
}

/**
 * Reads the newest records of topics, as many of each partition as `perPartition`.
 *
 * @param topics all that are not internal, if none is named
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
  return { topic, partitions: ranges.length, records, retentionMs, sample };
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

/** A user that may read a topic may not always ask how it is configured. */
async function retentionOf(admin: Admin, topic: string): Promise<number | undefined> {
  const resource = { type: ConfigResourceTypes.TOPIC, name: topic, configNames: ['retention.ms'] };
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
