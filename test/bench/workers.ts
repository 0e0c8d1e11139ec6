import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distinctLines } from '../support/estimate-lines.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { TestTopics } from '../support/topics.js';
import type { BenchResult } from './result.js';

const PARTITIONS = 6;
const SIMULATION = ['--users', '2000', '--cycles', '16', '--list-length', '12', '--seed', '3'];
const SETTINGS = {
  UNSKEW_TIME_TICK: '10m',
  UNSKEW_TIME_WINDOWS: '1h',
  UNSKEW_TIME_IDLE: '1s',
  UNSKEW_POPULARITY_HORIZON: '10h',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  UNSKEW_STATE_STORE: 'redis',
};

/** Three workers that share a log against one that reads it alone: events per second of CPU. */
export async function benchWorkers(brokers: string, redisUrl: string): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  const topics = await TestTopics.create(brokers, PARTITIONS);
  try {
    const made = await unskew(['simulate', '--out', folder, ...SIMULATION]);
    if (made.code !== 0) throw new Error(made.stderr);
    const files = ['train.ndjson', 'events.ndjson'].map((name) => join(folder, name));
    const events = await topics.sendFiles(files);
    const settings = { ...topics.settings, ...SETTINGS, UNSKEW_STATE_REDIS_URL: redisUrl };
    const alone = await cpuSeconds(settings, folder, 1, undefined);
    const shared = await cpuSeconds(settings, folder, 3, alone.lines);
    const value = alone.seconds / shared.seconds;
    const rate = (seconds: number) => Math.round(events / seconds).toLocaleString('en');
    const detail = `${rate(alone.seconds)} events per CPU second by one worker, ${rate(shared.seconds)} by three`;
    return [
      {
        id: 'workers.three_of_one',
        value,
        unit: 'ratio',
        target: '>= 0.8',
        ok: value >= 0.8,
        detail,
      },
    ];
  } finally {
    await topics.delete();
    await rm(folder, { recursive: true, force: true });
  }
}

/** From listening to the last line of estimates; starting Node is not what is measured. */
async function cpuSeconds(
  settings: Readonly<Record<string, string>>,
  folder: string,
  count: number,
  lines: number | undefined,
): Promise<{ seconds: number; lines: number }> {
  const paths = Array.from({ length: count }, (_, n) => join(folder, `${count}-${n}.ndjson`));
  const workers = await Promise.all(
    paths.map((path) =>
      RunningService.start(['serve'], {
        ...settings,
        UNSKEW_KAFKA_GROUP_ID: `${settings['UNSKEW_KAFKA_GROUP_ID']}.${count}`,
        UNSKEW_ESTIMATES_FILE: path,
      }),
    ),
  );
  try {
    const before = await cpuOf(workers);
    let last = -1;
    let seconds = 0;
    let seen = 0;
    await eventually(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, lines === undefined ? 2_500 : 200));
        last = seen;
        seen = await distinctLines(paths);
        if (seen > last) seconds = (await cpuOf(workers)) - before;
        return seen;
      },
      (found) => (lines === undefined ? found > 0 && found === last : found >= lines),
      300_000,
    );
    return { seconds, lines: seen };
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
  }
}

async function cpuOf(workers: readonly RunningService[]): Promise<number> {
  const all = await Promise.all(workers.map((worker) => worker.scrape()));
  return all
    .flat()
    .filter(({ name }) => name === 'process_cpu_seconds_total')
    .reduce((sum, { value }) => sum + value, 0);
}
