import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { expect, inject, it } from 'vitest';
import { KafkaRoundLog } from '../../src/adapters/kafka/rounds/round-log.js';
import { RedisRoundLog } from '../../src/adapters/redis/round-log.js';
import type { WindowEstimates } from '../../src/estimators/results/window-estimates.js';
import type { RoundLog } from '../../src/stream/ports.js';
import { RoundStation } from '../../src/stream/workers/round-station.js';
import { eventually } from '../support/program.js';
import {
  type EstimatePartition,
  EstimateWork,
  KeptStations,
  lastPaneOf,
  type PartitionLogs,
  undisturbed,
} from '../support/rounds/estimate-station.js';
import { Schedule } from '../support/rounds/schedule.js';
import { randomLogs } from '../support/rounds/station-group.js';
import { createTopics } from '../support/topics.js';

interface Transport {
  open(): RoundLog;
  remove(): Promise<void>;
}

async function onRedis(): Promise<Transport> {
  const namespace = `test-${randomUUID()}`;
  return {
    open: () => new RedisRoundLog({ url: inject('redisUrl'), namespace }),
    remove: async () => {
      const redis = new Redis(inject('redisUrl'));
      await redis.del(...['head', 'log'].map((name) => `unskew:{${namespace}/rounds}:${name}`));
      redis.disconnect();
    },
  };
}

async function onKafka(): Promise<Transport> {
  const brokers = inject('kafkaBrokers').split(',');
  const topic = `t${randomUUID()}.rounds`;
  const admin: Admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await createTopics(admin, [{ topic, numPartitions: 1 }]);
  return {
    open: () => new KafkaRoundLog({ brokers, clientId: 'test', topic }),
    remove: async () => {
      await admin.deleteTopics({ topics: [topic] });
      await admin.disconnect();
    },
  };
}

/** A worker on its own, as a process would have it. */
class Worker {
  readonly work: EstimateWork;
  readonly station: RoundStation<EstimatePartition, WindowEstimates>;
  readonly failures: unknown[] = [];
  readonly #log: RoundLog;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(log: RoundLog, logs: PartitionLogs, kept: KeptStations, isTurned: boolean) {
    this.#log = log;
    this.work = new EstimateWork(logs, kept, isTurned);
    this.station = new RoundStation(this.work, {
      ...{ log, partitions: logs.length, algorithm: 'estimates', signal: this.#stop.signal },
      ...{ unique: randomUUID, now: Date.now, unseenMs: 30_000, waitMs: 50 },
      pause: async () => {
        for (const each of this.work.partitions.values()) each.feed(1);
        await setImmediate();
      },
      // What fails is tried again; and the log is closed under whatever is under way in the end.
      onFailure: (failure) => this.failures.push(failure),
    });
  }

  async take(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) {
      this.work.assigned.add(partition);
      await this.station.assign(partition);
    }
  }

  begin(): void {
    this.#running = this.station.work();
  }

  /** Ends at once: it gives up nothing. */
  async end(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    await this.#log.close();
    await this.#running;
  }
}

it.each([
  ['Redis', onRedis],
  ['Kafka', onKafka],
])('workers that meet by %s come to the bits of one, and so does who takes over', async (_, on) => {
  const transport = await on();
  const logs = randomLogs(new Schedule(3), 6);
  const last = lastPaneOf(logs);
  const kept = new KeptStations(logs.length);
  const workers: Worker[] = [];
  const join = async (isTurned: boolean, partitions: readonly number[]) => {
    const worker = new Worker(transport.open(), logs, kept, isTurned);
    workers.push(worker);
    await worker.take(partitions);
    worker.begin();
    return worker;
  };
  try {
    const first = await join(false, [0, 2, 4]);
    const second = await join(true, [1, 3, 5]);
    await eventually(
      'a pane that is concluded',
      async () => first.station.concluded,
      (pane) => pane >= 1,
    );
    await first.end();
    const third = await join(true, [0, 4]);
    await second.take([2]);
    for (const { station } of [second, third]) {
      await eventually(
        'the last pane',
        async () => station.concluded,
        (pane) => pane >= last,
      );
    }
    const expected = undisturbed(logs);
    for (const { work } of [second, third]) {
      expect(work.found.size).toBeGreaterThan(0);
      for (const [pane, found] of work.found) expect(found).toEqual(expected.get(pane));
    }
    expect(second.work.found.size).toBe(expected.size);
  } finally {
    for (const worker of workers) await worker.end();
    await transport.remove();
  }
});
