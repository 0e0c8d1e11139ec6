import { brokerError } from './broker-error.js';
import { type KafkaConnectionOptions, kafkaClient } from './options.js';
import { withAdmin } from './with-admin.js';

/** A broker that has just been started does not know its groups at once. */
const RETRIES = 5;

/**
 * How many members a consumer group has now.
 *
 * @throws UnskewError BROKER if Kafka does not say
 */
export async function groupMembers(
  connection: KafkaConnectionOptions,
  groupId: string,
): Promise<number> {
  try {
    const { groups } = await withAdmin(kafkaClient(connection, RETRIES), async (admin) => {
      // The client finds no coordinator before it has heard of the cluster.
      await admin.describeCluster();
      return admin.describeGroups([groupId]);
    });
    return groups.reduce((sum, { members }) => sum + members.length, 0);
  } catch (error) {
    const brokers = connection.brokers.join(', ');
    throw brokerError(`cannot ask Kafka at ${brokers} who is in the group ${groupId}`, error);
  }
}
