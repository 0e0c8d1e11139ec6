import type { Admin, Kafka } from 'kafkajs';
import { UnskewError } from '../../errors.js';
import { brokerError } from './broker-error.js';
import { type KafkaConnectionOptions, type KafkaOptions, kafkaClient } from './options.js';

/**
 * Check that both topics exist and have the same number of partitions, since partition p of one
 * belongs to partition p of the other.
 */
export async function checkTopics(admin: Admin, topics: KafkaOptions['topics']): Promise<void> {
  const { exposures, interactions } = topics;
  if (exposures === interactions) {
    throw new UnskewError(
      'USAGE',
      `exposures and interactions need two different topics; both are ${exposures}`,
    );
  }
  const existing = new Set(await admin.listTopics());
  const missing = [exposures, interactions].find((topic) => !existing.has(topic));
  if (missing !== undefined) {
    throw new UnskewError('BROKER', `Kafka has no topic "${missing}": create it first`);
  }
  const metadata = await admin.fetchTopicMetadata({ topics: [exposures, interactions] });
  const countOf = (name: string): number =>
    metadata.topics.find((topic) => topic.name === name)?.partitions.length ?? 0;
  if (countOf(exposures) !== countOf(interactions)) {
    throw new UnskewError(
      'USAGE',
      `the topics must have the same number of partitions: ${exposures} has ${countOf(exposures)}, ${interactions} has ${countOf(interactions)}; or set intake.sources: the intake reads topics with any number of partitions`,
    );
  }
}

/** Offsets in a partition's log: low ≤ o < high. */
export interface LogRange {
  readonly low: number;
  readonly high: number;
}

export async function logRanges(
  admin: Admin,
  topic: string,
): Promise<ReadonlyMap<number, LogRange>> {
  const offsets = await admin.fetchTopicOffsets(topic);
  return new Map(
    offsets.map(({ partition, low, high }) => [
      partition,
      {
        low: Number(low),
        high: Number(high),
      },
    ]),
  );
}

/** Run a function with an admin connection, and close it afterwards. */
export async function withAdmin<T>(kafka: Kafka, use: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await use(admin);
  } finally {
    // A connection that is broken already has nothing left to close.
    await admin.disconnect().catch(() => {});
  }
}

/** Number of retries while a broker that has just started loads its groups. */
const RETRIES = 5;

/**
 * Number of current members of a consumer group.
 *
 * @throws UnskewError BROKER if Kafka does not answer
 */
export async function groupMembers(
  connection: KafkaConnectionOptions,
  groupId: string,
): Promise<number> {
  try {
    const { groups } = await withAdmin(kafkaClient(connection, RETRIES), async (admin) => {
      // The client finds no coordinator before it has loaded the cluster's metadata.
      await admin.describeCluster();
      return admin.describeGroups([groupId]);
    });
    return groups.reduce((sum, { members }) => sum + members.length, 0);
  } catch (error) {
    const brokers = connection.brokers.join(', ');
    throw brokerError(`cannot ask Kafka at ${brokers} who is in the group ${groupId}`, error);
  }
}
