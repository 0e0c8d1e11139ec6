import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WrittenWindows } from '../support/estimate-lines.js';
import { eventually, RunningService, unskew } from '../support/program.js';
import { TestTopics } from '../support/topics.js';
import type { BenchResult } from './result.js';

const PARTITIONS = 6;
const SIMULATION = ['--users', '4000', '--list-length', '12', '--seed', '3'];
/** Alternating, the best of each. */
const ROUNDS = 2;
/** Parts of the lines between which is measured: the code has been compiled, and no worker is idle. */
const WARM = 0.3;
const BEFORE_THE_END = 0.97;
const SETTINGS = {
  UNSKEW_TIME_IDLE: '1s',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  UNSKEW_STATE_STORE: 'redis',
};

interface Load {
  readonly name: string;
  readonly cycles: number;
  readonly settings: Readonly<Record<string, string>>;
  /** How many times the events of one process, by the CPU of the busiest of four, at least. */
  readonly busiest: number;
}

const LOADS: readonly Load[] = [
  {
    // Ticks of some 400 events each: they are most of the work, and one process does them all.
    name: 'many_ticks',
    cycles: 32,
    settings: {
      UNSKEW_TIME_TICK: '10m',
      UNSKEW_TIME_WINDOWS: '1h',
      UNSKEW_POPULARITY_HORIZON: '10h',
    },
    busiest: 1.1,
  },
  {
    // Each event is in one window, and ticked once.
    name: 'few_ticks',
    cycles: 96,
    settings: {
      UNSKEW_TIME_TICK: '6h',
      UNSKEW_TIME_WINDOWS: '6h',
      UNSKEW_POPULARITY_HORIZON: '5d',
    },
    busiest: 2.2,
  },
];

/** What a process does. */
type Role = 'all' | 'read' | 'tick';
const ALONE: readonly Role[] = ['all'];
const DIVIDED: readonly Role[] = ['tick', 'read', 'read', 'read'];

/** Seconds of CPU. */
interface Spent {
  /** Of all processes together. */
  readonly sum: number;
  /** Of the one that has most to do, which bounds how fast all of them go. */
  readonly busiest: number;
}

/**
 * Three readers and a ticker against one process that does all, on a log with many ticks and on one
 * with few.
 */
export async function benchWorkers(brokers: string, redisUrl: string): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const load of LOADS) {
    results.push(...(await compared(load, brokers, redisUrl)));
  }
  return results;
}

/**
 * CPU between the same two lines of estimates, of all processes together and of the busiest one.
 * Each pane of the log is ticked.
 */
async function compared(load: Load, brokers: string, redisUrl: string): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  const topics = await TestTopics.create(brokers, PARTITIONS);
  try {
    const cycles = String(load.cycles);
    const made = await unskew(['simulate', '--out', folder, ...SIMULATION, '--cycles', cycles]);
    if (made.code !== 0) throw new Error(made.stderr);
    const files = ['train.ndjson', 'events.ndjson'].map((name) => join(folder, name));
    const events = await topics.sendFiles(files);
    const settings = {
      ...topics.settings,
      ...SETTINGS,
      ...load.settings,
      UNSKEW_STATE_REDIS_URL: redisUrl,
    };
    const lines = await countLines(settings, folder);
    const spent = { alone: [] as Spent[], divided: [] as Spent[] };
    for (let round = 0; round < ROUNDS; round++) {
      spent.alone.push(await cpuSpent(settings, folder, ALONE, lines));
      spent.divided.push(await cpuSpent(settings, folder, DIVIDED, lines));
    }
    const least = (all: readonly Spent[], of: keyof Spent) =>
      Math.min(...all.map((one) => one[of]));
    const alone = least(spent.alone, 'sum');
    const divided = least(spent.divided, 'sum');
    const busiest = least(spent.divided, 'busiest');
    const rate = (cpu: number) =>
      Math.round((events * (BEFORE_THE_END - WARM)) / cpu).toLocaleString('en');
    return [
      atLeast(
        `workers.${load.name}.all`,
        alone / divided,
        0.8,
        `${rate(alone)} events per CPU second by one process, ${rate(divided)} by three readers and a ticker`,
      ),
      atLeast(
        `workers.${load.name}.busiest`,
        alone / busiest,
        load.busiest,
        `${alone.toFixed(1)} CPU seconds of one process, ${busiest.toFixed(1)} of the busiest of four`,
      ),
    ];
  } finally {
    await topics.delete();
    await rm(folder, { recursive: true, force: true });
  }
}

let groups = 0;

async function withProcesses<T>(
  settings: Readonly<Record<string, string>>,
  folder: string,
  roles: readonly Role[],
  work: (processes: readonly RunningService[], path: string) => Promise<T>,
): Promise<T> {
  const group = `${settings['UNSKEW_KAFKA_GROUP_ID']}.${groups++}`;
  const path = join(folder, `${group}.ndjson`);
  const processes: RunningService[] = [];
  for (const role of roles) {
    const args = role === 'all' ? [] : ['--role', role];
    const own = { ...settings, UNSKEW_KAFKA_GROUP_ID: group, UNSKEW_ESTIMATES_FILE: path };
    processes.push(await RunningService.start(['serve', ...args], own));
  }
  try {
    return await work(processes, path);
  } finally {
    await Promise.all(processes.map((process) => process.kill()));
  }
}

/** How many lines the log gives, once no more come. */
function countLines(settings: Readonly<Record<string, string>>, folder: string): Promise<number> {
  return withProcesses(settings, folder, ALONE, async (_, path) => {
    const windows = new WrittenWindows();
    let last = -1;
    return eventually(
      'a log that is read to its end',
      async () => {
        await sleep(3_000);
        const seen = await windows.count([path]);
        const isLast = seen > 0 && seen === last;
        last = seen;
        return isLast ? seen : 0;
      },
      (seen) => seen > 0,
      300_000,
    );
  });
}

function cpuSpent(
  settings: Readonly<Record<string, string>>,
  folder: string,
  roles: readonly Role[],
  lines: number,
): Promise<Spent> {
  return withProcesses(settings, folder, roles, async (processes, path) => {
    const windows = new WrittenWindows();
    const cpuAt = async (share: number) => {
      await eventually(
        `${share} of the windows`,
        () => windows.count([path]),
        (seen) => seen >= share * lines,
        300_000,
      );
      return Promise.all(processes.map(cpuOf));
    };
    const before = await cpuAt(WARM);
    const after = await cpuAt(BEFORE_THE_END);
    const own = after.map((cpu, n) => cpu - before[n]!);
    return { sum: own.reduce((sum, cpu) => sum + cpu, 0), busiest: Math.max(...own) };
  });
}

async function cpuOf(process: RunningService): Promise<number> {
  const series = await process.scrape();
  return series.find(({ name }) => name === 'process_cpu_seconds_total')!.value;
}

function atLeast(id: string, value: number, bound: number, detail: string): BenchResult {
  return { id, value, unit: 'ratio', target: `>= ${bound}`, ok: value >= bound, detail };
}
