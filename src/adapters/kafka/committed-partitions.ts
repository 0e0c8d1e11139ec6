import { brokerError } from './broker-error.js';
import { type KafkaOptions, kafkaClient } from './options.js';
import { withAdmin } from './with-admin.js';

/**
 * Partitions of which the group has an offset in either topic. Kafka forgets those of a group that
 * has been without members for `offsets.retention.minutes`.
 *
 * @throws UnskewError BROKER if Kafka does not say
 */
export async function committedPartitions(options: KafkaOptions): Promise<readonly number[]> {
  const { brokers, groupId, topics } = options;
  try {
    const found = await withAdmin(kafkaClient(options), async (admin) => {
      // The client finds no coordinator before it has heard of the cluster.
      await admin.describeCluster();
      return admin.fetchOffsets({ groupId, topics: [topics.exposures, topics.interactions] });
    });
    const committed = found
      .flatMap(({ partitions }) => partitions)
      .filter(({ offset }) => Number(offset) >= 0);
    return [...new Set(committed.map(({ partition }) => partition))];
  } catch (error) {
    const asked = `cannot ask Kafka at ${brokers.join(', ')}`;
    throw brokerError(`${asked} what the group ${groupId} has committed`, error);
  }
}
