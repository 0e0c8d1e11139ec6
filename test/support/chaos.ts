import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOwnBroker, startOwnRedis } from '../../deploy/services.mjs';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { openCheckpoint } from '../../src/stream/checkpoint/checkpoint.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { mulberry32 } from '../bench/synthetic-log.js';
import { linesOf, series, type WindowLine, WrittenWindows } from './estimate-lines.js';
import { THREE_ESTIMATES } from './few-estimates.js';
import { eventually, RunningService, unskew } from './program.js';
import { IS_LONG } from './repetitions.js';
import { TestTopics } from './topics.js';

export interface ChaosPlan {
  readonly partitions: number;
  readonly users: number;
  readonly cycles: number;
  readonly kills: number;
  /** How often each of the broker and Redis is stopped and started. */
  readonly outages: number;
  readonly seed: number;
  readonly log: (message: string) => void;
}

export interface ChaosOutcome {
  readonly events: number;
  /** Of one process that nothing disturbed, and of readers and tickers that everything did. */
  readonly wanted: readonly WindowLine[];
  readonly found: readonly WindowLine[];
  /** By topic role and outcome, over all partitions, as the last checkpoints tell. */
  readonly accounts: Readonly<Record<string, number>>;
  readonly wantedAccounts: Readonly<Record<string, number>>;
  readonly linesTwice: number;
}

type Deed = 'kill' | 'join' | 'leave' | 'tick' | 'broker' | 'redis';

const SETTINGS = {
  // Most of the time goes into ticks, and a pane of five minutes can be met by all that one of two can.
  UNSKEW_TIME_TICK: IS_LONG ? '2m' : '5m',
  UNSKEW_TIME_WINDOWS: '10m,1h',
  UNSKEW_TIME_IDLE: '3s',
  UNSKEW_POPULARITY_HORIZON: '6h',
  UNSKEW_GAMMA_PERIOD: '30m',
  UNSKEW_GAMMA: 'fit',
  UNSKEW_KAFKA_SESSION_TIMEOUT: IS_LONG ? '6s' : '3s',
  UNSKEW_DEAD_LETTERS_TO: 'none',
  UNSKEW_STATE_STORE: 'redis',
  UNSKEW_STATE_EVERY: '500ms',
  // What is older counts as late.
  UNSKEW_TIME_LATENESS: '10s',
  // All of them are in the long forms of recovery and workers.
  ...THREE_ESTIMATES,
};
const PATIENCE_MS = 600_000;
/** What a worker ends with that does not find the broker at its start. */
const COULD_NOT_BEGIN = /^unskew: cannot re(ad|ach)/m;

interface Timed {
  readonly id: string;
  readonly ts: string | number;
}

const timeOf = ({ ts }: Timed) => new Date(ts).getTime();

/** Every so often an event comes twice, is not an event, or is far too old. */
function disturbed(line: string, n: number): string[] {
  if (n % 997 === 1) return [line];
  if (n % 1_009 === 2) return ['{"not":"whole"'];
  // Not among the first ones: a file does not tell there what is too old.
  if (n % 1_013 !== 500) return [];
  const event = JSON.parse(line) as Timed;
  const ts = timeOf(event) - 3_600_000;
  return [JSON.stringify({ ...event, id: `${event.id}-late`, ts })];
}

/** Runs one log twice, once undisturbed and once with everything that can happen to a group. */
export async function runChaos(plan: ChaosPlan): Promise<ChaosOutcome> {
  const open: (() => Promise<unknown>)[] = [];
  try {
    const folder = await mkdtemp(join(tmpdir(), 'unskew-chaos-'));
    open.push(() => rm(folder, { recursive: true, force: true }));
    const [broker, redis] = await Promise.all([startOwnBroker(), startOwnRedis()]);
    open.push(broker.stop, redis.stop);
    const topics = await TestTopics.create(broker.brokers, plan.partitions);
    const world = new World(plan, folder, topics, redis.url);
    open.push(() => world.endAll());
    const events = await world.write(await world.simulate());
    plan.log(`${events} events in ${plan.partitions} partitions`);

    const calm = 'undisturbed';
    await world.addAlone(calm);
    await world.settled(calm, events);
    const wanted = series(await linesOf(world.paths(calm)));
    const wantedAccounts = await world.accounts(calm);
    await world.endAll();
    plan.log(`undisturbed: ${wanted.length} lines`);

    const rough = 'disturbed';
    for (let n = 0; n < 2; n++) await world.addTicker(rough);
    for (let n = 0; n < 3; n++) await world.add(rough);
    for (const { deed, at } of deedsOf(plan)) {
      await world.reaches(rough, at * wanted.length);
      plan.log(`${deed} at ${Math.round(100 * at)} %`);
      if (deed === 'broker') await away(broker.stopBroker, broker.startBroker);
      else if (deed === 'redis') await away(redis.stopRedis, redis.startRedis);
      else await world.do(deed, rough);
    }
    await world.reaches(rough, wanted.length);
    await world.settled(rough, events);
    const lines = await linesOf(world.paths(rough));
    const found = series(lines);
    const accounts = await world.accounts(rough);
    const linesTwice = lines.length - found.length;
    return { events, wanted, found, accounts, wantedAccounts, linesTwice };
  } finally {
    for (const close of open.reverse()) await close();
  }
}

/** What happens when, as shares of the lines: kills all along, the rest in between. */
function deedsOf({ kills, outages, seed }: ChaosPlan): { deed: Deed; at: number }[] {
  const random = mulberry32(seed);
  const deeds: Deed[] = Array.from({ length: kills }, () => 'kill');
  for (let n = 0; n < outages; n++) deeds.push('broker', 'redis', 'tick');
  for (let n = 0; n < Math.ceil(kills / 4); n++) deeds.push('join', 'leave');
  return deeds.map((deed) => ({ deed, at: 0.02 + 0.9 * random() })).sort((a, b) => a.at - b.at);
}

async function away(stop: () => Promise<void>, start: () => Promise<void>): Promise<void> {
  await stop();
  await sleep(2_500);
  await start();
}

/** Readers and tickers of a group, or one process that does all, their log, and the files that they write. */
export class World {
  readonly #plan: Pick<ChaosPlan, 'partitions' | 'users' | 'cycles' | 'seed'>;
  readonly #folder: string;
  readonly #topics: TestTopics;
  readonly #redisUrl: string;
  readonly #more: Readonly<Record<string, string>>;
  readonly #random: () => number;
  readonly #workers: RunningService[] = [];
  readonly #tickers: RunningService[] = [];
  readonly #paths = new Map<string, string[]>();
  readonly #windows = new Map<string, WrittenWindows>();
  #newestMs = 0;

  constructor(
    plan: Pick<ChaosPlan, 'partitions' | 'users' | 'cycles' | 'seed'>,
    folder: string,
    topics: TestTopics,
    redisUrl: string,
    more: Readonly<Record<string, string>> = {},
  ) {
    this.#plan = plan;
    this.#more = more;
    this.#folder = folder;
    this.#topics = topics;
    this.#redisUrl = redisUrl;
    this.#random = mulberry32(plan.seed + 1);
  }

  paths(group: string): readonly string[] {
    return this.#paths.get(group) ?? [];
  }

  /** Simulates a log. */
  async simulate(): Promise<readonly string[]> {
    const { users, cycles, seed } = this.#plan;
    const sizes = ['--users', `${users}`, '--cycles', `${cycles}`, '--list-length', '12'];
    // An experiment, so that requests are joined over panes too.
    const world = [...sizes, '--seed', `${seed}`, '--arms', '2', '--caused', '0.2'];
    const ended = await unskew(['simulate', '--out', this.#folder, ...world]);
    if (ended.code !== 0) throw new Error(ended.stderr);
    return ['train.ndjson', 'events.ndjson'].map((name) => join(this.#folder, name));
  }

  /** @returns how many records were written */
  async write(files: readonly string[]): Promise<number> {
    return this.#topics.sendFiles(files, (line, n) => {
      this.#newestMs = Math.max(this.#newestMs, timeOf(JSON.parse(line)));
      return disturbed(line, n);
    });
  }

  /** Newest event time of what was written. */
  get newestMs(): number {
    return this.#newestMs;
  }

  /** Readers, or the process that does all. */
  get workers(): readonly RunningService[] {
    return this.#workers;
  }

  get tickers(): readonly RunningService[] {
    return this.#tickers;
  }

  /** One more reader. */
  async add(group: string): Promise<void> {
    this.#workers.push(await this.#started(['--role', 'read'], group));
  }

  async addTicker(group: string): Promise<void> {
    this.#tickers.push(await this.#started(['--role', 'tick'], group));
  }

  /** One process that does all. */
  async addAlone(group: string): Promise<void> {
    this.#workers.push(await this.#started([], group));
  }

  async #started(role: readonly string[], group: string): Promise<RunningService> {
    const paths = this.#paths.get(group) ?? [];
    this.#paths.set(group, paths);
    const path = join(this.#folder, `${group}-${paths.length}.ndjson`);
    if (role[1] !== 'read') paths.push(path);
    // A broker that is away when it starts is a fault of the settings: it is tried again.
    for (let left = 5; ; left--) {
      try {
        const settings = {
          ...this.#topics.settings,
          ...SETTINGS,
          UNSKEW_STATE_REDIS_URL: this.#redisUrl,
          UNSKEW_KAFKA_GROUP_ID: `${this.#topics.name}.${group}`,
          UNSKEW_KAFKA_MAX_BYTES_PER_PARTITION: '48KiB',
          UNSKEW_ESTIMATES_FILE: path,
          ...this.#more,
        };
        return await RunningService.start(['serve', ...role], settings);
      } catch (error) {
        if (left === 0) throw error;
      }
    }
  }

  /** There are never fewer than two readers after it, and never more than four. */
  async do(deed: 'kill' | 'join' | 'leave' | 'tick', group: string): Promise<void> {
    if (deed === 'tick') return this.killTicker(group);
    const which = Math.floor(this.#random() * this.#workers.length);
    if (deed === 'join') {
      if (this.#workers.length < 4) await this.add(group);
      return;
    }
    const [worker] = this.#workers.splice(which, 1);
    if (deed === 'kill') await worker!.kill();
    else if ((await worker!.stop()) !== 0 && !COULD_NOT_BEGIN.test(worker!.output)) {
      throw new Error(`it did not stop:\n${worker!.output}`);
    }
    if (deed === 'kill' || this.#workers.length < 2) await this.add(group);
  }

  /** The oldest, which leads unless it has just come; another one takes its place. */
  async killTicker(group: string): Promise<void> {
    await this.#tickers.shift()!.kill();
    await this.addTicker(group);
  }

  /** As a roll-out does: the oldest stops once a new one is ready. */
  async replaceOldest(group: string): Promise<void> {
    await this.add(group);
    await replaced(this.#workers);
  }

  async replaceTicker(group: string): Promise<void> {
    await this.addTicker(group);
    await replaced(this.#tickers);
  }

  /** The process that does all dies, and begins again. */
  async killAlone(group: string): Promise<void> {
    await this.#workers.shift()!.kill();
    await this.addAlone(group);
  }

  /**
   * A worker that could not begin, because the broker was away just then, is started again, as
   * whatever runs services does; any other that ends by itself is a failure.
   */
  async #replaceEnded(group: string): Promise<void> {
    for (const all of [this.#workers, this.#tickers]) {
      const at = all.findIndex((worker) => worker.hasEnded);
      if (at < 0) continue;
      const [ended] = all.splice(at, 1);
      if (!COULD_NOT_BEGIN.test(ended!.output)) {
        throw new Error(`a process ended by itself:\n${ended!.output.slice(-3_000)}`);
      }
      if (all === this.#tickers) await this.addTicker(group);
      else await this.add(group);
    }
  }

  /** Waits for this many lines. */
  async reaches(group: string, lines: number): Promise<void> {
    const windows = this.#written(group);
    await eventually(
      `${Math.ceil(lines)} windows of the ${group}`,
      async () => {
        await this.#replaceEnded(group);
        return windows.count(this.paths(group));
      },
      (found) => found >= lines,
      PATIENCE_MS,
    );
  }

  /** Waits for the window that ends where an event of this time may still be missing. */
  async reachesPane(group: string, ms: number): Promise<void> {
    const windows = this.#written(group);
    await eventually(
      `windows of the ${group} to ${ms}`,
      async () => {
        await this.#replaceEnded(group);
        await windows.count(this.paths(group));
        return windows.until;
      },
      (until) => until >= ms,
      PATIENCE_MS,
    );
  }

  /** Waits until the last window is written, and every record is accounted for in a checkpoint. */
  async settled(group: string, records: number): Promise<void> {
    const windows = this.#written(group);
    await eventually(
      `${records} records in the checkpoints of the ${group}, and its last window`,
      async () => {
        await this.#replaceEnded(group);
        await windows.count(this.paths(group));
        const counts = Object.values(await this.accounts(group));
        return { records: counts.reduce((sum, n) => sum + n, 0), until: windows.until };
      },
      (seen) => seen.records >= records && seen.until > this.#newestMs,
      PATIENCE_MS,
    );
  }

  #written(group: string): WrittenWindows {
    const windows = this.#windows.get(group) ?? new WrittenWindows();
    this.#windows.set(group, windows);
    return windows;
  }

  /** What the newest checkpoints tell became of all records. */
  async accounts(group: string): Promise<Record<string, number>> {
    const namespace = `${this.#topics.name}.${group}`;
    const store = new RedisCheckpointStore({ url: this.#redisUrl, namespace });
    const sums: Record<string, number> = {};
    try {
      for (let p = 0; p < this.#plan.partitions; p++) {
        const { value } = await store.load(p)[Symbol.asyncIterator]().next();
        if (value === undefined) continue;
        const { head } = runAtOnce(openCheckpoint(value));
        for (const [role, outcomes] of Object.entries(head.accounts)) {
          for (const [outcome, count] of Object.entries(outcomes)) {
            const key = `${role} ${outcome}`;
            sums[key] = (sums[key] ?? 0) + count;
          }
        }
      }
    } finally {
      await store.close();
    }
    return sums;
  }

  async endAll(): Promise<void> {
    const all = [...this.#workers.splice(0), ...this.#tickers.splice(0)];
    await Promise.all(all.map((worker) => worker.kill()));
  }
}

/** The oldest stops once the newest is ready. */
async function replaced(all: RunningService[]): Promise<void> {
  await eventually(
    'the new process to be ready',
    () => all.at(-1)!.get('/readyz'),
    ({ status }) => status === 200,
    PATIENCE_MS,
  );
  const oldest = all.shift()!;
  const code = await oldest.stop();
  if (code !== 0) throw new Error(`it did not stop, but ended with ${code}:\n${oldest.output}`);
}
