import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { expect, it, onTestFinished } from 'vitest';
import { eventually, RunningService } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { createTopics } from '../support/topics.js';

const USERS = 40;
const HELD_MS = 10_000;

interface Standing {
  readonly lag: number;
  readonly read: number;
  readonly late: number;
}

it('a partition with an open transaction keeps its lag and loses nothing to lateness', async () => {
  const name = `t${randomUUID()}`;
  const topics = { exposures: `${name}.exposures`, interactions: `${name}.interactions` };
  const kafka = new Kafka({ brokers: kafkaBrokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  const producer = kafka.producer();
  const hung = kafka.producer({
    transactionalId: name,
    idempotent: true,
    maxInFlightRequests: 1,
    transactionTimeout: 600_000,
  });
  await Promise.all([admin.connect(), producer.connect(), hung.connect()]);
  await createTopics(
    admin,
    Object.values(topics).map((topic) => ({ topic, numPartitions: 2 })),
  );
  let sent = 0;
  /** So many lists and clicks of now, users by turns in both partitions. */
  const send = async (count: number) => {
    const from = sent;
    sent += count;
    const now = Date.now();
    for (const kind of ['exposures', 'interactions'] as const) {
      const messages = Array.from({ length: count }, (_, n) => {
        const of = { id: `${kind}${from + n}`, ts: now, user: `u${n % USERS}` };
        const event =
          kind === 'exposures'
            ? { ...of, type: 'exposure', model: 'm', items: ['a', 'b'] }
            : { ...of, type: 'interaction', item: 'a' };
        return { partition: n % 2, key: of.user, value: JSON.stringify(event) };
      });
      await producer.send({ topic: topics[kind], messages });
    }
  };
  const service = await RunningService.start(['serve'], {
    UNSKEW_KAFKA_BROKERS: kafkaBrokers,
    UNSKEW_KAFKA_GROUP_ID: name,
    UNSKEW_KAFKA_TOPICS_EXPOSURES: topics.exposures,
    UNSKEW_KAFKA_TOPICS_INTERACTIONS: topics.interactions,
    UNSKEW_TIME_TICK: '1s',
    UNSKEW_TIME_WINDOWS: '10s',
    UNSKEW_TIME_LATENESS: '4s',
    UNSKEW_TIME_IDLE: '1s',
    UNSKEW_HTTP_PORT: '0',
  });
  onTestFinished(async () => {
    await service.stop();
    await admin.deleteTopics({ topics: Object.values(topics) });
    await Promise.all([admin.disconnect(), producer.disconnect(), hung.disconnect()]);
  });
  const standing = async (): Promise<Standing> => {
    const series = await service.scrape();
    const sumOf = (wanted: string, labels: Readonly<Record<string, string>>) =>
      series
        .filter(({ name: found }) => found === wanted)
        .filter((each) =>
          Object.entries(labels).every(([key, value]) => each.labels[key] === value),
        )
        .reduce((sum, { value }) => sum + value, 0);
    return {
      lag: sumOf('unskew_consumer_lag_records', { topic: topics.interactions }),
      read: sumOf('unskew_events_total', { outcome: 'accepted' }),
      late: sumOf('unskew_events_total', { outcome: 'late' }),
    };
  };

  const isRead = (count: number) => (seen: Standing) => seen.read === count && seen.lag === 0;
  await send(USERS);
  await eventually('the first events to be read', standing, isRead(2 * USERS));
  const transaction = await hung.transaction();
  await transaction.send({ topic: topics.interactions, messages: [{ partition: 1, value: '' }] });
  await send(USERS);
  // Half of the clicks lie behind the beginning of the transaction, and so does its own record.
  const held = USERS / 2 + 1;
  await eventually('the lag', standing, ({ lag }) => lag === held);
  // Longer than it takes a silent partition to be passed over and the pane of its events to close.
  await sleep(HELD_MS);
  const read = 2 * USERS + 1.5 * USERS;
  expect(await standing()).toEqual({ lag: held, read, late: 0 });

  await transaction.abort();
  const rest = await eventually('the rest', standing, ({ lag }) => lag === 0);
  expect(rest).toEqual({ lag: 0, read: 4 * USERS, late: 0 });
});
