import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { encodeEvent } from '../../src/events/encode.js';
import { eventually, RunningService } from '../support/program.js';
import { SHORT_LIVED } from '../support/short-lived.js';
import { TestTopics } from '../support/topics.js';
import { medianOf } from './cpu-time.js';
import type { BenchResult } from './result.js';

const INTERACTIONS = 400_000;
const LISTS = 4_000;
const PARTITIONS = 4;
const BLOCK = 10_000;
const ROUNDS = 4;
const START_TS = 1_750_000_000_000;
const BARE = join(import.meta.dirname, 'bare-consumer.mjs');
const run = promisify(execFile);

/** The log is of 400 seconds. */
const SIX_TICKS = {
  UNSKEW_TIME_TICK: '1m',
  UNSKEW_TIME_WINDOWS: '5m',
};
const NO_TICK = {
  UNSKEW_TIME_TICK: '1h',
  UNSKEW_TIME_WINDOWS: '1h',
};

/**
 * CPU of `serve` from its start until it has applied 400,000 interactions, with six ticks and with
 * none, against a bare kafkajs consumer of the same topic that only calls JSON.parse: a fresh process
 * each, in turns, medians.
 */
export async function benchEndToEnd(brokers: string): Promise<BenchResult[]> {
  const topics = await TestTopics.create(brokers, PARTITIONS);
  const bare: number[] = [];
  const ticking: number[] = [];
  const reading: number[] = [];
  try {
    await fill(topics);
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(await cpuOfBare(brokers, `${topics.name}.interactions`));
      ticking.push(await cpuOfService({ ...topics.settings, ...SIX_TICKS }));
      reading.push(await cpuOfService({ ...topics.settings, ...NO_TICK }));
    }
  } finally {
    await topics.delete();
  }
  const of = (id: string, cpu: readonly number[], bound: number): BenchResult => {
    const value = medianOf(cpu) / medianOf(bare);
    return {
      id,
      value,
      unit: 'ratio',
      target: `<= ${bound}`,
      ok: value <= bound,
      detail: `${seconds(cpu)} CPU seconds, ${seconds(bare)} of a bare consumer with JSON.parse`,
    };
  };
  return [of('kafka.with_six_ticks', ticking, 2), of('kafka.without_ticks', reading, 1.3)];
}

/** The median, and the least and the most. */
function seconds(cpu: readonly number[]): string {
  const [median, least, most] = [medianOf(cpu), Math.min(...cpu), Math.max(...cpu)].map((ms) =>
    (ms / 1000).toFixed(2),
  );
  return `${median} (${least} to ${most})`;
}

async function fill(topics: TestTopics): Promise<void> {
  // Few enough not to count, often enough that time goes on in this topic too.
  await topics.send(
    'exposures',
    Array.from({ length: LISTS }, (_, n) => list(n)),
  );
  for (let from = 0; from < INTERACTIONS; from += BLOCK) {
    const events = Array.from({ length: BLOCK }, (_, n) => interaction(from + n));
    await topics.send('interactions', events);
  }
}

function interaction(n: number): { key: string; value: string } {
  const user = `user-${(n * 7919) % 5000}`;
  return {
    key: user,
    value: JSON.stringify({
      type: 'interaction',
      id: `event-${n}`,
      ts: START_TS + n,
      user,
      item: `item-${(n * 104_729) % 20_000}`,
      value: 1,
      action: 'click',
      exposure: `list-${n}`,
    }),
  };
}

function list(n: number): { key: string; value: string } {
  const user = `user-${(n * 7919) % 5000}`;
  const value = encodeEvent({
    type: 'exposure',
    id: `list-${n}`,
    ts: START_TS + Math.floor((n * INTERACTIONS) / (LISTS - 1)),
    user,
    model: 'm',
    items: Array.from({ length: 20 }, (_, k) => `item-${(n * 37 + k * 101) % 20_000}`),
  });
  return { key: user, value };
}

async function cpuOfBare(brokers: string, topic: string): Promise<number> {
  const args = [...SHORT_LIVED, BARE, brokers, topic, String(INTERACTIONS)];
  const { stdout } = await run(process.execPath, args);
  return Number(stdout);
}

let groups = 0;

async function cpuOfService(settings: Readonly<Record<string, string>>): Promise<number> {
  const service = await RunningService.start(['serve'], {
    ...settings,
    UNSKEW_KAFKA_GROUP_ID: `${settings['UNSKEW_KAFKA_GROUP_ID']}.${groups++}`,
    UNSKEW_DEAD_LETTERS_TO: 'none',
  });
  try {
    const series = await eventually(
      'all interactions',
      () => service.scrape(),
      (all) =>
        all.some(
          ({ name, labels, value }) =>
            name === 'unskew_events_total' &&
            labels['topic']?.endsWith('interactions') === true &&
            labels['outcome'] === 'accepted' &&
            value === INTERACTIONS,
        ),
      300_000,
    );
    return 1000 * series.find(({ name }) => name === 'process_cpu_seconds_total')!.value;
  } finally {
    await service.kill();
  }
}
