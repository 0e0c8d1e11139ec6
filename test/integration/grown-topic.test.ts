import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { expect, it, onTestFinished } from 'vitest';
import { encodeEvent } from '../../src/events/encode.js';
import { itAtNight } from '../support/at-night.js';
import { THREE_ESTIMATES } from '../support/few-estimates.js';
import { eventually, RunningService } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { createTopics, TestTopics } from '../support/topics.js';

it('readiness reports unequal partition counts until both topics have grown', async () => {
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

// The client looks for new partitions now and then: it takes half a minute.
itAtNight('readers and a ticker follow partitions that are added to both topics', async () => {
  const topics = await TestTopics.create(kafkaBrokers, 2);
  const settings = {
    ...topics.settings,
    UNSKEW_TIME_TICK: '1s',
    UNSKEW_TIME_WINDOWS: '10m',
    UNSKEW_TIME_LATENESS: '0s',
    UNSKEW_TIME_IDLE: '1s',
    UNSKEW_DEAD_LETTERS_TO: 'none',
    ...THREE_ESTIMATES,
  };
  const ticker = await RunningService.start(['serve', '--role', 'tick'], settings);
  const reader = await RunningService.start(['serve', '--role', 'read'], settings);
  const admin = topics.kafka.admin();
  await admin.connect();
  onTestFinished(async () => {
    await Promise.all([reader.stop(), ticker.stop()]);
    await admin.disconnect();
    await topics.delete();
  });
  const send = async (partition: number) => {
    const user = `u${partition}`;
    const event = { type: 'interaction', id: user, ts: Date.now(), user, item: 'a' } as const;
    await topics.send('interactions', [{ partition, value: Buffer.from(encodeEvent(event)) }]);
  };
  const known = (user: string) => async () => (await ticker.get(`/api/v1/users/${user}`)).status;
  const isKnown = (status: number) => status === 200;
  await send(0);
  await eventually('a user of the first partition', known('u0'), isKnown);
  const names = ['exposures', 'interactions'].map((role) => `${topics.name}.${role}`);
  await admin.createPartitions({
    topicPartitions: names.map((topic) => ({ topic, count: 3 })),
  });
  const has = (service: RunningService) =>
    eventually(
      'three partitions',
      () => service.get('/readyz'),
      ({ status, body }) => status === 200 && body.includes('3 partitions'),
    );
  await has(reader);
  await topics.renewProducer();
  await send(2);
  // The panes that close from now on say it.
  await eventually('a user of the new partition', known('u2'), isKnown);
  await has(ticker);
  expect(await known('u0')()).toBe(200);
});
