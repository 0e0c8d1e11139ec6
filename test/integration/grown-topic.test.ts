import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { expect, it, onTestFinished } from 'vitest';
import { eventually, RunningService } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { createTopics } from '../support/topics.js';

it('a topic that gets more partitions than the other is the reason that is given, until the other has them too', async () => {
  const name = `t${randomUUID()}`;
  const topics = { exposures: `${name}.exposures`, interactions: `${name}.interactions` };
  const kafka = new Kafka({ brokers: kafkaBrokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  await createTopics(
    admin,
    Object.values(topics).map((topic) => ({ topic, numPartitions: 2 })),
  );
  const service = await RunningService.start(['serve'], {
    UNSKEW_KAFKA_BROKERS: kafkaBrokers,
    UNSKEW_KAFKA_GROUP_ID: name,
    UNSKEW_KAFKA_TOPICS_EXPOSURES: topics.exposures,
    UNSKEW_KAFKA_TOPICS_INTERACTIONS: topics.interactions,
    UNSKEW_HTTP_PORT: '0',
  });
  onTestFinished(async () => {
    await service.stop();
    await admin.deleteTopics({ topics: Object.values(topics) });
    await admin.disconnect();
  });
  const grow = (topic: string) =>
    admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] });
  const ready = () => service.get('/readyz');
  await eventually('readiness', ready, ({ status }) => status === 200);

  await grow(topics.exposures);
  const unequal = `the topics must have the same number of partitions: ${topics.exposures} has 3, ${topics.interactions} has 2`;
  const away = await eventually('the reason', ready, ({ body }) => body.includes(unequal));
  expect(away.status).toBe(503);
  const output = async () => service.output;
  await eventually('the state', output, (text) => text.includes(`Reading has stopped: ${unequal}`));
  expect(service.output).not.toContain('Check the broker and the network');

  await grow(topics.interactions);
  const again = await eventually('readiness again', ready, ({ status }) => status === 200);
  expect(again.body).toContain('3 partitions');
});
