import type { Kafka } from 'kafkajs';
import { expect, it } from 'vitest';
import { LogEnds } from '../../../../src/adapters/kafka/group-session.js';
import type { PartitionReader } from '../../../../src/adapters/kafka/partition-reader.js';
import { LogCheck } from '../../../../src/stream/log-check.js';

it('says nothing of a log that may be another one than was read, while that is looked into', async () => {
  const position = { role: 'exposures', topic: 'e', partition: 0, next: 9 };
  const checked = { ...position, partition: 1, check: new LogCheck([], 9, { low: 0, high: 9 }) };
  const admin = {
    connect: async () => {},
    disconnect: async () => {},
    fetchTopicOffsets: async () => [0, 1].map((partition) => ({ partition, low: '0', high: '9' })),
  };
  const reader = { positions: [position, checked] } as unknown as PartitionReader;
  const topics = { exposures: 'e', interactions: 'i' };
  const ends = new LogEnds({ admin: () => admin } as unknown as Kafka, { topics }, reader);
  expect(await ends.ask()).toEqual([{ role: 'exposures', partition: 0, next: 9, end: 9 }]);
  await ends.close();
});
