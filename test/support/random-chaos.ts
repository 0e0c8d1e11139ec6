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
/** Steps of a schedule come so far apart on average, and traffic goes on for as long. */
const STEP_MS = 1_500;
const PIECE_MS = 300;
/** Of the simulated events, which come again from the first one on where there are too few. */
const PIECE_EVENTS = 60;
/**
 * Events are stamped ahead, so that together with the lateness a machine that is slow to write them
 * does not make them late.
 */
const AHEAD_MS = 5_000;
const TICK_MS = 1_000;
const LATENESS_MS = 5_000;
const GROUP = 'group';
const CALM = 'calm';
/** Clocks matter if events are live: the log is written while it is read. */
const LIVE = {
  UNSKEW_TIME_TICK: `${TICK_MS}ms`,
  UNSKEW_TIME_WINDOWS: '5s,20s',
  UNSKEW_TIME_LATENESS: `${LATENESS_MS}ms`,
  UNSKEW_TIME_IDLE: `${IDLE_MS}ms`,
  UNSKEW_POPULARITY_HORIZON: '10m',
  UNSKEW_GAMMA_PERIOD: '1m',
  UNSKEW_VALUE_HORIZON: '3s',
  // Most of the time goes into ticks, and whatever disturbs one metric disturbs them all.
  UNSKEW_ESTIMATES_METRICS: 'recall',
  UNSKEW_ESTIMATES_KS: '10',
};

/** An event's names, which are others where it comes again. */
interface Named {
  readonly id: string;
  readonly exposure?: string;
  readonly request?: string;
}

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
  #simulated: readonly string[] = [];
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
    rig.#simulated = await rig.#simulate();
    return rig;
  }

  async stop(): Promise<void> {
    await this.#cable.cut();
    await this.#redis.stop();
    await this.#broker.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /**
   * Plays a schedule on three readers and two tickers while the log is written, and then reads the
   * same log with one process that nothing disturbs.
   */
  async play(seed: number, steps: number): Promise<{ found: Told; wanted: Told; text: string }> {
    const withinMs = STEP_MS * steps;
    const schedule = randomSchedule({ seed, steps, withinMs, idleMs: IDLE_MS });
    const text = `seed ${seed}:\n${scheduleText(schedule)}`;
    try {
      return { ...(await this.#played(schedule)), text };
    } catch (error) {
      throw new Error(text, { cause: error });
    }
  }

  async #played(schedule: readonly Step[]): Promise<{ found: Told; wanted: Told }> {
    const topics = await TestTopics.create(this.#broker.brokers, PLAN.partitions);
    const folder = await mkdtemp(join(this.#folder, `run-${this.#runs++}-`));
    const clock = join(folder, 'clock');
    await writeFile(clock, '0');
    const world = new World(PLAN, folder, topics, this.#redis.url, {
      ...LIVE,
      UNSKEW_KAFKA_BROKERS: this.#cable.address,
      NODE_OPTIONS: `--import ${CLOCK}`,
      STEPPED_CLOCK: clock,
    });
    try {
      for (let n = 0; n < 2; n++) await world.addTicker(GROUP);
      await Promise.all([GROUP, GROUP, GROUP].map((group) => world.add(group)));
      const turn = new Turn();
      const writing = this.#write(world, folder, STEP_MS * schedule.length, turn);
      const [events] = await Promise.all([writing, ...this.#deeds(schedule, world, clock, turn)]);
      const found = await told(world, GROUP, events);
      await world.endAll();
      await world.addAlone(CALM);
      return { found, wanted: await told(world, CALM, events) };
    } finally {
      await world.endAll();
      await topics.delete();
    }
  }

  async #simulate(): Promise<readonly string[]> {
    const world = new World(PLAN, this.#folder, undefined!, '');
    const lines: string[] = [];
    for (const path of await world.simulate()) {
      lines.push(...(await readFile(path, 'utf8')).trimEnd().split('\n'));
    }
    return lines;
  }

  /** Writes for this long, each event with the time of its writing. */
  async #write(world: World, folder: string, forMs: number, turn: Turn): Promise<number> {
    const piece = join(folder, 'piece.ndjson');
    let events = 0;
    let next = 0;
    for (const end = Date.now() + forMs; Date.now() < end; ) {
      await turn.take(async () => {
        const lines = Array.from({ length: PIECE_EVENTS }, () => this.#stamped(next++));
        await writeFile(piece, `${lines.join('\n')}\n`);
        events += await world.write([piece]);
      });
      await sleep(PIECE_MS);
    }
    return events;
  }

  #stamped(n: number): string {
    const line = this.#simulated[n % this.#simulated.length]!;
    const round = Math.floor(n / this.#simulated.length);
    const { id, exposure, request, ...event } = JSON.parse(line) as Named;
    const named = {
      ...(exposure !== undefined && { exposure: `${exposure}-${round}` }),
      ...(request !== undefined && { request: `${request}-${round}` }),
    };
    return JSON.stringify({ ...event, ...named, id: `${id}-${round}`, ts: Date.now() + AHEAD_MS });
  }

  /** Whatever is asked of workers is done one after the other; cuts and pauses lie over it. */
  #deeds(schedule: readonly Step[], world: World, clock: string, turn: Turn): Promise<void>[] {
    const workers = new Turn();
    const stores = new Turn();
    return schedule.map(async (step) => {
      await sleep(step.atMs);
      switch (step.what) {
        case 'kill':
        case 'join':
        case 'leave':
        case 'tick': {
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
          return stores.take(async () => {
            await this.#redis.stopRedis();
            await sleep(step.forMs);
            await this.#redis.startRedis();
          });
        case 'freeze-redis':
          return stores.take(async () => {
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

/** What became of it all, once the last window is there. */
async function told(world: World, group: string, events: number): Promise<Told> {
  await world.settled(group, events);
  const last = Math.floor(world.newestMs / TICK_MS + 1) * TICK_MS;
  const lines = series(await linesOf(world.paths(group))).filter(({ window }) => window.to <= last);
  return { lines, accounts: await world.accounts(group) };
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
