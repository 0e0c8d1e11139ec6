import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WrittenWindows } from '../support/estimate-lines.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { TestTopics } from '../support/topics.js';
import type { BenchResult } from './result.js';

const PARTITIONS = 6;
const SIMULATION = ['--users', '4000', '--cycles', '32', '--list-length', '12', '--seed', '3'];
/** Alternating, the best of each. */
const ROUNDS = 2;
/** Parts of the lines between which is measured: the code has been compiled, and no worker is idle. */
const WARM = 0.3;
const BEFORE_THE_END = 0.97;
const SETTINGS = {
  UNSKEW_TIME_TICK: '10m',
  UNSKEW_TIME_WINDOWS: '1h',
  UNSKEW_TIME_IDLE: '1s',
  UNSKEW_POPULARITY_HORIZON: '10h',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  UNSKEW_STATE_STORE: 'redis',
};

/**
 * Three workers that share a log against one that reads it alone: events per second of CPU, between
 * the same two lines of estimates.
 */
export async function benchWorkers(brokers: string, redisUrl: string): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  const topics = await TestTopics.create(brokers, PARTITIONS);
  try {
    const made = await unskew(['simulate', '--out', folder, ...SIMULATION]);
    if (made.code !== 0) throw new Error(made.stderr);
    const files = ['train.ndjson', 'events.ndjson'].map((name) => join(folder, name));
    const events = await topics.sendFiles(files);
    const settings = { ...topics.settings, ...SETTINGS, UNSKEW_STATE_REDIS_URL: redisUrl };
    const lines = await countLines(settings, folder);
    const seconds: Record<1 | 3, number[]> = { 1: [], 3: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const count of [1, 3] as const) {
        seconds[count].push(await cpuSeconds(settings, folder, count, lines));
      }
    }
    const alone = Math.min(...seconds[1]);
    const shared = Math.min(...seconds[3]);
    const value = alone / shared;
    const rate = (cpu: number) =>
      Math.round((events * (BEFORE_THE_END - WARM)) / cpu).toLocaleString('en');
    const detail = `${rate(alone)} events per CPU second by one worker, ${rate(shared)} by three`;
    return [
      {
        id: 'workers.three_of_one',
        value,
        unit: 'ratio',
        target: '>= 0.9',
        ok: value >= 0.9,
        detail,
      },
    ];
  } finally {
    await topics.delete();
    await rm(folder, { recursive: true, force: true });
  }
}

let groups = 0;

async function withWorkers<T>(
  settings: Readonly<Record<string, string>>,
  folder: string,
  count: number,
  work: (workers: readonly RunningService[], paths: readonly string[]) => Promise<T>,
): Promise<T> {
  const group = `${settings['UNSKEW_KAFKA_GROUP_ID']}.${groups++}`;
  const paths = Array.from({ length: count }, (_, n) => join(folder, `${group}-${n}.ndjson`));
  const workers = await Promise.all(
    paths.map((path) =>
      RunningService.start(['serve'], {
        ...settings,
        UNSKEW_KAFKA_GROUP_ID: group,
        UNSKEW_ESTIMATES_FILE: path,
      }),
    ),
  );
  try {
    return await work(workers, paths);
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
  }
}

/** How many lines the log gives, once no more come. */
function countLines(settings: Readonly<Record<string, string>>, folder: string): Promise<number> {
  return withWorkers(settings, folder, 1, async (_, paths) => {
    const windows = new WrittenWindows();
    let last = -1;
    return eventually(
      'a log that is read to its end',
      async () => {
        await sleep(3_000);
        const seen = await windows.count(paths);
        const isLast = seen > 0 && seen === last;
        last = seen;
        return isLast ? seen : 0;
      },
      (seen) => seen > 0,
      300_000,
    );
  });
}

function cpuSeconds(
  settings: Readonly<Record<string, string>>,
  folder: string,
  count: number,
  lines: number,
): Promise<number> {
  return withWorkers(settings, folder, count, async (workers, paths) => {
    const windows = new WrittenWindows();
    const cpuAt = async (share: number) => {
      await eventually(
        `${share} of the windows`,
        () => windows.count(paths),
        (seen) => seen >= share * lines,
        300_000,
      );
      return cpuOf(workers);
    };
    const before = await cpuAt(WARM);
    return (await cpuAt(BEFORE_THE_END)) - before;
  });
}

async function cpuOf(workers: readonly RunningService[]): Promise<number> {
  const all = await Promise.all(workers.map((worker) => worker.scrape()));
  return all
    .flat()
    .filter(({ name }) => name === 'process_cpu_seconds_total')
    .reduce((sum, { value }) => sum + value, 0);
}
