import { firstValueFrom, race, Subject, timer } from 'rxjs';
import { UnskewError } from '../../errors.js';
import { type Swept, sweepIds } from '../id-tables.js';
import type { Ingest } from '../ingest.js';
import type { Lookup } from '../lookup.js';
import type { MonitorOptions } from '../options.js';
import type { Closer, TimedPane } from '../pane-closer.js';
import type {
  CheckpointStore,
  ConcludedPanes,
  PaneExchange,
  PartitionPanes,
  TopicRole,
} from '../ports.js';
import type { Turns } from '../sliced.js';
import { PaneEvaluator } from './pane-evaluator.js';
import { PartitionPublisher } from './partition-publisher.js';

export interface SharedCloserOptions {
  readonly monitor: MonitorOptions;
  readonly topics: Readonly<Record<TopicRole, string>>;
  readonly exchange: PaneExchange;
  readonly store: Pick<CheckpointStore, 'load'>;
  readonly turns: Turns;
  /** Partitions of this process, and how many there are in all. */
  readonly partitions: readonly number[];
  readonly count: number;
  /** The epoch that a partition is held under; undefined where it is held no more. */
  readonly epochOf: (partition: number) => Promise<number | undefined>;
  /** Partitions that are as far ahead as they may be: their records are not wanted for now. */
  readonly holdBack: (partitions: readonly number[]) => void;
  readonly written: () => Promise<void>;
}

/** How often others are looked at, ms. */
const POLL_MS = 100;
/** How long a partition's panes may stay open because it waits to be kept, ms. */
const REST_MS = 10_000;
/** How long the last panes may take to be concluded when the process stops, ms. */
const STOP_MS = 1_500;
/** Whose owner evaluates. */
const FIRST = 0;
const NOTHING_LEARNED = { gamma: null, drift: null, ticked: Number.NEGATIVE_INFINITY };

/**
 * Closes the panes of this process where other processes hold other partitions. Each partition
 * closes by its own time and its records are published; the worker with partition 0 concludes the
 * panes that all have closed. So partitions run ahead of each other, but a partition is kept only
 * where its panes are concluded: what is kept of it never holds more than what was made of it.
 */
export class SharedCloser implements Closer {
  readonly panes$ = new Subject<TimedPane>();
  readonly swept$ = new Subject<Swept>();
  readonly #options: SharedCloserOptions;
  readonly #ingest: Ingest;
  readonly #publishers = new Map<number, PartitionPublisher>();
  readonly #evaluator: PaneEvaluator | undefined;
  /** Through which pane each partition was kept last. */
  readonly #keptThrough = new Map<number, number>();
  readonly #wake = new Subject<void>();
  readonly #running: Promise<void>[] = [];
  #view: readonly (PartitionPanes | undefined)[] = [];
  #concluded: ConcludedPanes | undefined;
  #heldBack = '';
  #isStopping = false;
  #isStopped = false;
  #trouble: Error | undefined;
  /** Panes, and what must not meet a closing pane, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** To be made when the partitions are restored. */
  constructor(ingest: Ingest, options: SharedCloserOptions) {
    const { monitor, partitions, count, exchange, turns } = options;
    this.#ingest = ingest;
    this.#options = options;
    for (const partition of partitions) {
      const made = new PartitionPublisher(partition, ingest, monitor.tickMs, exchange, turns);
      this.#publishers.set(partition, made);
      this.#keptThrough.set(partition, made.closedThrough);
    }
    if (!partitions.includes(FIRST)) return;
    this.#evaluator = new PaneEvaluator({ ...options, partitions: count });
    this.#evaluator.panes$.subscribe((pane) => this.panes$.next(pane));
    this.#evaluator.swept$.subscribe((swept) => this.swept$.next(swept));
  }

  /** Why the exchange did not do what it was last asked for. */
  get trouble(): string | undefined {
    if (this.#trouble) return this.#trouble.message;
    const lost = this.#lost;
    if (lost.length === 0) return undefined;
    return `another worker has taken ${lost.map(({ partition }) => partition).join(', ')}`;
  }

  get isFenced(): boolean {
    return this.#lost.length > 0;
  }

  get #lost(): readonly PartitionPublisher[] {
    return [...this.#publishers.values()].filter(({ isLost }) => isLost);
  }

  /** Of the panes of all partitions; undefined where another worker has them. */
  get lookup(): Lookup | undefined {
    return this.#evaluator?.lookup;
  }

  start(): void {
    this.#running.push(this.#repeat(() => this.publish()));
    if (this.#evaluator) this.#running.push(this.#repeat(() => this.evaluate()));
  }

  async poke(): Promise<void> {
    const all = [...this.#publishers.values()];
    if (all.some((each) => each.closable(this.#watermarkOf(each)) !== undefined)) this.#wake.next();
  }

  regain(): void {
    for (const publisher of this.#publishers.values()) publisher.isLost = false;
  }

  async atRest<T>(partition: number, work: () => Promise<T>): Promise<T | undefined> {
    const publisher = this.#publishers.get(partition);
    if (publisher === undefined || publisher.isLost) return undefined;
    publisher.isFrozen = true;
    const { now } = this.#options.turns;
    try {
      for (const end = now() + REST_MS; ; ) {
        const isDone = await this.#between(async () => {
          if (!this.#isConcluded(publisher)) return undefined;
          const { gamma, drift, ...more } = this.#concluded ?? NOTHING_LEARNED;
          const known = { gamma: gamma ?? undefined, drift: drift ?? undefined };
          this.#ingest.monitor.partitions.learned.resume({ ...known, ...more });
          return { result: await work() };
        });
        if (isDone) return isDone.result;
        if (this.#isStopped || publisher.isLost || now() > end) return undefined;
        await firstValueFrom(timer(POLL_MS / 5));
      }
    } finally {
      publisher.isFrozen = this.#isStopping;
      this.#wake.next();
    }
  }

  async kept(partition: number, closedThrough: number): Promise<void> {
    // The records since the one before stay, for a worker that has to fall back on it.
    const before = this.#keptThrough.get(partition);
    this.#keptThrough.set(partition, closedThrough);
    if (before === undefined || before === Number.NEGATIVE_INFINITY) return;
    const publisher = this.#publishers.get(partition);
    if (publisher) publisher.keptThrough = before;
    await this.#tried(async () => {
      const epoch = await this.#options.epochOf(partition);
      if (epoch !== undefined) await this.#options.exchange.trim(partition, epoch, before);
      return false;
    });
  }

  /** What is closed has a while to be concluded, so that it can be kept. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const publisher of this.#publishers.values()) publisher.isFrozen = true;
    const { now } = this.#options.turns;
    const all = [...this.#publishers.values()];
    const end = now() + STOP_MS;
    while (this.#running.length > 0 && now() < end) {
      if (this.#trouble || all.every((publisher) => this.#isConcluded(publisher))) break;
      await firstValueFrom(timer(POLL_MS / 5));
    }
    this.#isStopped = true;
    this.#wake.next();
    await Promise.all(this.#running);
    await this.#last;
    this.#options.holdBack([]);
    this.panes$.complete();
  }

  /** One round of closing and publishing; @returns whether there was anything to do. */
  async publish(): Promise<boolean> {
    const { exchange, count, epochOf } = this.#options;
    [this.#view, this.#concluded] = await Promise.all([
      exchange.progress(count),
      exchange.concluded(),
    ]);
    this.#evaluator?.compare(this.#concluded);
    let isBusy = false;
    for (const publisher of this.#publishers.values()) {
      publisher.forget(this.#concluded?.through ?? Number.NEGATIVE_INFINITY);
      publisher.compare(this.#view[publisher.partition]);
      const watermark = this.#watermarkOf(publisher);
      await this.#close(publisher, watermark);
      const epoch = await epochOf(publisher.partition);
      if (epoch !== undefined && (await publisher.publish(epoch))) isBusy = true;
    }
    this.#holdBackThoseAhead();
    return isBusy;
  }

  /** One step of the evaluation, where partition 0 is here; @returns whether there was any. */
  async evaluate(): Promise<boolean> {
    const epoch = await this.#options.epochOf(FIRST);
    const first = this.#publishers.get(FIRST)!;
    if (epoch === undefined || first.isLost) return false;
    const outcome = await this.#evaluator!.step(epoch);
    if (outcome === 'fenced') first.isLost = true;
    return outcome === 'moved';
  }

  async #close(publisher: PartitionPublisher, watermark: number): Promise<void> {
    for (;;) {
      const isClosed = await this.#between(async () => {
        const pane = publisher.closable(watermark);
        if (pane === undefined) publisher.pass(watermark);
        else await publisher.close(pane);
        return pane !== undefined;
      });
      if (!isClosed) return;
      const atRest = (work: () => Promise<void>) => this.#between(work);
      await sweepIds(this.#ingest, this.#options.turns, atRest, (one) => this.swept$.next(one));
    }
  }

  /**
   * A partition that is idle goes with those that are not, wherever they are, but no further than
   * it is known to be read.
   */
  #watermarkOf({ partition }: PartitionPublisher): number {
    const { watermarks } = this.#ingest.monitor;
    const own = watermarks.ofPartition(partition);
    if (!own.isIdle) return own.watermark;
    let least = Number.POSITIVE_INFINITY;
    let newest = own.newest;
    for (let other = 0; other < this.#options.count; other++) {
      const there = this.#publishers.has(other) ? watermarks.ofPartition(other) : this.#view[other];
      if (there === undefined) return Number.NEGATIVE_INFINITY;
      newest = Math.max(newest, there.newest);
      if (!there.isIdle) least = Math.min(least, there.watermark);
    }
    const { tickMs } = this.#options.monitor;
    if (least === Number.POSITIVE_INFINITY) least = (Math.floor(newest / tickMs) + 1) * tickMs;
    return Math.min(own.watermark, least);
  }

  #isConcluded(publisher: PartitionPublisher): boolean {
    return (this.#concluded?.through ?? Number.NEGATIVE_INFINITY) >= publisher.closedThrough;
  }

  #holdBackThoseAhead(): void {
    const ahead = [...this.#publishers.values()].filter(({ isAhead }) => isAhead);
    const partitions = ahead.map(({ partition }) => partition);
    if (partitions.join() === this.#heldBack) return;
    this.#heldBack = partitions.join();
    this.#options.holdBack(partitions);
  }

  #between<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #repeat(round: () => Promise<boolean>): Promise<void> {
    try {
      while (!this.#isStopped) {
        const isBusy = await this.#tried(round);
        if (!isBusy) await firstValueFrom(race(timer(POLL_MS), this.#wake));
      }
    } catch (error) {
      this.panes$.error(error);
    }
  }

  /** What the exchange cannot do now is done when it is back. */
  async #tried(round: () => Promise<boolean>): Promise<boolean> {
    try {
      const isBusy = await round();
      this.#trouble = undefined;
      return isBusy;
    } catch (error) {
      if (!(error instanceof UnskewError) || error.code !== 'STATE') throw error;
      this.#trouble = error;
      return false;
    }
  }
}
