import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { expect, it } from 'vitest';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { redisUrl } from '../support/shared/redis.js';
import { createTopics } from '../support/topics.js';

it('Redis answers', async () => {
  const redis = new Redis(redisUrl);
  try {
    expect(await redis.ping()).toBe('PONG');
  } finally {
    redis.disconnect();
  }
});

it('Kafka lists a topic that was created, with its partitions', async () => {
  const brokers = kafkaBrokers.split(',');
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  const topic = `services.${randomUUID()}`;
  await admin.connect();
  try {
    await createTopics(admin, [{ topic, numPartitions: 3 }]);
    expect(await admin.listTopics()).toContain(topic);
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    expect(topics[0]?.partitions).toHaveLength(3);
  } finally {
    await admin.deleteTopics({ topics: [topic] });
    await admin.disconnect();
  }
});
