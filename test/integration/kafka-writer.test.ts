import { afterEach, describe, expect, it, vi } from 'vitest';
import { TopicDeadLetters } from '../../src/adapters/kafka/dead-letters.js';
import { KafkaSource } from '../../src/adapters/kafka/source.js';
import { KafkaWriter } from '../../src/adapters/kafka/writer.js';
import { Patience } from '../../src/stream/patience.js';
import type { OutgoingRecord } from '../../src/stream/ports.js';
import { type KafkaHarness, kafkaHarness } from '../contract/kafka-harness.js';
import { RecordingHandlers } from '../contract/recording-handlers.js';
import { kafkaBrokers } from '../support/shared/kafka.js';

const WAIT = { timeout: 30_000, interval: 20 };
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function setUp(partitions: number): Promise<{
  harness: KafkaHarness;
  writer: KafkaWriter;
  patience: Patience;
  topic: string;
}> {
  const harness = await kafkaHarness(kafkaBrokers, partitions);
  const patience = new Patience();
  const writer = new KafkaWriter(harness.options, patience);
  cleanups.push(
    () => harness.close(),
    () => writer.close(),
  );
  return { harness, writer, patience, topic: harness.options.topics.interactions };
}

async function read(harness: KafkaHarness): Promise<RecordingHandlers> {
  const source = new KafkaSource(harness.options);
  cleanups.push(() => source.stop());
  const handlers = new RecordingHandlers();
  await source.start(handlers);
  return handlers;
}

describe('writing to Kafka', () => {
  it('assigns keys to the same partitions as the Java clients', async () => {
    const { harness, writer, topic } = await setUp(10);
    // Partitions by Kafka's murmur2 of the key's bytes, positive, modulo 10: worked out apart.
    const keys = ['a', 'b', 'user-1', 'user-2', 'ключ'];
    const records = keys.flatMap((key) =>
      [1, 2].map((n): OutgoingRecord => ({ key, value: `${key} ${n}` })),
    );
    await writer.send(topic, records);
    const handlers = await read(harness);
    // On a slow machine the group may rebalance, and what was read is read again.
    await vi.waitFor(() => {
      for (const key of keys) {
        const partition = (murmur2(Buffer.from(key)) & 0x7fffffff) % 10;
        expect(handlers.texts('interactions', partition)).toEqual(
          expect.arrayContaining([`${key} 1`, `${key} 2`]),
        );
      }
    }, WAIT);
  });

  it('splits batches that are too large for one request and keeps their order', async () => {
    const { harness, writer, topic } = await setUp(1);
    const filler = 'x'.repeat(1000);
    const values = Array.from({ length: 4000 }, (_, i) => `${i} ${filler}`);
    await writer.send(
      topic,
      values.map((value) => ({ key: null, value, partition: 0 })),
    );
    const handlers = await read(harness);
    await vi.waitFor(() => expect(handlers.count).toBe(4000), WAIT);
    expect(handlers.texts('interactions', 0)).toEqual(values);
  });

  it('waits for a missing topic and names it in one line', async () => {
    const { writer, patience } = await setUp(1);
    setTimeout(() => patience.end(), 500);
    await expect(writer.send('no.such.topic', [{ key: null, value: 'x' }])).rejects.toMatchObject({
      code: 'BROKER',
      message:
        'cannot write to the Kafka topic no.such.topic: the topic or partition does not exist',
    });
    expect(patience.trouble?.reason).toContain('no.such.topic');
  });

  it('says in one line that a record is too large', async () => {
    const { writer, topic } = await setUp(1);
    const value = new Uint8Array(2_000_000);
    await expect(writer.send(topic, [{ key: null, value }])).rejects.toMatchObject({
      code: 'BROKER',
      message: expect.stringContaining('rejects 1 of these records as too large'),
    });
  });

  it('says in one line that the broker is unreachable', async () => {
    const patience = new Patience();
    patience.end();
    const writer = new KafkaWriter({ brokers: ['127.0.0.1:9'], clientId: 'test' }, patience);
    await expect(writer.send('t', [{ key: null, value: 'x' }])).rejects.toMatchObject({
      code: 'BROKER',
      message: 'cannot reach Kafka at 127.0.0.1:9: connection refused',
    });
    await writer.close();
  });

  it('truncates a dead letter to the maximum length', async () => {
    const { harness, writer, topic } = await setUp(1);
    const sink = new TopicDeadLetters(writer, topic, 4);
    const at = { reason: 'oversized', detail: '', topic: 't', partition: 0, offset: 0 };
    await sink.write([
      { ...at, value: Buffer.from('123456') },
      { ...at, value: Buffer.from('1234') },
    ]);
    const handlers = await read(harness);
    await vi.waitFor(() => expect(handlers.count).toBe(2), WAIT);
    expect(handlers.texts('interactions', 0)).toEqual(['1234', '1234']);
  });
});

/** The 32-bit MurmurHash2 with Kafka's seed, from its definition, on big integers. */
function murmur2(bytes: Buffer): number {
  const mask = 0xffffffffn;
  const m = 0x5bd1e995n;
  const mixed = (value: bigint): bigint => {
    const k = (value * m) & mask;
    return ((k ^ (k >> 24n)) * m) & mask;
  };
  let h = (0x9747b28cn ^ BigInt(bytes.length)) & mask;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    h = (((h * m) & mask) ^ mixed(BigInt(bytes.readUInt32LE(at)))) & mask;
  }
  let tail = 0n;
  for (let i = bytes.length - 1; i >= at; i--) tail = (tail << 8n) | BigInt(bytes[i] as number);
  if (at < bytes.length) h = ((h ^ tail) * m) & mask;
  h = ((h ^ (h >> 13n)) * m) & mask;
  return Number(h ^ (h >> 15n)) | 0;
}
