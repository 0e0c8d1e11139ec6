import { vi } from 'vitest';
import { openCheckpoint } from '../../../src/stream/checkpoint/checkpoint.js';
import type { MonitorOptions } from '../../../src/stream/options.js';
import { runAtOnce } from '../../../src/stream/sliced.js';
import { mulberry32 } from '../../bench/synthetic-log.js';
import { quickOptions } from '../log.js';
import { MemoryPanesLog } from '../memory-panes-log.js';
import { GroupBroker } from './group-broker.js';
import { GrowingLog, ROLES } from './growing-log.js';
import { type Deed, IDLE_MS, type ModelSchedule, type ModelStep, WITHIN_MS } from './schedule.js';
import { SharedStore, type StoreFault } from './shared-store.js';
import {
  type Given,
  MAX_FUTURE_MS,
  type ModelProcess,
  ModelReader,
  ModelTicker,
} from './worker.js';

export const PARTITIONS = 4;
const QUICK = quickOptions();
export const OPTIONS: MonitorOptions = quickOptions({
  // A tick of every estimator takes longer than all that is tested here.
  estimates: { ...QUICK.estimates, estimators: ['snips'] },
  tickMs: 1_000,
  windows: [
    { name: 'short', ms: 2_000 },
    { name: 'long', ms: 6_000 },
  ],
  latenessMs: 500,
  dedupeTtlMs: 10_000,
  attributionTtlMs: 5_000,
  popularity: { horizonMs: 60_000, of: 'positive' },
  gamma: { use: 2, fit: 'ols', default: 2, periodMs: 6_000 },
});

const STEP_MS = 100;
/** Share of the topic-partitions that get a record within a step. */
const TRAFFIC = 0.2;
const AGAIN_MS = 500;
const MOST_WORKERS = 4;
/** In a schedule the one that has this number ticks. */
const TICKER = 3;
/** As long as a group may take to conclude all, once nothing disturbs it. */
const PATIENCE_MS = 90_000;

/** Readers and a ticker on a machine without any real service, and what a schedule does to them. */
export class ModelWorld {
  readonly log: GrowingLog;
  readonly given: Given[] = [];
  readonly failures: unknown[] = [];
  readonly #random: () => number;
  readonly #schedule: ModelSchedule;
  readonly #broker: GroupBroker;
  readonly #panes = new MemoryPanesLog(() => PARTITIONS);
  /** Of those who read, and of those who tick. */
  readonly #store: SharedStore;
  readonly #tickStore: SharedStore;
  #workers: ModelReader[] = [];
  #ticker!: ModelTicker;
  /** With those that are about to leave. */
  readonly #alive = new Set<ModelProcess>();
  #begun = 0;
  /** Of each topic-partition, how many silences lie over it. */
  readonly #silences = new Array<number>(2 * PARTITIONS).fill(0);

  constructor(schedule: ModelSchedule) {
    this.#schedule = schedule;
    this.#random = mulberry32(schedule.seed);
    const random = this.#random;
    this.log = new GrowingLog({
      partitions: PARTITIONS,
      latenessMs: OPTIONS.latenessMs,
      maxFutureMs: MAX_FUTURE_MS,
      random,
    });
    this.#broker = new GroupBroker(this.log, PARTITIONS);
    const broken = (rule: string) => this.failures.push(new Error(rule));
    this.#store = new SharedStore(random, broken);
    this.#tickStore = new SharedStore(random, broken);
  }

  /** Plays the schedule, and goes on in calm until `isDone`. @returns whether it ever was */
  async play(isDone: () => boolean): Promise<boolean> {
    this.#beginTicking();
    for (let n = 0; n < 3; n++) this.#begin();
    for (const step of this.#schedule.steps) setTimeout(() => this.#begins(step), step.at);
    const ends = this.#schedule.steps.map((step) => step.at + ('forMs' in step ? step.forMs : 0));
    const calmAt = Math.max(WITHIN_MS, ...ends) + STEP_MS;
    const until = Date.now() + this.#schedule.trafficMs;
    await this.#pass(calmAt, () => {
      if (Date.now() < until) this.log.grow(Date.now(), TRAFFIC, (q) => this.#isBusy(q));
    });
    return this.#pass(PATIENCE_MS, isDone);
  }

  /** By outcome, of all records before the offsets of the newest checkpoints. */
  async accounts(): Promise<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (let p = 0; p < PARTITIONS; p++) {
      const { value } = await this.#store.checkpoints.load(p)[Symbol.asyncIterator]().next();
      if (value === undefined) continue;
      const { head } = runAtOnce(openCheckpoint(value));
      for (const [role, outcomes] of Object.entries(head.accounts)) {
        for (const [outcome, count] of Object.entries(outcomes)) {
          sums[`${role} ${outcome}`] = (sums[`${role} ${outcome}`] ?? 0) + count;
        }
      }
    }
    return sums;
  }

  /** What is under way is forgotten: timers of workers that are no more are, too. */
  end(): void {
    for (const worker of this.#alive) worker.kill();
    vi.clearAllTimers();
  }

  #isBusy(queue: number): boolean {
    return this.#silences[queue] === 0;
  }

  /** @returns whether it came to its end before the time was over */
  async #pass(ms: number, each: () => unknown): Promise<boolean> {
    for (let passed = 0; passed < ms && this.failures.length === 0; passed += STEP_MS) {
      if (each() === true) return true;
      this.#broker.expire();
      for (const worker of this.#alive) worker.look();
      await vi.advanceTimersByTimeAsync(STEP_MS);
    }
    return false;
  }

  get #common() {
    return {
      monitor: OPTIONS,
      everyMs: this.#schedule.everyMs,
      panes: this.#panes,
      random: this.#random,
      failed: (error: unknown) => this.failures.push(error),
    };
  }

  #begin(): void {
    const worker = new ModelReader({
      ...this.#common,
      name: `w${this.#begun++}`,
      idleMs: IDLE_MS,
      broker: this.#broker,
      store: this.#store,
    });
    this.#workers.push(worker);
    this.#start(worker);
  }

  #beginTicking(): void {
    this.#ticker = new ModelTicker({
      ...this.#common,
      store: this.#tickStore,
      given: this.given,
    });
    this.#start(this.#ticker);
  }

  #start(process: ModelProcess): void {
    this.#alive.add(process);
    process.start().catch((error) => this.failures.push(error));
  }

  #begins(step: ModelStep): void {
    const mend = this.#do(step);
    if ('forMs' in step) setTimeout(mend, step.forMs);
  }

  #do(deed: Deed): () => void {
    switch (deed.what) {
      case 'join':
        if (this.#workers.length < MOST_WORKERS) this.#begin();
        return NOTHING;
      case 'kill':
        if (deed.who === TICKER) {
          this.#kill(this.#ticker);
          this.#beginTicking();
          return NOTHING;
        }
        this.#kill(this.#take(deed.who));
        setTimeout(() => this.#begin(), AGAIN_MS);
        return NOTHING;
      case 'leave':
        if (deed.who === TICKER) void this.#leave(this.#ticker).then(() => this.#beginTicking());
        else if (this.#workers.length > 1) void this.#leave(this.#take(deed.who));
        return NOTHING;
      case 'pause':
        return this.#process(deed.who).pause();
      case 'clock':
        return stepped(this.#process(deed.who), deed.stepMs);
      case 'cut':
        return this.#cut(deed);
      case 'store':
        return this.#breakStores(deed.fault);
      case 'silence':
        return this.#silence(deed.of);
      case 'transaction':
        return this.#hang(deed.of);
    }
  }

  #cut({ to, way, who }: Extract<Deed, { what: 'cut' }>): () => void {
    const workers = who === 'all' ? [...this.#workers, this.#ticker] : [this.#process(who)];
    const cables = workers.flatMap(({ toBroker, toStore }) =>
      to === 'both' ? [toBroker, toStore] : [to === 'broker' ? toBroker : toStore],
    );
    const mends = cables.map((cable) => (way === 'told' ? cable.refuse() : cable.cut(way)));
    return () => {
      for (const mend of mends) mend();
    };
  }

  #breakStores(fault: StoreFault): () => void {
    const mends = [this.#store, this.#tickStore].map((store) => store.break(fault));
    return () => {
      for (const mend of mends) mend();
    };
  }

  #silence(of: number): () => void {
    const queues = this.#silences.flatMap((_, q) => ((of >> q) & 1 ? [q] : []));
    for (const q of queues) this.#silences[q]!++;
    return () => {
      for (const q of queues) this.#silences[q]!--;
    };
  }

  #hang(of: number): () => void {
    const ends = ROLES.flatMap((role, r) =>
      Array.from({ length: PARTITIONS }, (_, partition) => partition)
        .filter((partition) => (of >> (r * PARTITIONS + partition)) & 1)
        .map((partition) => this.#broker.hang(role, partition)),
    );
    return () => {
      for (const end of ends) end();
    };
  }

  /** There is always one: what is taken away comes again before the next step looks. */
  #worker(who: number): ModelReader {
    if (this.#workers.length === 0) this.#begin();
    return this.#workers[who % this.#workers.length]!;
  }

  #process(who: number): ModelProcess {
    return who === TICKER ? this.#ticker : this.#worker(who);
  }

  #take(who: number): ModelReader {
    const worker = this.#worker(who);
    this.#workers = this.#workers.filter((other) => other !== worker);
    return worker;
  }

  #kill(worker: ModelProcess): void {
    this.#alive.delete(worker);
    worker.kill();
  }

  async #leave(worker: ModelProcess): Promise<void> {
    await worker.stop();
    this.#kill(worker);
  }
}

function stepped(worker: ModelProcess, stepMs: number): () => void {
  worker.clockOff += stepMs;
  return () => {
    worker.clockOff -= stepMs;
  };
}

const NOTHING = () => {};
