import { Subject } from 'rxjs';
import { type CheckpointHead, checkHead, newestCheckpoint } from '../checkpoint/checkpoint.js';
import { type Swept, sweepIds } from '../id-tables.js';
import type { Lookup } from '../lookup.js';
import type { MonitorOptions } from '../options.js';
import type { TimedPane } from '../pane-closer.js';
import type { CheckpointStore, ConcludedPanes, PaneExchange, PartitionPanes } from '../ports.js';
import { runSliced, type Turns } from '../sliced.js';
import { stateSettings } from '../state-settings.js';
import { MergedPanes } from './merged-panes.js';
import type { PartitionReplica } from './partition-replica.js';

export interface PaneEvaluatorOptions {
  readonly monitor: MonitorOptions;
  readonly topics: CheckpointHead['topics'];
  /** How many partitions there are, in all workers. */
  readonly partitions: number;
  readonly exchange: PaneExchange;
  readonly store: Pick<CheckpointStore, 'load'>;
  readonly turns: Turns;
  /** Resolves when what was made of a pane is where it must not get lost. */
  readonly written: () => Promise<void>;
}

/**
 * Concludes the panes that all workers have closed: takes their records, ticks, and notes how
 * far it has come once what it made is written. The next evaluator starts from that note and from
 * the checkpoints, so at most the pane at the note is given twice.
 */
export class PaneEvaluator {
  readonly panes$ = new Subject<TimedPane>();
  readonly swept$ = new Subject<Swept>();
  readonly #options: PaneEvaluatorOptions;
  #merged: MergedPanes | undefined;
  /** What was noted last. */
  #noted: ConcludedPanes | undefined;

  constructor(options: PaneEvaluatorOptions) {
    this.#options = options;
  }

  /** Undefined before there are panes. */
  get lookup(): Lookup | undefined {
    return this.#merged?.lookup;
  }

  /**
   * Takes the next step there is.
   *
   * @param epoch that of partition 0
   * @returns `idle`: nothing to do for now; `fenced`: another worker evaluates
   */
  async step(epoch: number): Promise<'moved' | 'idle' | 'fenced'> {
    this.#merged ??= await this.#load();
    const merged = this.#merged;
    // Where the exchange was away it has yet to learn of the pane before.
    if ((await this.#note(merged, epoch)) === 'fenced') return this.#fenced();
    if (!merged.isDue && !(await this.#fetch(merged))) return 'idle';
    if (merged.isDue) await this.#conclude(merged);
    return (await this.#note(merged, epoch)) === 'fenced' ? this.#fenced() : 'moved';
  }

  /** Takes what the exchange has: what it had and has no more is noted again. */
  compare(there: ConcludedPanes | undefined): void {
    const { through = Number.NEGATIVE_INFINITY } = this.#noted ?? {};
    if ((there?.through ?? Number.NEGATIVE_INFINITY) < through) this.#noted = undefined;
  }

  /** Another one may have come further: should the partition come back, its note is where to begin. */
  #fenced(): 'fenced' {
    this.#merged = undefined;
    this.#noted = undefined;
    return 'fenced';
  }

  async #conclude(merged: MergedPanes): Promise<void> {
    const { turns, written } = this.#options;
    const start = turns.now();
    let longest = 0;
    const closed = await runSliced(merged.conclude(), turns, (ms) => {
      if (ms > longest) longest = ms;
    });
    if (closed === undefined) return;
    const seconds = (turns.now() - start) / 1000;
    this.panes$.next({ ...closed, seconds, longestSliceSeconds: longest / 1000 });
    await written();
    // Steps follow each other: nothing else is under way.
    const atRest = (work: () => Promise<void>) => work();
    await sweepIds(merged, turns, atRest, (swept) => this.swept$.next(swept));
  }

  /** Noted only now that it is written; again and again where the exchange is away. */
  async #note(merged: MergedPanes, epoch: number): Promise<'moved' | 'fenced'> {
    const { concluded } = merged;
    const isNew = concluded !== this.#noted && concluded.through !== Number.NEGATIVE_INFINITY;
    if (!isNew) return 'moved';
    const outcome = await this.#options.exchange.conclude(epoch, concluded);
    if (outcome === 'fenced') return 'fenced';
    this.#noted = concluded;
    return 'moved';
  }

  async #load(): Promise<MergedPanes> {
    const { monitor, topics, partitions, exchange, store, turns } = this.#options;
    const checkpoints = [];
    for (let partition = 0; partition < partitions; partition++) {
      const kept = store.load(partition)[Symbol.asyncIterator]();
      const opened = await newestCheckpoint(partition, () => kept.next(), turns);
      if (opened) checkHead(opened, { partition, topics, settings: stateSettings(monitor) });
      checkpoints.push(opened);
    }
    // The note last, so that it is not older than a checkpoint.
    const concluded = await exchange.concluded();
    return runSliced(MergedPanes.from(monitor, checkpoints, concluded), turns);
  }

  /** @returns whether there is a pane to conclude now */
  async #fetch(merged: MergedPanes): Promise<boolean> {
    const { exchange, partitions } = this.#options;
    const progress = await exchange.progress(partitions);
    let everywhere = Number.POSITIVE_INFINITY;
    for (const [partition, there] of progress.entries()) {
      const replica = merged.replica(partition);
      if (there !== undefined && !(await this.#fetchRecords(partition, replica, there))) {
        // Its records went with a newer checkpoint than the one that this began with.
        this.#merged = undefined;
        return false;
      }
      const closed = there === undefined ? Number.NEGATIVE_INFINITY : replica.fetchedThrough;
      everywhere = Math.min(everywhere, closed);
    }
    merged.advanceTo(everywhere);
    return merged.isDue;
  }

  /** @returns false if records are gone that are not here yet */
  async #fetchRecords(
    partition: number,
    replica: PartitionReplica,
    { from, closed }: PartitionPanes,
  ): Promise<boolean> {
    if (from > replica.fetchedThrough) return false;
    if (closed <= replica.fetchedThrough) return true;
    const { exchange, turns } = this.#options;
    const records = await exchange.records(partition, replica.fetchedThrough, closed);
    if (records === undefined) return false;
    for (const { pane, bytes } of records) {
      if (pane > closed) break;
      await runSliced(replica.fetch(bytes), turns);
      replica.fetchedThrough = pane;
    }
    replica.fetchedThrough = closed;
    return true;
  }
}
