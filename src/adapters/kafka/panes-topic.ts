import type { Admin } from 'kafkajs';
import { UnskewError } from '../../errors.js';
import { brokerError } from './broker-error.js';
import { isKind } from './partition-fetch.js';

export interface PanesTopicOptions {
  readonly topic: string;
  /** Topic of events. The panes topic gets the same number of partitions. */
  readonly like: string;
  /** Retention of records, ms. */
  readonly retentionMs: number;
}

const LEADER_TRIES = 50;
const LEADER_WAIT_MS = 100;
const COMING = [
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
] as const;

/**
 * Ensure that the panes topic exists and has as many partitions as the event topics.
 *
 * @returns the number of partitions
 * @throws UnskewError BROKER if it is missing and cannot be created, or has too few partitions and
 * cannot be extended; USAGE if it has too many
 */
export async function ensurePanesTopic(
  admin: Admin,
  { topic, like, retentionMs }: PanesTopicOptions,
): Promise<number> {
  const existing = await admin.listTopics();
  if (!existing.includes(like)) {
    throw new UnskewError('BROKER', `Kafka has no topic "${like}": create it first`);
  }
  const count = await partitionsOf(admin, like);
  if (!existing.includes(topic)) {
    await create(
      admin,
      {
        topic,
        like,
        retentionMs,
      },
      count,
    );
  }
  for (let n = 0; n < LEADER_TRIES; n++) {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] }).catch(notYetKnown);
    const partitions = topics[0]?.partitions ?? [];
    if (partitions.length > count) {
      throw new UnskewError(
        'USAGE',
        `the Kafka topic ${topic} has ${partitions.length} partitions, and ${like} has ${count}: set panes.topic to another topic`,
      );
    }
    if (partitions.length > 0 && partitions.length < count) {
      await extend(admin, topic, count);
    } else if (partitions.length === count && partitions.every(({ leader }) => leader >= 0)) {
      if (await leadersAnswer(admin, topic)) return count;
    }
    await new Promise((resolve) => setTimeout(resolve, LEADER_WAIT_MS));
  }
  throw new UnskewError('BROKER', `the Kafka topic ${topic} has no leader`);
}

async function partitionsOf(admin: Admin, topic: string): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  return topics[0]?.partitions.length ?? 0;
}

async function create(
  admin: Admin,
  { topic, retentionMs }: PanesTopicOptions,
  numPartitions: number,
): Promise<void> {
  const configEntries = [
    {
      name: 'cleanup.policy',
      value: 'delete',
    },
    {
      name: 'retention.ms',
      value: `${retentionMs}`,
    },
  ];
  try {
    // If another worker creates the topic first, the answer is that it exists.
    const topics = [
      {
        topic,
        numPartitions,
        configEntries,
      },
    ];
    await admin.createTopics({
      topics,
      waitForLeaders: false,
    });
  } catch (error) {
    throw withAdvice(
      brokerError(`cannot create the Kafka topic ${topic}, which carries closed panes`, error),
      `create it with ${numPartitions} partitions, or give this user the rights Create, Describe, Read and Write on it`,
    );
  }
}

async function extend(admin: Admin, topic: string, count: number): Promise<void> {
  try {
    await admin.createPartitions({ topicPartitions: [{ topic, count }] });
  } catch (error) {
    // Another worker has added the partitions in the meantime.
    if (isKind(error, 'INVALID_PARTITIONS')) return;
    throw withAdvice(
      brokerError(`cannot add partitions to the Kafka topic ${topic}`, error),
      `set it to ${count} partitions, as many as the topics of events have`,
    );
  }
}

function withAdvice(refused: UnskewError, advice: string): UnskewError {
  return new UnskewError('BROKER', `${refused.message}; ${advice}`, { cause: refused });
}

/** Whether the named leaders of a topic already act as leaders. */
function leadersAnswer(admin: Admin, topic: string): Promise<boolean> {
  return admin.fetchTopicOffsets(topic).then(
    () => true,
    (error: unknown) => {
      if (isComing(error)) return false;
      throw error;
    },
  );
}

function notYetKnown(error: unknown): { topics: [] } {
  if (isComing(error)) return { topics: [] };
  throw error;
}

/** Whether the error only means that a new topic is not known yet. */
function isComing(error: unknown): boolean {
  return COMING.some((kind) => isKind(error, kind));
}
