import { afterEach, describe, expect, it } from 'vitest';
import { KafkaSource } from '../../src/adapters/kafka/source.js';
import { type KafkaHarness, kafkaHarness } from '../contract/kafka-harness.js';
import { RecordingHandlers } from '../contract/recording-handlers.js';
import { produceForeign } from '../support/librdkafka/librdkafka.js';
import { eventually } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { createTopics } from '../support/topics.js';

// What librdkafka and the broker itself pack, both of which are not ours.

const MIB = 1024 * 1024;
const CODECS = ['snappy', 'lz4', 'zstd'];

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function harnessOf(maxUnpackedBytes: number): Promise<KafkaHarness> {
  const harness = await kafkaHarness(kafkaBrokers, 1, { maxUnpackedBytes });
  cleanups.push(() => harness.close());
  return harness;
}

/** Reads until the texts are there that are waited for. */
async function read(
  options: KafkaHarness['options'],
  areAll: (texts: readonly (string | null)[]) => boolean,
) {
  const handlers = new RecordingHandlers();
  const source = new KafkaSource(options);
  cleanups.push(() => source.stop());
  await source.start(handlers);
  await eventually(
    'all records',
    async () => ({ count: handlers.count, failures: handlers.failures.map(String) }),
    ({ failures }) => areAll(handlers.texts('interactions', 0)) || failures.length > 0,
  );
  expect(handlers.failures).toEqual([]);
  return handlers;
}

/** Records of more than the limit each. */
const REFUSED = 3;
/** Text that packs well in part, and not at all in part. */
const VALUES = Array.from({ length: 3000 }, (_, n) => {
  const noise = Array.from({ length: 10 }, (_, k) => Math.imul(n * 31 + k, 0x9e3779b1) >>> 0);
  return `${n} ${n % 7 === 0 ? noise.map((x) => x.toString(36)).join('') : 'again '.repeat(n % 90)}`;
});

describe.each(CODECS)('records packed with %s', (codec) => {
  it('by librdkafka are read unchanged, and batches above the limit are rejected', async () => {
    const harness = await harnessOf(4 * MIB);
    const { brokers, topics } = harness.options;
    const config = {
      'bootstrap.servers': brokers.join(),
      'compression.type': codec,
      'linger.ms': 200,
      'batch.size': 64 * MIB,
      'message.max.bytes': 64 * MIB,
    };
    const write = (values: readonly Buffer[], repeat = 1) => {
      const { interactions: topic } = topics;
      const records = values.map((value) => ({ topic, partition: 0, value, repeat }));
      return produceForeign(config, records);
    };
    await write(VALUES.map((text) => Buffer.from(text)));
    // Each is above the limit: whether they come as one batch is for the client to say.
    await write([Buffer.alloc(5 * MIB, '.')], REFUSED);
    await write([Buffer.from('after')]);
    const handlers = await read(harness.options, (texts) => texts.at(-1) === 'after');
    const texts = handlers.texts('interactions', 0);
    expect(texts.filter((text) => text !== '')).toEqual([...VALUES, 'after']);
    // One stands for each batch that was refused.
    expect(texts.slice(VALUES.length, -1)).toContain('');
    expect(texts.length).toBeLessThanOrEqual(VALUES.length + REFUSED + 1);
    expect(handlers.of('interactions', 0).at(-1)!.offset).toBe(VALUES.length + REFUSED);
  });

  it('by the broker are read unchanged', async () => {
    const harness = await harnessOf(64 * MIB);
    const topic = `${harness.options.topics.interactions}.${codec}`;
    const configEntries = [{ name: 'compression.type', value: codec }];
    await createTopics(harness.admin, [{ topic, numPartitions: 1, configEntries }]);
    cleanups.push(() => harness.admin.deleteTopics({ topics: [topic] }));
    await harness.producer.send({ topic, messages: VALUES.map((value) => ({ value })) });
    const topics = { ...harness.options.topics, interactions: topic };
    const handlers = await read(
      { ...harness.options, topics },
      ({ length }) => length >= VALUES.length,
    );
    expect(handlers.texts('interactions', 0)).toEqual(VALUES);
  });
});
