import { afterEach, describe, expect, inject, it } from 'vitest';
import { KafkaSource } from '../../src/adapters/kafka/source.js';
import type { RecordBatch, SourceHandlers } from '../../src/stream/ports.js';
import { type KafkaHarness, kafkaHarness } from '../contract/kafka-harness.js';
import { sendPacked } from '../support/packed-batches.js';
import { eventually } from '../support/program.js';

const MIB = 1024 * 1024;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function harnessOf(partitions: number, maxUnpackedBytes: number): Promise<KafkaHarness> {
  const harness = await kafkaHarness(inject('kafkaBrokers'), partitions, { maxUnpackedBytes });
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

describe('a packed batch that the broker accepts', () => {
  it('is refused where it unpacks to 600 MB, and those around it are read', async () => {
    const harness = await harnessOf(1, 64 * MIB);
    const topic = harness.options.topics.interactions;
    await harness.produce('interactions', 0, ['a', 'b']);
    await sendPacked(harness.producer, topic, 0, { records: 600, bytes: 1_000_000 });
    await harness.produce('interactions', 0, ['c']);
    await sendPacked(harness.producer, topic, 0, { records: 3, bytes: 1_000 });
    const { seen, peak } = await readAll(harness, 606);
    const small = [603, 604, 605].map((offset) => `${offset}: 1000`);
    expect(seen[0]).toEqual([one(0), one(1), '601: refused 600', one(602), ...small]);
    // What was unpacked before the limit was met, and the answer.
    expect(peak).toBeLessThan(150 * MIB);
  });

  it('waits for the next answer where too much is in one of four partitions at once', async () => {
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
    // Two batches, and what is handed over may not be collected yet when the next two are there.
    expect(peak).toBeLessThan(100 * MIB);
  });
});
