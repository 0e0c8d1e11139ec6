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

/** Time that closing a pane took of this thread. */
interface Closing {
  /** In all, turns of others included, ms. */
  ms: number;
  /** The longest stretch for which it held the thread, ms. */
  longest: number;
}

/**
 * Close panes beside ingestion, one after another and in slices, as far as the watermark allows,
 * and pass their content to the tick. Ingestion runs ahead by at most one pane that could close.
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
  /** Panes, and what must not meet a closing pane, one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  /** The steps that the ticks take, and those of the pane before the newest. */
  #ticking: Promise<void> = Promise.resolve();
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

  /** Closing here asks nobody. */
  readonly trouble = undefined;
  readonly roomy$ = NEVER;
  readonly waitsForPanes = false;

  /**
   * Begins with these partitions, when they are restored here and before their first batch.
   *
   * @param kept what those who tick go on from, by partition; undefined: from its beginning
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
    // Their newest pane is ticked once more by those who tick.
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

  /** Closes nothing, since others have some of the partitions. To be called before any. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Whether there is a pane that would close if nothing was held. */
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
    // A pane may have become due after the round had found no other.
    if (!this.#stopped && this.#ingest.monitor.closable() !== undefined) {
      void this.poke();
    }
  }

  /** Closes everything up to the newest event, and ticks. */
  async flush(): Promise<void> {
    await this.#running;
    await this.#run(true);
    await this.#ticking;
  }

  /**
   * Only its pane distinguishes a partition whose panes were ticked before it came back from others:
   * as long as there is one, what is kept of all of them stays.
   */
  atRest<T>(_partition: number, work: () => Promise<T>): Promise<T | undefined> {
    return this.#between(async () => {
      if (this.#ingest.monitor.partitions.isCatchingUp) return undefined;
      // Those who tick have what is here when they have taken it in.
      await this.#ticking;
      return work();
    });
  }

  #between<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Ends after the pane that is being closed, and its tick. */
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

  /** Offsets say nothing here: the records come in the order in which they are made. */
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

  /** Passes on whom lists reached, as long as anybody asks for it. */
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

  /** Lets the ticks take the steps that are due, after those under way. */
  #tick(): void {
    const before = this.#ticking;
    this.#tickingBefore = before;
    this.#ticking = before.then(() => this.#steps());
    this.#asked(this.#ticking);
  }

  /** What nobody waits for ends the flow where it fails. */
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

export interface TimedPane extends ClosedPane {
  /** How long closing and ticking took in all, turns of others included, s. */
  readonly seconds: number;
  /** The longest stretch for which closing held the thread that reads, s; undefined where others read. */
  readonly longestSliceSeconds?: number | undefined;
}

/** Closes panes beside the ingestion, and leaves them at rest for as long as one is kept. */
export interface Closer {
  readonly panes$: Observable<TimedPane>;
  /** What was done to forget ids. */
  readonly swept$: Observable<Swept>;
  /** Why the panes topic does not do what it is asked; undefined while it does. */
  readonly trouble: string | undefined;
  /** There may be room again for batches that had none. */
  readonly roomy$: Observable<unknown>;
  /** Rows that the thread which ticks holds. */
  readonly heldRows: number;
  /** Whether a partition can be kept only where a pane closes. */
  readonly waitsForPanes: boolean;
  /** Runs what takes events in. */
  applying(work: () => Promise<AppliedBatch>): Promise<AppliedBatch>;
  /** To be called when the watermark may have moved. Resolves when there is room for more. */
  poke(): Promise<void>;
  /**
   * Runs work while a partition can be kept and none of its panes is closing; undefined where it
   * cannot be kept for now. Nothing must wait for a pane within it.
   */
  atRest<T>(partition: number, work: () => Promise<T>): Promise<T | undefined>;
  /** How many of the first records of a batch may be applied now. */
  room(batch: Pick<RecordBatch, 'role' | 'partition' | 'offsets'>): number;
  /** Ends after the panes that are being closed. */
  stop(): Promise<void>;
}
