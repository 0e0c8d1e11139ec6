import { NEVER, type Observable, Subject } from 'rxjs';
import { type Swept, type SweptIds, sweepIds } from '../id-tables.js';
import type { Monitor } from '../panes/monitor.js';
import type { RecordBatch } from '../ports.js';
import { runSliced, type Turns } from '../sliced.js';
import type { ClosedPane } from '../tick/closed-pane.js';
import type { Lookup } from '../tick/lookup.js';
import type { AppliedBatch } from './ingest.js';

/** The ids of the panes that close here. */
export interface ClosedIds extends SweptIds {
  readonly lookup?: Lookup;
}

/**
 * Closes panes off the ingest path: one after another, in slices, for as long as the watermark
 * allows. Ingestion goes on meanwhile, but at most into one closable pane ahead.
 */
export class PaneCloser implements Closer {
  readonly panes$ = new Subject<TimedPane>();
  readonly swept$ = new Subject<Swept>();
  readonly #monitor: Monitor;
  readonly #turns: Turns;
  readonly #ids: ClosedIds | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;
  #isHeld = false;
  /** Panes, and what must not meet a closing pane, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param ids tables that are swept after panes, if they are due */
  constructor(monitor: Monitor, turns: Turns, ids?: ClosedIds) {
    this.#monitor = monitor;
    this.#turns = turns;
    this.#ids = ids;
  }

  get lookup(): Lookup | undefined {
    return this.#ids?.lookup;
  }

  /** Closing here asks nobody. */
  readonly trouble = undefined;
  readonly roomy$ = NEVER;
  readonly waitsForPanes = false;

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
    return this.#isHeld && this.#monitor.closable() !== undefined;
  }

  async poke(): Promise<void> {
    if (this.#isHeld) return;
    const wasRunning = this.#running !== undefined;
    this.#running ??= this.#ended(this.#run(false));
    if (wasRunning && this.#monitor.closable() !== undefined) {
      await this.#running;
    }
    // A failed tick must not pass unseen because nobody waited for it.
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
    if (!this.#stopped && this.#monitor.closable() !== undefined) {
      void this.poke();
    }
  }

  /** Closes everything up to the newest event. */
  async flush(): Promise<void> {
    await this.#running;
    await this.#run(true);
  }

  /**
   * Only its pane distinguishes a partition whose panes were ticked before it came back from others:
   * as long as there is one, what is kept of all of them stays.
   */
  atRest<T>(_partition: number, work: () => Promise<T>): Promise<T | undefined> {
    return this.#between(async () => (this.#monitor.partitions.isCatchingUp ? undefined : work()));
  }

  #between<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Ends after the pane that is being closed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    this.panes$.complete();
  }

  async #run(flush: boolean): Promise<void> {
    for (;;) {
      const pane = this.#stopped ? undefined : this.#monitor.closable(flush);
      if (pane === undefined) return;
      await this.#between(() => this.#close(pane));
      if (this.#ids === undefined || this.#stopped) continue;
      const atRest = (work: () => Promise<void>) => this.#between(work);
      await sweepIds(this.#ids, this.#turns, atRest, (swept) => this.swept$.next(swept));
    }
  }

  async #close(pane: number): Promise<void> {
    const start = this.#turns.now();
    let longest = 0;
    const closed = await runSliced(this.#monitor.close(pane), this.#turns, (ms) => {
      if (ms > longest) {
        longest = ms;
      }
    });
    if (closed === undefined) return;
    const seconds = (this.#turns.now() - start) / 1000;
    this.panes$.next({
      ...closed,
      seconds,
      longestSliceSeconds: longest / 1000,
    });
  }
}

export interface TimedPane extends ClosedPane {
  /** How long closing and ticking took in all, turns of others included, s. */
  readonly seconds: number;
  /** The longest stretch for which it held the thread, s. */
  readonly longestSliceSeconds: number;
}

/** Closes panes beside the ingestion, and leaves them at rest for as long as one is kept. */
export interface Closer {
  readonly panes$: Observable<TimedPane>;
  /** What was done to forget ids. */
  readonly swept$: Observable<Swept>;
  /** Of the panes that are closed; undefined where another worker has them, or none is here yet. */
  readonly lookup: Lookup | undefined;
  /** Why the panes topic does not do what it is asked; undefined while it does. */
  readonly trouble: string | undefined;
  /** There may be room again for batches that had none. */
  readonly roomy$: Observable<unknown>;
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
