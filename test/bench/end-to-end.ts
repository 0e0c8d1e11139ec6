import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { KafkaSource } from '../../src/adapters/kafka/source.js';
import { KafkaWriter } from '../../src/adapters/kafka/writer.js';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { Patience } from '../../src/stream/patience.js';
import { Pipeline } from '../../src/stream/pipeline.js';
import type { OutgoingRecord, RecordBatch } from '../../src/stream/ports.js';
import type { BenchResult } from './result.js';
import { monitorOptionsOf } from './synthetic-log.js';

const EVENTS = 400_000;
const PARTITIONS = 4;
const BLOCK = 10_000;
const ROUNDS = 4;
const START_TS = 1_750_000_000_000;

/**
 * The whole service without its server, from a local broker to applied events and closed panes,
 * and the source alone with JSON.parse of each value: each against a bare eachBatch consumer of
 * the same topic that only calls JSON.parse, in alternating rounds, best of each.
 */
export async function benchEndToEnd(brokers: readonly string[]): Promise<BenchResult[]> {
  const topics = await filledTopics(brokers);
  const bare: number[] = [];
  const ported: number[] = [];
  const whole: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(await readBare(brokers, topics.interactions, `bare-${round}`));
      ported.push(await readPorted(brokers, topics, `ported-${round}`));
      whole.push(await readWhole(brokers, topics, `whole-${round}`));
    }
  } finally {
    await deleteTopics(brokers, Object.values(topics));
  }
  const detail = `${rate(bare)} events/s by the bare consumer with JSON.parse`;
  return [
    ratio('kafka.end_to_end', bare, whole, `${rate(whole)} events/s applied and ticked; ${detail}`),
    ratio('kafka.source_only', bare, ported, `${rate(ported)} events/s with JSON.parse; ${detail}`),
  ];
}

function ratio(id: string, bare: number[], ours: number[], detail: string): BenchResult {
  const value = Math.min(...bare) / Math.min(...ours);
  return { id, value, unit: 'ratio', target: '>= 0.8', ok: value >= 0.8, detail };
}

function rate(ms: readonly number[]): string {
  return Math.round((EVENTS / Math.min(...ms)) * 1000).toLocaleString('en');
}

async function filledTopics(
  brokers: readonly string[],
): Promise<{ exposures: string; interactions: string }> {
  const id = `bench.${process.pid}.${Date.now()}`;
  const topics = { exposures: `${id}.exposures`, interactions: `${id}.interactions` };
  const admin = client(brokers).admin();
  await admin.connect();
  const created = Object.values(topics).map((topic) => ({ topic, numPartitions: PARTITIONS }));
  await admin.createTopics({ topics: created, waitForLeaders: true });
  await admin.disconnect();
  const writer = new KafkaWriter({ brokers, clientId: 'bench' }, new Patience());
  for (let from = 0; from < EVENTS; from += BLOCK) {
    const records = Array.from({ length: BLOCK }, (_, i) => event(from + i));
    await writer.send(topics.interactions, records);
  }
  // Few enough not to count, often enough that time goes on in the other topic too.
  for (let p = 0; p < PARTITIONS; p++) {
    const lists = Array.from({ length: 1000 }, (_, n) => list(n, p));
    await writer.send(topics.exposures, lists);
  }
  await writer.close();
  return topics;
}

async function deleteTopics(brokers: readonly string[], topics: string[]): Promise<void> {
  const admin = client(brokers).admin();
  await admin.connect();
  await admin.deleteTopics({ topics });
  await admin.disconnect();
}

function event(i: number): { key: string; value: string } {
  const user = `user-${(i * 7919) % 5000}`;
  const item = `item-${(i * 104_729) % 20_000}`;
  const body = { type: 'interaction', id: `event-${i}`, ts: START_TS + i, user, item, value: 1 };
  return { key: user, value: JSON.stringify({ ...body, action: 'click', exposure: `list-${i}` }) };
}

function list(n: number, partition: number): OutgoingRecord {
  const ts = START_TS + Math.floor((n * EVENTS) / 999);
  const items = Array.from({ length: 20 }, (_, k) => `item-${(n * 37 + k * 101) % 20_000}`);
  const user = `user-${(n * 7919) % 5000}`;
  const value = encodeEvent({
    type: 'exposure',
    id: `list-${partition}-${n}`,
    ts,
    user,
    model: 'm',
    items,
  });
  return { key: user, value, partition };
}

async function readBare(
  brokers: readonly string[],
  topic: string,
  groupId: string,
): Promise<number> {
  const consumer = client(brokers).consumer({ groupId: `${topic}.${groupId}` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const watch = new Stopwatch();
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      watch.begin();
      for (const { value } of batch.messages) JSON.parse(String(value));
      watch.count(batch.messages.length);
    },
  });
  await watch.finished;
  await consumer.disconnect();
  return watch.ms;
}

async function readPorted(
  brokers: readonly string[],
  topics: { exposures: string; interactions: string },
  group: string,
): Promise<number> {
  const groupId = `${topics.interactions}.${group}`;
  const source = new KafkaSource({ brokers, clientId: 'bench', groupId, topics });
  const watch = new Stopwatch();
  await source.start({
    assigned: async (partitions) =>
      new Map(partitions.map((p) => [p, { exposures: 'earliest', interactions: 'earliest' }])),
    revoked: () => {},
    state: () => {},
    batch: async ({ values }: RecordBatch) => {
      watch.begin();
      for (const value of values) JSON.parse((value as Buffer).toString());
      watch.count(values.length);
    },
  });
  await watch.finished;
  await source.stop();
  return watch.ms;
}

async function readWhole(
  brokers: readonly string[],
  topics: { exposures: string; interactions: string },
  group: string,
): Promise<number> {
  const groupId = `${topics.interactions}.${group}`;
  const pipeline = new Pipeline(new KafkaSource({ brokers, clientId: 'bench', groupId, topics }), {
    monitor: monitorOptionsOf(300_000, 60_000),
    decoder: new Decoder({ maxFutureMs: 60_000 }),
    topics,
    start: 'earliest',
    idleMs: 60_000,
    turns: { now: () => performance.now(), next: () => nextTurn() },
    now: Date.now,
  });
  const watch = new Stopwatch();
  pipeline.applied$.subscribe(({ role, outcomes }) => {
    watch.begin();
    if (role === 'interactions') watch.count(outcomes.accepted);
  });
  await pipeline.start();
  await watch.finished;
  await pipeline.stop();
  return watch.ms;
}

/** From the first batch on, so that joining the group does not count. */
class Stopwatch {
  ms = 0;
  #started: number | undefined;
  #seen = 0;
  #finish!: () => void;
  readonly finished = new Promise<void>((resolve) => {
    this.#finish = resolve;
  });

  begin(): void {
    this.#started ??= performance.now();
  }

  count(events: number): void {
    this.#seen += events;
    if (this.#seen < EVENTS) return;
    this.ms = performance.now() - (this.#started ?? 0);
    this.#finish();
  }
}

function client(brokers: readonly string[]): Kafka {
  return new Kafka({ brokers: [...brokers], clientId: 'bench', logLevel: logLevel.NOTHING });
}
