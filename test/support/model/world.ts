import { vi } from 'vitest';
import { openCheckpoint } from '../../../src/stream/checkpoint/checkpoint.js';
import type { MonitorOptions } from '../../../src/stream/options.js';
import { runAtOnce } from '../../../src/stream/sliced.js';
import { mulberry32 } from '../../bench/synthetic-log.js';
import { quickOptions } from '../log.js';
import { MemorySumsLog } from '../memory-sums-log.js';
import { GroupBroker } from './group-broker.js';
import { GrowingLog, ROLES } from './growing-log.js';
import { type Deed, IDLE_MS, type ModelSchedule, type ModelStep, WITHIN_MS } from './schedule.js';
import { SharedStore } from './shared-store.js';
import { type Given, MAX_FUTURE_MS, ModelWorker } from './worker.js';

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
/** As long as a group may take to conclude all, once nothing disturbs it. */
const PATIENCE_MS = 90_000;

/** A group of workers on a machine without any real service, and what a schedule does to it. */
export class ModelWorld {
  readonly log: GrowingLog;
  readonly given: Given[] = [];
  readonly failures: unknown[] = [];
  readonly #random: () => number;
  readonly #schedule: ModelSchedule;
  readonly #broker: GroupBroker;
  readonly #store: SharedStore;
  readonly #sums = new MemorySumsLog();
  #workers: ModelWorker[] = [];
  /** With those that are about to leave. */
  readonly #alive = new Set<ModelWorker>();
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
    this.#store = new SharedStore(random, (rule) => this.failures.push(new Error(rule)));
  }

  /** Plays the schedule, and goes on in calm until `isDone`. @returns whether it ever was */
  async play(isDone: () => boolean): Promise<boolean> {
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

  #begin(): void {
    const { everyMs } = this.#schedule;
    const worker = new ModelWorker({
      name: `w${this.#begun++}`,
      monitor: OPTIONS,
      idleMs: IDLE_MS,
      everyMs,
      broker: this.#broker,
      store: this.#store,
      sums: this.#sums,
      random: this.#random,
      given: this.given,
      failed: (error) => this.failures.push(error),
    });
    this.#workers.push(worker);
    this.#alive.add(worker);
    worker.start().catch((error) => this.failures.push(error));
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
        this.#kill(this.#take(deed.who));
        setTimeout(() => this.#begin(), AGAIN_MS);
        return NOTHING;
      case 'leave':
        if (this.#workers.length > 1) void this.#leave(this.#take(deed.who));
        return NOTHING;
      case 'pause':
        return this.#worker(deed.who).pause();
      case 'clock':
        return stepped(this.#worker(deed.who), deed.stepMs);
      case 'cut':
        return this.#cut(deed);
      case 'store':
        return this.#store.break(deed.fault);
      case 'silence':
        return this.#silence(deed.of);
      case 'transaction':
        return this.#hang(deed.of);
    }
  }

  #cut({ to, way, who }: Extract<Deed, { what: 'cut' }>): () => void {
    const workers = who === 'all' ? [...this.#workers] : [this.#worker(who)];
    const cables = workers.flatMap(({ toBroker, toStore }) =>
      to === 'both' ? [toBroker, toStore] : [to === 'broker' ? toBroker : toStore],
    );
    const mends = cables.map((cable) => (way === 'told' ? cable.refuse() : cable.cut(way)));
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
  #worker(who: number): ModelWorker {
    if (this.#workers.length === 0) this.#begin();
    return this.#workers[who % this.#workers.length]!;
  }

  #take(who: number): ModelWorker {
    const worker = this.#worker(who);
    this.#workers = this.#workers.filter((other) => other !== worker);
    return worker;
  }

  #kill(worker: ModelWorker): void {
    this.#alive.delete(worker);
    worker.kill();
  }

  async #leave(worker: ModelWorker): Promise<void> {
    await worker.stop();
    this.#kill(worker);
  }
}

function stepped(worker: ModelWorker, stepMs: number): () => void {
  worker.clockOff += stepMs;
  return () => {
    worker.clockOff -= stepMs;
  };
}

const NOTHING = () => {};
