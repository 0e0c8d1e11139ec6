import type { Observable } from 'rxjs';
import type { Swept } from '../ingest/id-sweeps.js';
import type { ClosedPane } from './closed-pane.js';
import type { Lookup } from './lookup.js';

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
  /** Why other workers cannot be reached; undefined where they can, or there are none. */
  readonly trouble: string | undefined;
  /** To be called when the watermark may have moved. Resolves when there is room for more. */
  poke(): Promise<void>;
  /**
   * Runs work while a partition can be kept and none of its panes is closing; undefined where it
   * cannot be kept for now. Nothing must wait for a pane within it.
   */
  atRest<T>(partition: number, work: () => Promise<T>): Promise<T | undefined>;
  /** Tells that a partition is kept, with its panes closed through this one. */
  kept(partition: number, closedThrough: number): Promise<void>;
  /** Whether another worker has written to one of the partitions as its owner. */
  readonly isFenced: boolean;
  /** The partitions are held as before, under epochs that are yet to be taken. */
  regain(): void;
  /** Ends after the panes that are being closed. */
  stop(): Promise<void>;
}
