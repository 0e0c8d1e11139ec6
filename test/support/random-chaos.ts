import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type OwnBroker,
  type OwnRedis,
  startOwnBroker,
  startOwnRedis,
} from '../../deploy/services.mjs';
import { World } from './chaos.js';
import { linesOf, series, type WindowLine } from './estimate-lines.js';
import { randomSchedule, type Step, scheduleText } from './random-schedule.js';
import { TcpProxy } from './tcp-proxy.js';
import { TestTopics } from './topics.js';

const CLOCK = fileURLToPath(new URL('stepped-clock.mjs', import.meta.url));
const PLAN = { partitions: 4, users: 60, cycles: 3, seed: 11 };
const IDLE_MS = 3_000;
/** The log is written in so many pieces while the schedule goes on. */
const PIECES = 16;
const GROUP = 'group';

/** What became of a log: the series of its windows, and every record by its outcome. */
export interface Told {
  readonly lines: readonly WindowLine[];
  readonly accounts: Readonly<Record<string, number>>;
}

/** Where schedules are played: a broker, a Redis, and what stands before the broker. */
export class ChaosRig {
  readonly #folder: string;
  readonly #broker: OwnBroker;
  readonly #redis: OwnRedis;
  readonly #cable: TcpProxy;
  #pieces: readonly string[] = [];
  #runs = 0;

  private constructor(folder: string, broker: OwnBroker, redis: OwnRedis, cable: TcpProxy) {
    this.#folder = folder;
    this.#broker = broker;
    this.#redis = redis;
    this.#cable = cable;
  }

  static async start(): Promise<ChaosRig> {
    const folder = await mkdtemp(join(tmpdir(), 'unskew-chaos-'));
    let cable: TcpProxy | undefined;
    const broker = await startOwnBroker(undefined, undefined, async (port) => {
      cable = await TcpProxy.before(`tcp://127.0.0.1:${port}`);
      return cable.port;
    });
    const rig = new ChaosRig(folder, broker, await startOwnRedis(), cable!);
    rig.#pieces = await rig.#simulated();
    return rig;
  }

  async stop(): Promise<void> {
    await this.#cable.cut();
    await this.#redis.stop();
    await this.#broker.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The log read by one worker that nothing disturbs. */
  async undisturbed(): Promise<Told> {
    return this.#played([], 1);
  }

  /** The log read by three workers while a schedule is played. */
  async disturbed(seed: number, steps: number): Promise<Told & { readonly schedule: string }> {
    const schedule = randomSchedule({ seed, steps, withinMs: 1_500 * steps, idleMs: IDLE_MS });
    const text = scheduleText(schedule);
    try {
      return { ...(await this.#played(schedule, 3)), schedule: text };
    } catch (error) {
      throw new Error(`seed ${seed}:\n${text}`, { cause: error });
    }
  }

  async #played(schedule: readonly Step[], workers: number): Promise<Told> {
    const topics = await TestTopics.create(this.#broker.brokers, PLAN.partitions);
    const folder = await mkdtemp(join(this.#folder, `run-${this.#runs++}-`));
    const clock = join(folder, 'clock');
    await writeFile(clock, '0');
    const world = new World(PLAN, folder, topics, this.#redis.url, {
      UNSKEW_KAFKA_BROKERS: this.#cable.address,
      UNSKEW_TIME_IDLE: `${IDLE_MS}ms`,
      NODE_OPTIONS: `--import ${CLOCK}`,
      STEPPED_CLOCK: clock,
    });
    try {
      for (let n = 0; n < workers; n++) await world.add(GROUP);
      const turn = new Turn();
      const paceMs = schedule.length === 0 ? 0 : (1_500 * schedule.length) / PIECES;
      const [events] = await Promise.all([
        this.#write(world, paceMs, turn),
        ...this.#deeds(schedule, world, clock, turn),
      ]);
      await world.settled(GROUP, events);
      const lines = series(await linesOf(world.paths(GROUP)));
      return { lines, accounts: await world.accounts(GROUP) };
    } finally {
      await world.endAll();
      await topics.delete();
    }
  }

  async #simulated(): Promise<readonly string[]> {
    const world = new World(PLAN, this.#folder, undefined!, '');
    const lines: string[] = [];
    for (const path of await world.simulate()) {
      lines.push(...(await readFile(path, 'utf8')).trimEnd().split('\n'));
    }
    const size = Math.ceil(lines.length / PIECES);
    const paths = Array.from({ length: PIECES }, (_, n) => join(this.#folder, `piece-${n}.ndjson`));
    for (const [n, path] of paths.entries()) {
      await writeFile(path, `${lines.slice(n * size, (n + 1) * size).join('\n')}\n`);
    }
    return paths;
  }

  async #write(world: World, paceMs: number, turn: Turn): Promise<number> {
    let events = 0;
    for (const piece of this.#pieces) {
      await turn.take(async () => {
        events += await world.write([piece]);
      });
      await sleep(paceMs);
    }
    return events;
  }

  /** Whatever is asked of workers is done one after the other; cuts and pauses lie over it. */
  #deeds(schedule: readonly Step[], world: World, clock: string, turn: Turn): Promise<void>[] {
    const workers = new Turn();
    return schedule.map(async (step) => {
      await sleep(step.atMs);
      switch (step.what) {
        case 'kill':
        case 'join':
        case 'leave': {
          const { what } = step;
          return workers.take(() => world.do(what, GROUP));
        }
        case 'broker':
          // What writes the log has no other broker.
          return turn.take(async () => {
            await this.#broker.stopBroker();
            await sleep(2_000);
            await this.#broker.startBroker();
          });
        case 'redis':
          return turn.take(async () => {
            await this.#redis.stopRedis();
            await sleep(step.forMs);
            await this.#redis.startRedis();
          });
        case 'freeze-redis':
          return turn.take(async () => {
            this.#redis.freezeRedis();
            await sleep(step.forMs);
            this.#redis.thawRedis();
          });
        case 'cut':
          this.#cable.freeze(step.direction);
          await sleep(step.forMs);
          return this.#cable.thaw();
        case 'pause': {
          const worker = world.workers[0];
          worker?.suspend();
          await sleep(step.forMs);
          return worker?.resume();
        }
        case 'clock':
          await writeFile(clock, `${step.stepMs}`);
          await sleep(step.forMs);
          return writeFile(clock, '0');
      }
    });
  }
}

/** One at a time. */
class Turn {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
