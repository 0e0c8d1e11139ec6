import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OwnBroker, startOwnBroker } from '../../deploy/services.mjs';
import type { KafkaOptions } from '../../src/adapters/kafka/options.js';
import { KafkaSource } from '../../src/adapters/kafka/source.js';
import { type KafkaHarness, kafkaHarness } from '../contract/kafka-harness.js';
import { RecordingHandlers } from '../contract/recording-handlers.js';
import { describeAtNight } from '../support/at-night.js';
import { kafkaBrokers } from '../support/shared/kafka.js';

const WAIT = { timeout: 60_000, interval: 20 };
const numbered = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => `${i + from}`);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function harnessOf(partitions: number, more?: Partial<KafkaOptions>): Promise<KafkaHarness> {
  const harness = await kafkaHarness(kafkaBrokers, partitions, more);
  cleanups.push(() => harness.close());
  return harness;
}

async function read(source: KafkaSource, handlers = new RecordingHandlers()) {
  cleanups.push(() => source.stop());
  await source.start(handlers);
  return handlers;
}

function options(brokers: string[], connectTimeoutMs: number): KafkaOptions {
  const topics = { exposures: 'e', interactions: 'i' };
  return { brokers, clientId: 'test', groupId: 'g', topics, connectTimeoutMs };
}

describeAtNight('a broker outage', () => {
  let broker: OwnBroker;
  beforeAll(async () => {
    broker = await startOwnBroker();
  });
  afterAll(() => broker.stop());

  it('loses and repeats no record', async () => {
    const harness = await kafkaHarness(broker.brokers, 2);
    const handlers = new RecordingHandlers();
    await read(new KafkaSource(harness.options), handlers);
    let written = 0;
    const write = async (): Promise<void> => {
      for (const role of ['exposures', 'interactions'] as const) {
        for (let p = 0; p < 2; p++) await harness.produce(role, p, numbered(100, written));
      }
      written += 100;
    };
    await write();
    await vi.waitFor(() => expect(handlers.count).toBe(written * 4), WAIT);
    for (let outage = 1; outage <= 2; outage++) {
      await write();
      await broker.stopBroker();
      await vi.waitFor(() => expect(handlers.states.at(-1)).toBe('disconnected'), WAIT);
      await broker.startBroker();
      await write();
      await vi.waitFor(() => expect(handlers.count).toBe(written * 4), WAIT);
      expect(handlers.states.at(-1)).toBe('connected');
    }
    for (const role of ['exposures', 'interactions'] as const) {
      for (let p = 0; p < 2; p++) expect(handlers.texts(role, p)).toEqual(numbered(written));
    }
    expect(handlers.failures).toEqual([]);
    expect(handlers.revocations).toEqual([]);
    expect(handlers.changes).toEqual([]);
    await harness.close();
  });

  it('does not prevent a source from being stopped', async () => {
    const harness = await kafkaHarness(broker.brokers, 1);
    const source = new KafkaSource(harness.options);
    const handlers = await read(source);
    await Promise.all([harness.admin.disconnect(), harness.producer.disconnect()]);
    await broker.stopBroker();
    await vi.waitFor(() => expect(handlers.states.at(-1)).toBe('disconnected'), WAIT);
    await source.stop();
    expect(handlers.failures).toEqual([]);
  });
});

describe('an unreachable broker', () => {
  it('is reported in one line', async () => {
    const source = new KafkaSource(options(['127.0.0.1:9'], 1500));
    await expect(source.start(new RecordingHandlers())).rejects.toMatchObject({
      code: 'BROKER',
      message: 'cannot reach Kafka at 127.0.0.1:9: connection refused',
    });
  });

  it('is explained even if there is time for only one attempt', async () => {
    const source = new KafkaSource(options(['127.0.0.1:9'], 150));
    await expect(source.start(new RecordingHandlers())).rejects.toThrow(/: connection refused$/);
  });

  it('is reported if a server accepts the connection and never answers', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => closed(server));
    const sockets: { destroy(): void }[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
    });
    const { port } = server.address() as { port: number };
    const source = new KafkaSource(options([`127.0.0.1:${port}`], 1500));
    await expect(source.start(new RecordingHandlers())).rejects.toMatchObject({
      code: 'BROKER',
      message: `cannot reach Kafka at 127.0.0.1:${port}: no answer`,
    });
  });

  it('is reported if its host name does not resolve', async () => {
    const source = new KafkaSource(options(['kafka.invalid:9092'], 1500));
    await expect(source.start(new RecordingHandlers())).rejects.toMatchObject({
      message: 'cannot reach Kafka at kafka.invalid:9092: host not found',
    });
  });

  it('does not keep a starting source from being stopped', async () => {
    const source = new KafkaSource(options(['127.0.0.1:9'], 60_000));
    const starting = source.start(new RecordingHandlers());
    await sleep(50);
    await source.stop();
    await starting;
  });

  it('is a usage error if its address has no port', () => {
    expect(() => new KafkaSource(options(['kafka'], 1500))).toThrow(/host:port; found .*"kafka"/);
  });

  it('is logged to the given log and not to standard output', async () => {
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const logged: string[] = [];
    const log: KafkaOptions['log'] = (_level, message) => logged.push(message);
    const source = new KafkaSource({ ...options(['127.0.0.1:9'], 800), log });
    await source.start(new RecordingHandlers()).catch(() => {});
    const calls = written.mock.calls.length;
    written.mockRestore();
    expect(calls).toBe(0);
    expect(logged.join()).toContain('ECONNREFUSED');
  });
});

describe('a source that reads from Kafka', () => {
  it('resumes when both topics have the added partitions', async () => {
    const harness = await harnessOf(1, { metadataMaxAgeMs: 300 });
    const { exposures, interactions } = harness.options.topics;
    const handlers = await read(new KafkaSource(harness.options));
    await harness.produce('interactions', 0, numbered(10));
    await vi.waitFor(() => expect(handlers.count).toBe(10), WAIT);
    const add = (topic: string) =>
      harness.admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] });
    await add(exposures);
    await vi.waitFor(() => expect(handlers.states.at(-1)).toBe('disconnected'), WAIT);
    await add(interactions);
    await vi.waitFor(() => expect([...handlers.held]).toEqual([0, 1]), WAIT);
    // The client drops in silence what is for a partition that it does not know yet.
    await harness.producer.disconnect();
    await harness.producer.connect();
    await harness.produce('interactions', 1, ['there']);
    await harness.produce('interactions', 0, numbered(10, 10));
    // What writes it may write twice where it gets no answer in time: the log says what there is.
    const delivered = () => [0, 1].map((p) => [...new Set(handlers.texts('interactions', p))]);
    await vi.waitFor(() => expect(delivered()).toEqual([numbered(20), ['there']]), WAIT);
    const ends = await harness.admin.fetchTopicOffsets(interactions);
    const kept = ends.reduce((sum, { high }) => sum + Number(high), 0);
    await vi.waitFor(() => expect(handlers.count).toBe(kept), WAIT);
    expect([handlers.failures, handlers.changes]).toEqual([[], []]);
  });

  it('reports records that retention deletes while it reads', async () => {
    const harness = await harnessOf(1, { maxBytesPerPartition: 500 });
    for (let block = 0; block < 20; block++) {
      await harness.produce('interactions', 0, numbered(50, block * 50));
    }
    const handlers = new RecordingHandlers();
    handlers.during = async () => {
      if (handlers.count > 0) return;
      const topic = harness.options.topics.interactions;
      await harness.admin.fetchTopicOffsets(topic);
      const partitions = [{ partition: 0, offset: '600' }];
      await harness.admin.deleteTopicRecords({ topic, partitions });
    };
    await read(new KafkaSource(harness.options), handlers);
    await vi.waitFor(() => expect(handlers.of('interactions', 0).at(-1)?.offset).toBe(999), WAIT);
    const first = handlers.of('interactions', 0).findIndex(({ offset }) => offset >= 600);
    expect(handlers.gaps).toEqual([['interactions', 0, first, 600]]);
    expect(handlers.count).toBe(first + 400);
  });

  it('skips aborted transactions and reports no gap at transaction markers', async () => {
    const harness = await harnessOf(1);
    const topic = harness.options.topics.interactions;
    const producer = await transactionalProducer(harness);
    const handlers = await read(new KafkaSource(harness.options));
    for (let t = 0; t < 6; t++) {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: numbered(3, t * 3).map((value) => ({ value })) });
      if (t % 2 === 0) await transaction.commit();
      else await transaction.abort();
      await sleep(60);
    }
    const expected = [0, 2, 4].flatMap((t) => numbered(3, t * 3));
    await vi.waitFor(() => expect(handlers.texts('interactions', 0)).toEqual(expected), WAIT);
    expect(handlers.gaps).toEqual([]);
    // Started at what is left, which is aborted records and marks only, it still gets to the end.
    const late = new RecordingHandlers();
    late.start = { interactions: (handlers.of('interactions', 0).at(-1)?.offset ?? 0) + 1 };
    await read(new KafkaSource({ ...harness.options, groupId: `${topic}-late` }), late);
    await vi.waitFor(() => expect(late.caughtUpAt.get('interactions/0')).toHaveLength(1), WAIT);
    expect(late.gaps).toEqual([]);
  });

  it('starts at the offset given by the handlers, not the committed one', async () => {
    const harness = await harnessOf(1);
    await harness.produce('interactions', 0, numbered(20));
    const { groupId, topics } = harness.options;
    await harness.admin.setOffsets({
      groupId,
      topic: topics.interactions,
      partitions: [{ partition: 0, offset: '15' }],
    });
    const handlers = new RecordingHandlers();
    handlers.start = { interactions: 5 };
    await read(new KafkaSource(harness.options), handlers);
    await vi.waitFor(() => expect(handlers.count).toBe(15), WAIT);
    expect(handlers.texts('interactions', 0)).toEqual(numbered(15, 5));
    expect(handlers.gaps).toEqual([]);
  });

  it('reads gzip', async () => {
    const harness = await harnessOf(1);
    const topic = harness.options.topics.interactions;
    const messages = numbered(100).map((value) => ({ value }));
    await harness.producer.send({ topic, messages, compression: 1 });
    const handlers = await read(new KafkaSource(harness.options));
    await vi.waitFor(() => expect(handlers.texts('interactions', 0)).toEqual(numbered(100)), WAIT);
  });
});

async function transactionalProducer(harness: KafkaHarness) {
  const { Kafka, logLevel } = await import('kafkajs');
  const kafka = new Kafka({ brokers: [...harness.options.brokers], logLevel: logLevel.NOTHING });
  const producer = kafka.producer({
    transactionalId: harness.options.groupId,
    maxInFlightRequests: 1,
    idempotent: true,
  });
  await producer.connect();
  cleanups.push(() => producer.disconnect());
  return producer;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
