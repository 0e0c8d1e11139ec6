import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Kafka, logLevel } from 'kafkajs';
import { KafkaSource } from '../../src/adapters/kafka/source.js';
import { produceForeign } from '../support/librdkafka/librdkafka.js';
import { canonicalEvent, generator } from './decode.js';
import type { BenchResult } from './result.js';

const EVENTS = 200_000;
const ROUNDS = 4;
const PLAIN = 'none';
const CODECS = [PLAIN, 'gzip', 'snappy', 'lz4', 'zstd'];

/**
 * The source alone over the same events as librdkafka wrote them, packed with each codec, against
 * the same events as they are; alternating rounds, best of each.
 */
export async function benchCodecs(brokers: readonly string[]): Promise<BenchResult[]> {
  const id = `bench.${randomUUID()}`;
  const topics = [...CODECS.map((codec) => `${id}.${codec}`), `${id}.empty`];
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const created = topics.map((topic) => ({ topic, numPartitions: 1 }));
  await admin.createTopics({ topics: created, waitForLeaders: true });
  const random = generator(5);
  const values = Array.from({ length: EVENTS }, (_, i) => Buffer.from(canonicalEvent(i, random)));
  const ms = new Map<string, number>();
  try {
    for (const codec of CODECS) {
      const config = { 'bootstrap.servers': brokers.join(), 'compression.type': codec };
      const topic = `${id}.${codec}`;
      const records = values.map((value) => ({ topic, partition: 0, value }));
      await produceForeign({ ...config, 'linger.ms': 50 }, records);
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const codec of CODECS) {
        const taken = await readAll(brokers, `${id}.${codec}`, `${id}.empty`, `${id}.${round}`);
        ms.set(codec, Math.min(taken, ms.get(codec) ?? Number.POSITIVE_INFINITY));
      }
    }
  } finally {
    await admin.deleteTopics({ topics });
    await admin.disconnect();
  }
  const rate = (codec: string) => EVENTS / (ms.get(codec)! / 1000);
  return CODECS.slice(1).map((codec) => {
    const value = rate(codec) / rate(PLAIN);
    const [ours, plain] = [codec, PLAIN].map((c) => Math.round(rate(c)).toLocaleString('en'));
    const detail = `${ours} events/s from the broker; ${plain} where nothing is packed`;
    return {
      id: `kafka.read_${codec}`,
      value,
      unit: 'ratio',
      target: '>= 0.5',
      ok: value >= 0.5,
      detail,
    };
  });
}

function readAll(
  brokers: readonly string[],
  interactions: string,
  exposures: string,
  groupId: string,
): Promise<number> {
  const topics = { exposures, interactions };
  const source = new KafkaSource({ brokers, clientId: 'bench', groupId, topics, maxWaitMs: 50 });
  let count = 0;
  let started = 0;
  return new Promise((resolve, reject) => {
    source
      .start({
        assigned: async () => {
          started = performance.now();
          const earliest = { exposures: 'earliest', interactions: 'earliest' } as const;
          return new Map([[0, earliest]]);
        },
        batch: async ({ values }) => {
          count += values.length;
          if (count < EVENTS) return;
          const taken = performance.now() - started;
          setImmediate(() => source.stop().then(() => resolve(taken), reject));
        },
        revoked() {},
        state() {},
        failed: reject,
      })
      .catch(reject);
  });
}
