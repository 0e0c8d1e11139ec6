import type { Admin } from 'kafkajs';
import { UnskewError } from '../../errors.js';
import { brokerError, causesOf } from './broker-error.js';

const LEADER_TRIES = 50;
const LEADER_WAIT_MS = 100;

/**
 * Makes sure that the topic exists and has one partition: sums have one order.
 *
 * @throws UnskewError USAGE where it has several; BROKER where it is missing and cannot be created
 */
export async function ensureSumsTopic(
  admin: Admin,
  topic: string,
  retentionMs: number,
): Promise<void> {
  const existing = await admin.listTopics();
  if (!existing.includes(topic)) await create(admin, topic, retentionMs);
  for (let n = 0; n < LEADER_TRIES; n++) {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] }).catch(notYetKnown);
    const partitions = topics[0]?.partitions ?? [];
    if (partitions.length > 1) {
      throw new UnskewError(
        'USAGE',
        `the Kafka topic ${topic} has ${partitions.length} partitions, and sums need one order: create it with one partition`,
      );
    }
    if (partitions.some(({ leader }) => leader >= 0)) return;
    await new Promise((resolve) => setTimeout(resolve, LEADER_WAIT_MS));
  }
  throw new UnskewError('BROKER', `the Kafka topic ${topic} has no leader`);
}

async function create(admin: Admin, topic: string, retentionMs: number): Promise<void> {
  const configEntries = [
    { name: 'cleanup.policy', value: 'delete' },
    { name: 'retention.ms', value: `${retentionMs}` },
  ];
  try {
    // Other workers may be doing the same: who comes second is answered that it is there.
    const topics = [{ topic, numPartitions: 1, configEntries }];
    await admin.createTopics({ topics, waitForLeaders: false });
  } catch (error) {
    const refused = brokerError(
      `cannot create the Kafka topic ${topic}, by which workers bring their sums together`,
      error,
    );
    const advice =
      'create it with one partition, or give this user the rights Create, Describe, Read and Write on it; workers.exchange: none does without';
    throw new UnskewError('BROKER', `${refused.message}; ${advice}`, { cause: error });
  }
}

/** A broker takes a moment to know of a topic that was just created. */
function notYetKnown(error: unknown): { topics: [] } {
  const kinds = causesOf(error).map((cause) => (cause as { type?: unknown }).type);
  const isComing = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE'].some((kind) =>
    kinds.includes(kind),
  );
  if (isComing) return { topics: [] };
  throw error;
}
