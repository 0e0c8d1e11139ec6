import { NEVER, type Observable, Subject } from 'rxjs';
import { needsScale } from '../../estimators/rules/needs.js';
import { type Swept, sweepIds } from '../id-tables.js';
import { NOTHING_READ } from '../panes/fold.js';
import { type PaneRecordHead, PaneRecordWriter } from '../panes/pane-record.js';
import { shownReach } from '../panes/shown-reach.js';
import type { RecordBatch, TopicRole } from '../ports.js';
import { runSliced, type Turns } from '../sliced.js';
import type { ClosedPane } from '../tick/closed-pane.js';
import { sampleLevel } from '../tick/sample-limits.js';
import type { Stepped } from '../tick-host.js';
import type { Ticks } from '../ticks.js';
import type { AppliedBatch, Ingest } from './ingest.js';

/** How long closing one pane took on the reading thread. */
interface Closing {
  /** Total duration including yields, ms. */
  ms: number;
  /** Longest time without a yield, ms. */
  longest: number;
}

/**
 * Closes panes one after another, in slices between the work of ingestion, as far as the watermark
 * allows, and passes their content to the ticks. Ingestion continues meanwhile until a second pane
 * could close.
 */
export class PaneCloser implements Closer {
  readonly panes$ = new Subject<TimedPane>();
  readonly swept$ = new Subject<Swept>();
  readonly #ingest: Ingest;
  readonly #ticks: Ticks;
  readonly #turns: Turns;
  readonly #now: () => number;
  readonly #writer = new PaneRecordWriter();
  readonly #closings = new Map<number, Closing>();
  #heldRows = 0;
  #running: Promise<void> | undefined;
  #stopped = false;
  #isHeld = false;
  /**
   * End of the queue of work that must not overlap: closing a pane, saving a partition, sweeping
   * ids.
   */
  #last: Promise<unknown> = Promise.resolve();
  /** Resolves when the ticks after the newest closed pane have ended. */
  #ticking: Promise<void> = Promise.resolve();
  /** Resolves when the ticks after the closed pane before the newest one have ended. */
  #tickingBefore: Promise<void> = Promise.resolve();

  /** @param now wall clock, ms */
  constructor(
    ingest: Ingest,
    ticks: Ticks,
    { turns, now }: { readonly turns: Turns; readonly now: () => number },
  ) {
    this.#now = now;
    this.#ingest = ingest;
    this.#ticks = ticks;
    this.#turns = turns;
  }

  /** Always undefined, since no panes topic is written here. */
  readonly trouble = undefined;
  readonly roomy$ = NEVER;
  readonly waitsForPanes = false;

  /**
   * Start closing and ticking the panes of these partitions. To be called after they are restored
   * and before their first batch.
   *
   * @param kept by partition: stored rows from which the ticks continue; undefined if they start
   *   from the beginning of the partition
   */
  async begin(kept: ReadonlyMap<number, Uint8Array | undefined>): Promise<void> {
    const { monitor } = this.#ingest;
    await this.#ticks.begin();
    for (const [number, rows] of kept) {
      monitor.partitions.of(number).state.closed.hollow();
      await this.#ticks.restore(number, rows);
    }
    if (this.#isHeld) return;
    await this.#ticks.passThrough(monitor.partitions.closedThrough);
    await this.#passReach(monitor.partitions.closedThrough);
    // The ticks compute the newest pane once more themselves.
    monitor.partitions.isTickDue = false;
    this.#tick();
  }

  get heldRows(): number {
    return this.#heldRows;
  }

  applying(work: () => Promise<AppliedBatch>): Promise<AppliedBatch> {
    return work();
  }

  room({ offsets }: Pick<RecordBatch, 'offsets'>): number {
    return offsets.length;
  }

  /**
   * Put closing on hold, since other processes have some of the partitions. To be called before
   * `begin`.
   */
  hold(): void {
    this.#isHeld = true;
  }

  /** Whether a pane would close if closing were not on hold. */
  get holdsPane(): boolean {
    return this.#isHeld && this.#ingest.monitor.closable() !== undefined;
  }

  async poke(): Promise<void> {
    if (this.#isHeld) return;
    const wasRunning = this.#running !== undefined;
    this.#running ??= this.#ended(this.#run(false));
    if (wasRunning && this.#ingest.monitor.closable() !== undefined) {
      await this.#running;
    }
    // A failure must not pass unseen because nobody waited for it.
    else {
      this.#running.catch((error: unknown) => this.panes$.error(error));
    }
  }

  async #ended(round: Promise<void>): Promise<void> {
    try {
      await round;
    } finally {
      this.#running = undefined;
    }
    // A pane may have become due since the round last looked.
    if (!this.#stopped && this.#ingest.monitor.closable() !== undefined) {
      void this.poke();
    }
  }

  /** Close all panes up to the newest event, and tick them. */
  async flush(): Promise<void> {
    await this.#running;
    await this.#run(true);
    await this.#ticking;
  }

  /**
   * Run work that saves a partition, but only while all partitions are at the same pane. After a
   * restart, a partition that was restored from an older checkpoint is recognised only by being at
   * an earlier pane.
   */
  atRest<T>(_partition: number, work: () => Promise<T>): Promise<T | undefined> {
    return this.#between(async () => {
      if (this.#ingest.monitor.partitions.isCatchingUp) return undefined;
      // Wait until the ticks have everything that was closed here.
      await this.#ticking;
      return work();
    });
  }

  #between<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Stop after the pane that is being closed and its tick. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    await this.#ticking.catch(() => {});
    this.panes$.complete();
  }

  async #run(flush: boolean): Promise<void> {
    for (;;) {
      // One pane may close while the one before it is ticked.
      await this.#tickingBefore;
      const pane = this.#stopped ? undefined : this.#ingest.monitor.closable(flush);
      if (pane === undefined) return;
      await this.#between(() => this.#close(pane));
      if (this.#stopped) continue;
      const atRest = (work: () => Promise<void>) => this.#between(work);
      await sweepIds(this.#ingest, this.#turns, atRest, (swept) => this.swept$.next(swept));
    }
  }

  async #close(pane: number): Promise<void> {
    const { monitor } = this.#ingest;
    const start = this.#turns.now();
    const closing: Closing = {
      ms: 0,
      longest: 0,
    };
    this.#closings.set(pane, closing);
    const before = new Map(
      [...monitor.partitions.entries()].map(([number, { closedThrough }]) => [
        number,
        closedThrough,
      ]),
    );
    const onSlice = (ms: number) => {
      closing.longest = Math.max(closing.longest, ms);
    };
    const contents = await runSliced(monitor.closePane(pane), this.#turns, onSlice);
    if (!monitor.partitions.isCatchingUp) {
      await this.#passReach(pane, onSlice);
    }
    for (const [number, content] of contents) {
      const head = this.#headOf(number, pane, before.get(number)!);
      const writing = this.#writer.write(head, content, this.#ingest.tablesOf(number));
      const record = await runSliced(writing, this.#turns, onSlice);
      this.#asked(this.#ticks.add(number, record));
      monitor.partitions.of(number).state.closed.hollow();
    }
    closing.ms = this.#turns.now() - start;
    this.#tick();
  }

  /**
   * Head of a pane's record for the ticks of this process. Offsets are left out, because these
   * records arrive in order.
   */
  #headOf(number: number, pane: number, after: number): PaneRecordHead {
    const { watermarks, partitions } = this.#ingest.monitor;
    const { tickMs } = partitions.options;
    // Events after the end of the pane do not count here.
    const last = (pane + 1) * tickMs - 1;
    const newest = (role: TopicRole) => Math.min(last, watermarks.newest(role, number));
    return {
      after,
      pane,
      through: pane,
      from: NOTHING_READ,
      to: NOTHING_READ,
      partitions: 0,
      tickMs,
      rules: '',
      behindMs: this.#now() - (pane + 1) * tickMs,
      isEmpty: false,
      outcomes: {
        exposures: {},
        interactions: {},
      },
      newest: {
        exposures: newest('exposures'),
        interactions: newest('interactions'),
      },
    };
  }

  /** Pass to the ticks how many users the shown lists reached, if estimates need it. */
  async #passReach(pane: number, onSlice?: (ms: number) => void): Promise<void> {
    const { partitions } = this.#ingest.monitor;
    const { options } = partitions;
    if (!needsScale(options.estimates) || !Number.isFinite(pane)) return;
    const all = [...partitions.entries()];
    const levels = all.map(([, { state }]) => sampleLevel(state.closed, pane, options));
    const level = Math.max(0, ...levels);
    for (const [number, { state }] of all) {
      const from = {
        state,
        items: this.#ingest.tablesOf(number).items,
      };
      const counting = shownReach(pane, level, from, options);
      const reach = await runSliced(counting, this.#turns, onSlice);
      this.#asked(this.#ticks.addReach(number, reach));
    }
  }

  /** Start the ticks that are due, after the current ones have ended. */
  #tick(): void {
    const before = this.#ticking;
    this.#tickingBefore = before;
    this.#ticking = before.then(() => this.#steps());
    this.#asked(this.#ticking);
  }

  /** Report an error of work that is not awaited as an error of `panes$`. */
  #asked(work: Promise<void>): void {
    work.catch((error: unknown) => this.panes$.error(error));
  }

  async #steps(): Promise<void> {
    for (;;) {
      const stepped = await this.#ticks.step();
      this.#heldRows = stepped.held.rows;
      for (const swept of stepped.swept) {
        this.swept$.next(swept);
      }
      if (stepped.done.kind === 'wait') return;
      this.#publish(stepped);
    }
  }

  #publish({ done, seconds }: Stepped): void {
    if (done.kind !== 'ticked') return;
    const { ms, longest } = this.#closings.get(done.pane) ?? {
      ms: 0,
      longest: 0,
    };
    for (const pane of this.#closings.keys()) {
      if (pane <= done.pane) {
        this.#closings.delete(pane);
      }
    }
    this.panes$.next({
      ...done.closed,
      seconds: ms / 1000 + seconds,
      longestSliceSeconds: longest / 1000,
    });
  }
}

/** A closed and ticked pane, with the time that this took. */
export interface TimedPane extends ClosedPane {
  /** Duration of closing and ticking including yields, s. */
  readonly seconds: number;
  /**
   * Longest time for which closing blocked the reading thread, s; undefined if other processes
   * read.
   */
  readonly longestSliceSeconds?: number | undefined;
}

/** Closes panes while events are read, and pauses while a partition is saved. */
export interface Closer {
  readonly panes$: Observable<TimedPane>;
  /** Results of the sweeps that remove unreferenced ids. */
  readonly swept$: Observable<Swept>;
  /** Why the panes topic fails; undefined while it works. */
  readonly trouble: string | undefined;
  /** Emits when a batch that had to wait may be applied. */
  readonly roomy$: Observable<unknown>;
  /** Number of rows stored by the ticks. */
  readonly heldRows: number;
  /** Whether a partition can be saved only at the close of a pane. */
  readonly waitsForPanes: boolean;
  /** Run work that applies events. */
  applying(work: () => Promise<AppliedBatch>): Promise<AppliedBatch>;
  /**
   * Close the panes that are due; call this when the watermark may have advanced. Resolves when the
   * next batch may be applied.
   */
  poke(): Promise<void>;
  /**
   * Run work that saves a partition, while none of its panes is closing. The work must not wait for
   * a pane.
   *
   * @returns the result of the work; undefined if the partition cannot be saved at the moment
   */
  atRest<T>(partition: number, work: () => Promise<T>): Promise<T | undefined>;
  /** Number of leading records of a batch that may be applied now. */
  room(batch: Pick<RecordBatch, 'role' | 'partition' | 'offsets'>): number;
  /** Stop after the panes that are being closed. */
  stop(): Promise<void>;
}
