import type Cluster from 'kafkajs/src/cluster/index.js';
import { expect, it } from 'vitest';
import { LogEnds } from '../../../../src/adapters/kafka/log-ends.js';
import type { PartitionReader } from '../../../../src/adapters/kafka/partition-reader.js';
import { READ_COMMITTED } from '../../../../src/adapters/kafka/raw-cluster.js';
import { LogCheck } from '../../../../src/stream/files/log-check.js';

const topics = { exposures: 'e', interactions: 'i' };
const position = { role: 'exposures', topic: 'e', partition: 0, next: 9 };
const checked = { ...position, partition: 1, check: new LogCheck([], 9, { low: 0, high: 9 }) };

/** Brokers that say where each partition ends, by isolation level. */
const clusterOf = (end: number) =>
  ({
    connect: async () => {},
    disconnect: async () => {},
    addTargetTopic: async () => {},
    refreshMetadataIfNecessary: async () => {},
    fetchTopicsOffset: async (asked: Parameters<Cluster['fetchTopicsOffset']>[0]) =>
      asked.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition }) => ({ partition, offset: `${end}` })),
      })),
  }) as unknown as Cluster;

const reader = { positions: [position, checked] } as unknown as PartitionReader;

it('leaves out a partition while its log is being checked', async () => {
  const ends = new LogEnds({ topics }, reader, () => clusterOf(9));
  expect(await ends.ask()).toEqual([
    { role: 'exposures', partition: 0, next: 9, end: 9, stable: 9 },
  ]);
  await ends.close();
});

it('gives the end behind, and the stable end before, an open transaction', async () => {
  const ends = new LogEnds({ topics }, reader, (level) =>
    clusterOf(level === READ_COMMITTED ? 9 : 15),
  );
  expect(await ends.ask()).toMatchObject([{ next: 9, end: 15, stable: 9 }]);
  await ends.close();
});
