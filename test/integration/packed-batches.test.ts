import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { CompressionTypes } from 'kafkajs';
import { afterEach, describe, expect, it } from 'vitest';
import { KafkaSource } from '../../src/adapters/kafka/source.js';
import { memoryBudget } from '../../src/commands/service/budget.js';
import { loadConfig } from '../../src/config.js';
import type { RecordBatch, SourceHandlers } from '../../src/stream/ports.js';
import { type KafkaHarness, kafkaHarness } from '../contract/kafka-harness.js';
import { itAtNight } from '../support/at-night.js';
import { sendPacked } from '../support/packed-batches.js';
import { eventually, RunningService } from '../support/program.js';
import { IS_LONG } from '../support/repetitions.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { TestTopics } from '../support/topics.js';

const MIB = 1024 * 1024;
/** More than is read at most, a part of it or all. */
const MEGABYTES = IS_LONG ? 600 : 150;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function harnessOf(partitions: number, maxUnpackedBytes: number): Promise<KafkaHarness> {
  const harness = await kafkaHarness(kafkaBrokers, partitions, { maxUnpackedBytes });
  cleanups.push(() => harness.close());
  return harness;
}

/** Keeps lengths and not bytes, and watches the memory meanwhile. */
class Lengths implements SourceHandlers {
  /** By partition: offset and length of each record, or how many were refused there. */
  readonly seen: string[][] = [];
  readonly failures: Error[] = [];
  records = 0;
  peak = 0;
  readonly #before = bufferedBytes();

  constructor() {
    const watch = setInterval(() => {
      this.peak = Math.max(this.peak, bufferedBytes() - this.#before);
    }, 5);
    cleanups.push(() => clearInterval(watch));
  }

  async assigned(partitions: readonly number[]) {
    const earliest = { exposures: 'earliest', interactions: 'earliest' } as const;
    return new Map(partitions.map((partition) => [partition, earliest]));
  }

  async batch({ partition, offsets, values, refused }: RecordBatch): Promise<void> {
    this.peak = Math.max(this.peak, bufferedBytes() - this.#before);
    this.seen[partition] ??= [];
    for (let r = 0; r < offsets.length; r++) {
      const records = refused?.get(r)?.records;
      this.records += records ?? 1;
      const what = records === undefined ? `${values[r]?.length}` : `refused ${records}`;
      this.seen[partition].push(`${offsets[r]}: ${what}`);
    }
  }

  revoked(): void {}
  state(): void {}
  failed(error: Error): void {
    this.failures.push(error);
  }
}

/** What was fetched and unpacked lies outside of the heap. */
function bufferedBytes(): number {
  return process.memoryUsage().arrayBuffers;
}

async function readAll(harness: KafkaHarness, records: number): Promise<Lengths> {
  const handlers = new Lengths();
  const source = new KafkaSource(harness.options);
  cleanups.push(() => source.stop());
  await source.start(handlers);
  await eventually(
    `${records} records`,
    async () => ({ records: handlers.records, failures: handlers.failures.map(String) }),
    (seen) => seen.records >= records || seen.failures.length > 0,
    120_000,
  );
  expect(handlers.failures).toEqual([]);
  expect(handlers.records).toBe(records);
  return handlers;
}

const one = (offset: number) => `${offset}: 1`;

describe('a compressed batch', () => {
  it('is rejected if it unpacks to hundreds of megabytes, and its neighbours are read', async () => {
    const harness = await harnessOf(1, 16 * MIB);
    const topic = harness.options.topics.interactions;
    await harness.produce('interactions', 0, ['a', 'b']);
    await sendPacked(harness.producer, topic, 0, { records: MEGABYTES, bytes: 1_000_000 });
    await harness.produce('interactions', 0, ['c']);
    await sendPacked(harness.producer, topic, 0, { records: 3, bytes: 1_000 });
    const { seen, peak } = await readAll(harness, MEGABYTES + 6);
    const small = [3, 4, 5].map((n) => `${MEGABYTES + n}: 1000`);
    expect(seen[0]).toEqual([
      one(0),
      one(1),
      `${MEGABYTES + 1}: refused ${MEGABYTES}`,
      one(MEGABYTES + 2),
      ...small,
    ]);
    // What was unpacked before the limit was met, and the answer.
    expect(peak).toBeLessThan(100 * MIB);
  });

  itAtNight('is rejected if many small gzip members add up to too much', async () => {
    const harness = await harnessOf(1, 16 * MIB);
    const topic = harness.options.topics.interactions;
    // What is within the limit is read, whatever it is made of.
    await sendPacked(harness.producer, topic, 0, { records: 12, bytes: MIB, members: 4 });
    await sendPacked(harness.producer, topic, 0, { records: 120, bytes: MIB, members: 40 });
    await harness.produce('interactions', 0, ['c']);
    const { seen, peak } = await readAll(harness, 12 + 120 + 1);
    const small = Array.from({ length: 12 }, (_, offset) => `${offset}: ${MIB}`);
    expect(seen[0]).toEqual([...small, '131: refused 120', one(132)]);
    expect(peak).toBeLessThan(100 * MIB);
  });

  itAtNight('is read within bounded memory if one answer holds hundreds of batches', async () => {
    const harness = await harnessOf(1, 16 * MIB);
    const topic = harness.options.topics.interactions;
    const batches = 300;
    for (let n = 0; n < batches; n++) {
      await sendPacked(harness.producer, topic, 0, { records: 4, bytes: MIB / 4 });
    }
    const { seen, peak } = await readAll(harness, 4 * batches);
    const all = Array.from({ length: 4 * batches }, (_, offset) => `${offset}: ${MIB / 4}`);
    expect(seen[0]).toEqual(all);
    // Together they unpack to three times that.
    expect(peak).toBeLessThan(100 * MIB);
  });

  itAtNight('keeps a record that is itself compressed as it is', async () => {
    const harness = await harnessOf(1, MIB);
    const bomb = gzipSync(gzipSync(Buffer.alloc(200 * MIB)));
    const messages = [{ value: bomb, partition: 0 }];
    const { interactions: topic } = harness.options.topics;
    await harness.producer.send({ topic, messages, compression: CompressionTypes.GZIP });
    const { seen, peak } = await readAll(harness, 1);
    expect(seen[0]).toEqual([`0: ${bomb.length}`]);
    expect(peak).toBeLessThan(20 * MIB);
  });

  itAtNight('is read within bounded memory if four partitions hold large batches', async () => {
    const harness = await harnessOf(4, 16 * MIB);
    const topic = harness.options.topics.interactions;
    for (let partition = 0; partition < 4; partition++) {
      for (let batch = 0; batch < 3; batch++) {
        await sendPacked(harness.producer, topic, partition, { records: 15, bytes: MIB });
      }
    }
    const { seen, peak } = await readAll(harness, 4 * 3 * 15);
    const all = Array.from({ length: 45 }, (_, offset) => `${offset}: ${MIB}`);
    expect(seen).toEqual([all, all, all, all]);
    // All unpack to 180 MiB. Two batches are unpacked at a time, and memory of those before is only
    // freed when garbage is collected.
    expect(peak).toBeLessThan(140 * MIB);
  });
});

// Writing them takes a while: for the night.
if (IS_LONG) {
  const PARTITIONS = 4;
  const BOUNDS = {
    UNSKEW_KAFKA_MAX_UNPACKED: '8MiB',
    UNSKEW_LIMITS_ROWS: '10000',
    UNSKEW_LIMITS_LIST_ENTRIES: '10000',
    UNSKEW_LIMITS_USERS: '10000',
    UNSKEW_LIMITS_ITEMS: '10000',
    UNSKEW_DECISION_METRIC: 'none',
  };

  /** The most that the process ever had, as the system counts it. */
  function peakBytes({ pid }: RunningService): number {
    const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
    return Number(kib) * 1024;
  }

  async function refused(service: RunningService, reason: string): Promise<number> {
    const series = await service.scrape();
    return series
      .filter(({ name, labels }) => name === 'unskew_events_total' && labels['outcome'] === reason)
      .reduce((sum, { value }) => sum + value, 0);
  }

  /** Of what is met here: nobody reads the stream, and hardly anything is kept. */
  function budget(): number {
    const config = loadConfig({ env: BOUNDS });
    return memoryBudget(config, { brokers: 1, partitions: PARTITIONS })
      .filter(({ what }) => !what.includes('clients of the event stream'))
      .reduce((sum, { bytes }) => sum + bytes, 0);
  }

  it('a service stays within its memory budget despite huge batches and many invalid events', async () => {
    const topics = await TestTopics.create(kafkaBrokers, PARTITIONS);
    const topic = `${topics.name}.interactions`;
    const producer = topics.kafka.producer();
    await producer.connect();
    cleanups.push(() => producer.disconnect());
    // One such batch in each partition, all of one fetch: unbounded they are 2.4 GB.
    const megabytes = 600;
    for (let partition = 0; partition < PARTITIONS; partition++) {
      await sendPacked(producer, topic, partition, { records: megabytes, bytes: 1_000_000 });
    }
    const letters = 4_000;
    const value = '.'.repeat(100_000);
    await topics.send(
      'interactions',
      Array.from({ length: letters }, (_, n) => ({ key: `u${n}`, value })),
    );
    const service = await RunningService.start(['serve'], { ...topics.settings, ...BOUNDS });
    cleanups.push(() => service.stop());
    await eventually(
      'all to be refused',
      async () => ({
        packed: await refused(service, 'batch_too_large'),
        plain: await refused(service, 'not_json'),
      }),
      ({ packed, plain }) => packed === PARTITIONS * megabytes && plain === letters,
      300_000,
    );
    expect(budget()).toBeLessThan(700 * MIB);
    expect(peakBytes(service)).toBeLessThan(budget());
  }, 900_000);
}
