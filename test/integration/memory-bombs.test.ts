import { readFileSync } from 'node:fs';
import { afterEach, expect, inject, it } from 'vitest';
import { memoryBudget } from '../../src/commands/service/memory/budget.js';
import { loadConfig } from '../../src/config.js';
import { sendPacked } from '../support/packed-batches.js';
import { eventually, RunningService } from '../support/program.js';
import { repetitions } from '../support/repetitions.js';
import { TestTopics } from '../support/topics.js';

const PARTITIONS = 4;
const MIB = 2 ** 20;
const BOUNDS = {
  UNSKEW_KAFKA_MAX_UNPACKED: '8MiB',
  UNSKEW_DEAD_LETTERS_MEMORY: '4MiB',
  UNSKEW_LIMITS_ROWS: '10000',
  UNSKEW_LIMITS_LIST_ENTRIES: '10000',
  UNSKEW_LIMITS_USERS: '10000',
  UNSKEW_LIMITS_ITEMS: '10000',
};

const running: RunningService[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

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
    .filter(({ what }) => !what.includes('readers of the stream'))
    .reduce((sum, { bytes }) => sum + bytes, 0);
}

it('a process that meets batches of hundreds of megabytes, and refused events of as many, keeps to its budget', async () => {
  const topics = await TestTopics.create(inject('kafkaBrokers'), PARTITIONS);
  const topic = `${topics.name}.interactions`;
  const producer = topics.kafka.producer();
  await producer.connect();
  // One such batch in each partition, all of one fetch: unbounded they are 0.6 GB in the short form.
  const megabytes = repetitions(150, 600);
  for (let partition = 0; partition < PARTITIONS; partition++) {
    await sendPacked(producer, topic, partition, { records: megabytes, bytes: 1_000_000 });
  }
  const letters = repetitions(300, 4_000);
  const value = '.'.repeat(100_000);
  await topics.send(
    'interactions',
    Array.from({ length: letters }, (_, n) => ({ key: `u${n}`, value })),
  );
  const service = await RunningService.start(['serve'], { ...topics.settings, ...BOUNDS });
  running.push(service);
  await eventually(
    'all to be refused',
    async () => ({
      packed: await refused(service, 'batch_too_large'),
      plain: await refused(service, 'not_json'),
    }),
    ({ packed, plain }) => packed === PARTITIONS * megabytes && plain === letters,
    300_000,
  );
  await producer.disconnect();
  expect(budget()).toBeLessThan(700 * MIB);
  expect(peakBytes(service)).toBeLessThan(budget());
});
