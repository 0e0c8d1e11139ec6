import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';
import { balancePartitions } from './balance.js';

/** A change of the rule below needs a new name: all members of a group must share one rule. */
const NAME = 'UnskewCoPartitioning';
const VERSION = 0;

/**
 * Gives partition p of every subscribed topic to the same member: exposures and interactions of a
 * user meet in one process. (The client's own assigner deals topics out one after the other.)
 */
export const coPartitioning: PartitionAssigner = ({ cluster }) => ({
  name: NAME,
  version: VERSION,
  async assign({ members, topics }) {
    const counts = topics.map((topic) => cluster.findTopicPartitionMetadata(topic).length);
    const ids = members.map(({ memberId }) => memberId);
    const shares = balancePartitions(ids, Math.max(0, ...counts));
    return [...shares].map(([memberId, partitions]) => ({
      memberId,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({
        version: VERSION,
        assignment: Object.fromEntries(
          topics.map((topic, t) => [topic, partitions.filter((p) => p < (counts[t] ?? 0))]),
        ),
        userData: Buffer.alloc(0),
      }),
    }));
  },
  protocol({ topics }) {
    const metadata = { version: VERSION, topics, userData: Buffer.alloc(0) };
    return { name: NAME, metadata: AssignerProtocol.MemberMetadata.encode(metadata) };
  },
});
