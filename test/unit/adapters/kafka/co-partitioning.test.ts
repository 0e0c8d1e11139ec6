import { type Assigner, AssignerProtocol, type Cluster, type PartitionAssigner } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { coPartitioning } from '../../../../src/adapters/kafka/group-session.js';

function assignerFor(partitions: Record<string, number>): Assigner {
  const cluster = {
    findTopicPartitionMetadata: (topic: string) =>
      Array.from({ length: partitions[topic] ?? 0 }, (_, partitionId) => ({ partitionId })),
  } as unknown as Cluster;
  const config = { cluster, groupId: 'g' } as unknown as Parameters<PartitionAssigner>[0];
  return coPartitioning(config);
}

/** Metadata of a member with its start time; members of older versions have none. */
function metadataOf(topics: string[], began: number | undefined): Buffer {
  const userData = Buffer.alloc(began === undefined ? 0 : 8);
  if (began !== undefined) userData.writeDoubleBE(began);
  return AssignerProtocol.MemberMetadata.encode({ version: 0, topics, userData });
}

/** @param began when each of them did */
async function assign(
  partitions: Record<string, number>,
  ids: string[],
  began: readonly (number | undefined)[] = [],
) {
  const assigner = assignerFor(partitions);
  const topics = Object.keys(partitions);
  const members = ids.map((memberId, n) => ({
    memberId,
    memberMetadata: metadataOf(topics, began[n]),
  }));
  const assignments = await assigner.assign({ members, topics });
  return new Map(
    assignments.map(({ memberId, memberAssignment }) => [
      memberId,
      AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment,
    ]),
  );
}

describe('the assigner for the consumer group', () => {
  it('gives the same partitions of both topics to each member', async () => {
    const shares = await assign({ exposures: 5, interactions: 5 }, ['m2', 'm1']);
    expect(shares.get('m1')).toEqual({ exposures: [0, 2, 4], interactions: [0, 2, 4] });
    expect(shares.get('m2')).toEqual({ exposures: [1, 3], interactions: [1, 3] });
  });

  it('gives no partition that a topic does not have', async () => {
    const shares = await assign({ exposures: 3, interactions: 2 }, ['m1']);
    expect(shares.get('m1')).toEqual({ exposures: [0, 1, 2], interactions: [0, 1] });
  });

  it('leaves surplus members without partitions', async () => {
    const shares = await assign({ exposures: 1, interactions: 1 }, ['m1', 'm2']);
    expect(shares.get('m2')).toEqual({ exposures: [], interactions: [] });
  });

  it('gives partitions to the newest members if there are too many members', async () => {
    const counts = { exposures: 2, interactions: 2 };
    const shares = await assign(counts, ['m1', 'm2', 'm3', 'm4'], [300, undefined, 200, 400]);
    expect(Object.fromEntries(shares)).toEqual({
      m1: { exposures: [0], interactions: [0] },
      m2: { exposures: [], interactions: [] },
      m3: { exposures: [], interactions: [] },
      m4: { exposures: [1], interactions: [1] },
    });
  });

  it('sends the start time of its process', () => {
    const { metadata } = assignerFor({}).protocol({ topics: ['a'] });
    const began = AssignerProtocol.MemberMetadata.decode(metadata)!.userData.readDoubleBE();
    expect(Math.abs(Date.now() - performance.now() - began)).toBeLessThan(60_000);
  });

  it('announces its own name and its topics', () => {
    const { name, metadata } = assignerFor({}).protocol({ topics: ['a', 'b'] });
    expect(name).not.toBe('RoundRobinAssigner');
    expect(AssignerProtocol.MemberMetadata.decode(metadata)?.topics).toEqual(['a', 'b']);
  });
});
