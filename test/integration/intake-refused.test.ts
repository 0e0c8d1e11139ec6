import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { type Admin, Kafka, logLevel, type Producer } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, RunningService } from '../support/program.js';
import { repetitions } from '../support/repetitions.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { createTopics } from '../support/topics.js';

const { ConfigResourceTypes } = kafkajs;

/** How long what goes wrong is left alone: the client by itself tries a batch again after 2 s or so. */
const AWAY_MS = repetitions(3_000, 12_000);
const T = Date.now() - 3_600_000;

let kafka: Kafka;
let admin: Admin;
let producer: Producer;
let name: string;
let topics: Record<'source' | 'exposures' | 'interactions' | 'letters', string>;

beforeAll(async () => {
  kafka = new Kafka({ brokers: kafkaBrokers.split(','), logLevel: logLevel.NOTHING });
  [admin, producer] = [kafka.admin(), kafka.producer({ idempotent: true, maxInFlightRequests: 1 })];
  await Promise.all([admin.connect(), producer.connect()]);
  name = `t${randomUUID()}`;
  topics = {
    source: `${name}.source`,
    letters: `${name}.letters`,
    exposures: `${name}.exposures`,
    interactions: `${name}.interactions`,
  };
  await createTopics(admin, [
    { topic: topics.source, numPartitions: 3 },
    {
      topic: topics.interactions,
      numPartitions: 4,
      configEntries: [{ name: 'max.message.bytes', value: '4000' }],
    },
  ]);
});

afterAll(async () => {
  const all = await admin.listTopics();
  await admin.deleteTopics({
    topics: Object.values(topics).filter((topic) => all.includes(topic)),
  });
  await Promise.all([admin.disconnect(), producer.disconnect()]);
});

const settings = () => ({
  UNSKEW_KAFKA_BROKERS: kafkaBrokers,
  UNSKEW_KAFKA_GROUP_ID: name,
  UNSKEW_KAFKA_TOPICS_EXPOSURES: topics.exposures,
  UNSKEW_KAFKA_TOPICS_INTERACTIONS: topics.interactions,
  UNSKEW_KAFKA_TOPICS_DEAD_LETTER: topics.letters,
  UNSKEW_INTAKE_PARTITIONS: '4',
  UNSKEW_INTAKE_SOURCES: JSON.stringify([{ topic: topics.source }]),
  UNSKEW_HTTP_PORT: '0',
});

/** A list, a click and a record that is not an event, of each of `count` users. */
async function send(from: number, count: number, more: object = {}): Promise<void> {
  const messages = Array.from({ length: count }, (_, n) => from + n).flatMap((n) => [
    { type: 'exposure', id: `e${n}`, ts: T + n, user: `u${n}`, model: 'm', items: ['a', 'b'] },
    { type: 'interaction', id: `i${n}`, ts: T + n, user: `u${n}`, item: 'a', ...more },
    { type: 'neither', id: `x${n}` },
  ]);
  const values = messages.map((message) => ({ value: JSON.stringify(message) }));
  await producer.send({ topic: topics.source, messages: values });
}

/** All records of a topic but those that say how far the sources are. */
async function written(topic: string): Promise<string[]> {
  const consumer = kafka.consumer({ groupId: randomUUID() });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const found: string[] = [];
  const ends = await admin.fetchTopicOffsets(topic);
  const left = new Set(
    ends.filter(({ low, high }) => low !== high).map(({ partition }) => partition),
  );
  await consumer.run({
    eachMessage: async ({ partition, message: { offset, value, headers } }) => {
      if (!('unskew-progress' in (headers ?? {}))) found.push(`${value}`);
      const end = ends.find((each) => each.partition === partition);
      if (Number(offset) + 1 >= Number(end?.high)) left.delete(partition);
    },
  });
  await eventually(
    `the end of ${topic}`,
    async () => left.size,
    (count) => count === 0,
    30_000,
  );
  await consumer.disconnect();
  return found;
}

const idsOf = (values: readonly string[]) => values.map((value) => JSON.parse(value).id).sort();
const ids = (kind: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${kind}${n}`).sort();
const outcomes = async (service: RunningService) =>
  Object.fromEntries(
    (await service.scrape())
      .filter(({ name: series }) => series === 'unskew_intake_records_total')
      .map(({ labels, value }) => [labels['outcome'], value]),
  );

describe('an intake whose topics are missing or reject records', () => {
  it('creates missing topics, waits while it cannot write, and writes nothing twice', async () => {
    await send(0, 50);
    const service = await RunningService.start(['intake'], settings());
    try {
      const done = (count: number) => (seen: Record<string, number>) =>
        seen['written'] === 2 * count && seen['unknown_type'] === count;
      await eventually('the first records', () => outcomes(service), done(50), 60_000);
      expect(idsOf(await written(topics.letters))).toEqual(ids('x', 50));

      await admin.deleteTopics({ topics: [topics.interactions] });
      await send(50, 50);
      const letters = () => written(topics.letters);
      await eventually('the letters', letters, ({ length }) => length >= 100, 60_000);
      await sleep(AWAY_MS);
      const away = await eventually(
        'that it is not ready',
        () => service.get('/readyz'),
        ({ status }) => status === 503,
      );
      expect(away.body).toContain(topics.interactions);
      expect(service.output).toContain(`cannot write to the Kafka topic ${topics.interactions}`);
      expect(idsOf(await written(topics.letters))).toEqual(ids('x', 100));

      await createTopics(admin, [{ topic: topics.interactions, numPartitions: 4 }]);
      await eventually('the others', () => outcomes(service), done(100), 60_000);
      await eventually(
        'readiness',
        () => service.get('/readyz'),
        ({ status }) => status === 200,
      );
      expect(idsOf(await written(topics.exposures))).toEqual(ids('e', 100));
      expect(idsOf(await written(topics.interactions))).toEqual(
        Array.from({ length: 50 }, (_, n) => `i${n + 50}`).sort(),
      );
      expect(service.output).toContain('the intake can write again');

      await admin.deleteTopics({ topics: [topics.interactions] });
      await send(500, 1);
      const ready = () => service.get('/readyz');
      await eventually('that it waits', ready, ({ status }) => status === 503, 60_000);
      expect(await service.stop()).toBe(0);
    } finally {
      await service.stop();
    }
  }, 180_000);
});

describe('a record too large for its topic', () => {
  it('is rejected alone, and the records around it are written', async () => {
    const configEntries = [{ name: 'max.message.bytes', value: '4000' }];
    const small = { topic: topics.interactions, numPartitions: 4, configEntries };
    await eventually(
      'a new topic',
      () =>
        createTopics(admin, [small]).then(
          () => true,
          () => false,
        ),
      Boolean,
      30_000,
    );
    const limits = { [topics.source]: 12_000_000, [topics.letters]: 2_000 };
    await admin.alterConfigs({
      validateOnly: false,
      resources: Object.entries(limits).map(([topic, bytes]) => ({
        type: ConfigResourceTypes.TOPIC,
        name: topic,
        configEntries: [{ name: 'max.message.bytes', value: `${bytes}` }],
      })),
    });
    await send(100, 1, { action: 'x'.repeat(5000) });
    await producer.send({ topic: topics.source, messages: [{ value: 'x'.repeat(10_000_000) }] });
    await send(101, 40);
    const service = await RunningService.start(['intake'], settings());
    try {
      // What came last before may have been written by the intake before.
      const clicks = ['i500', ...Array.from({ length: 40 }, (_, n) => `i${n + 101}`)].sort();
      const isThere = (found: readonly string[]) => found.length >= clicks.length;
      const found = await eventually('all', () => written(topics.interactions), isThere, 60_000);
      expect(idsOf(found)).toEqual(clicks);
      const done = (seen: Record<string, number>) => (seen['unknown_type'] ?? 0) >= 41;
      const seen = await eventually('the letters', () => outcomes(service), done, 30_000);
      expect(seen).toMatchObject({ oversized: 2 });
      // The topic of letters takes neither: their letters say where they are.
      expect((await written(topics.letters)).filter((text) => text === '')).toHaveLength(2);
    } finally {
      await service.stop();
    }
  }, 120_000);
});
