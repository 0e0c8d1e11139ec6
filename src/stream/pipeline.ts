import {
  concatMap,
  defer,
  filter,
  firstValueFrom,
  from,
  interval,
  type Observable,
  race,
  repeat,
  Subject,
  share,
  takeUntil,
  tap,
  timer,
} from 'rxjs';
import { UnskewError } from '../errors.js';
import type { Decoder } from '../events/decode.js';
import { Checkpointer, type CheckpointerOptions } from './checkpoint/checkpointer.js';
import type { Swept } from './ingest/id-sweeps.js';
import type { IdKind } from './ingest/id-tables.js';
import { type AppliedBatch, Ingest } from './ingest/ingest.js';
import type { MonitorOptions, SampleLimits } from './options.js';
import type {
  LogSource,
  PaneExchange,
  RecordBatch,
  SourceHandlers,
  StartPosition,
  TopicRole,
} from './ports.js';
import { runSliced, type Turns } from './sliced.js';
import type { Lookup } from './tick/lookup.js';
import { type Closer, PaneCloser, type TimedPane } from './tick/pane-closer.js';
import { SharedCloser } from './workers/shared-closer.js';

export interface PipelineOptions {
  readonly monitor: MonitorOptions;
  readonly decoder: Decoder;
  readonly topics: Readonly<Record<TopicRole, string>>;
  readonly start: StartPosition;
  /** A partition that is read to its end and silent for so long no longer holds time back. */
  readonly idleMs: number;
  readonly turns: Turns;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /** Without a store the log is read anew when the assignment changes. */
  readonly checkpoints?: Omit<CheckpointerOptions, 'turns' | 'now'> & {
    /** How long the last checkpoints may take when the process stops, ms. */
    readonly stopMs: number;
    /** Where other processes of the group leave their panes; without it each goes by itself. */
    readonly exchange?: PaneExchange;
  };
}

/** Records that the log no longer held when they were due. */
export interface Gap {
  readonly role: TopicRole;
  readonly partition: number;
  /** How many; 0 where the log was made anew, since then nobody knows. */
  readonly records: number;
}

interface Delivery {
  readonly batch: RecordBatch;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

/**
 * The live data flow, on one page:
 *
 *   source ─ batch ─▶ decode, apply ─▶ applied$
 *                          │ watermark
 *                          ▼
 *                     close, tick ──▶ panes$ ─▶ exporter, page, files
 *
 * A batch is acknowledged when it is applied and no more than one pane waits to be closed: that
 * is the backpressure, and the source passes it on to the broker.
 */
export class Pipeline {
  readonly applied$: Observable<AppliedBatch>;
  readonly panes$ = new Subject<TimedPane>();
  readonly swept$ = new Subject<Swept>();
  readonly state$ = new Subject<'connected' | 'disconnected'>();
  readonly gaps$ = new Subject<Gap>();
  /** Every change of assignment, with the partitions of this process. */
  readonly assigned$ = new Subject<readonly number[]>();
  readonly checkpointer: Checkpointer | undefined;

  readonly #source: LogSource;
  readonly #options: PipelineOptions;
  readonly #deliveries = new Subject<Delivery>();
  readonly #stopped = new Subject<void>();
  readonly #silentSince = new Map<string, number>();
  readonly #atEnd = new Set<string>();
  readonly #reachedEnd = new Set<string>();
  readonly #stopping = new AbortController();
  #partitions: readonly number[] = [];
  /** Those whose state is here: before it is, what is kept of a partition must not be replaced. */
  #restored: readonly number[] = [];
  #ingest!: Ingest;
  #closer!: Closer;
  /** How many partitions there are, whoever reads them. */
  #count = 0;

  constructor(source: LogSource, options: PipelineOptions) {
    this.#source = source;
    this.#options = options;
    const { checkpoints, turns, now } = options;
    this.checkpointer = checkpoints && new Checkpointer({ ...checkpoints, turns, now });
    this.checkpointer?.events$.subscribe(({ partition, next }) => {
      if (next !== undefined) source.commit?.(partition, next);
    });
    this.#restart();
    this.applied$ = this.#deliveries.pipe(
      concatMap((delivery) => this.#apply(delivery)),
      filter((applied) => applied !== undefined),
      takeUntil(this.#stopped),
      share(),
    );
  }

  async start(): Promise<void> {
    this.applied$.subscribe();
    interval(Math.max(50, Math.min(1000, this.#options.idleMs / 4)))
      .pipe(
        takeUntil(this.#stopped),
        tap(() => this.#noticeSilence()),
      )
      .subscribe();
    const { checkpointer } = this;
    if (checkpointer !== undefined) {
      defer(() => timer(checkpointer.pauseMs))
        .pipe(
          concatMap(() => from(this.#save())),
          repeat(),
          takeUntil(this.#stopped),
        )
        .subscribe({ error: (error) => this.panes$.error(error) });
    }
    await this.#source.start(this.#handlers());
  }

  /**
   * Ends after the batch and the pane under way. What was applied is saved before the partitions
   * are given up, but a store that is away does not keep the process.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    try {
      await this.#closer.stop();
      const { checkpoints } = this.#options;
      if (checkpoints) await firstValueFrom(race(from(this.#save()), timer(checkpoints.stopMs)));
    } finally {
      await this.#source.stop();
      this.#stopped.next();
      this.panes$.complete();
    }
  }

  /** Whether every partition was read to its end at least once since it was assigned. */
  get caughtUp(): boolean {
    return (
      this.#partitions.length > 0 &&
      this.#partitions.every((p) => ROLES.every((role) => this.#reachedEnd.has(`${role}/${p}`)))
    );
  }

  /**
   * What is known of single items and users, as of the newest closed pane; undefined where another
   * process has it, or this one has yet to learn it.
   */
  get lookup(): Lookup | undefined {
    return this.#closer instanceof SharedCloser ? this.#closer.lookup : this.#ingest.lookup;
  }

  /** How many ids this process knows of the partitions that it reads. */
  get knownIds(): Readonly<Record<IdKind, number>> {
    return this.#ingest.knownIds;
  }

  /** How much there is of what limits are for, in the partitions of this process. */
  get held(): SampleLimits {
    return this.#ingest.monitor.partitions.held;
  }

  /**
   * Where workers share the partitions: whether this one concludes the panes of all, and why it
   * cannot reach the others.
   */
  get sharing(): { readonly evaluates: boolean; readonly trouble: string | undefined } | undefined {
    if (!this.#options.checkpoints?.exchange) return undefined;
    const trouble = this.#closer instanceof SharedCloser ? this.#closer.trouble : undefined;
    return { evaluates: this.#partitions.includes(0), trouble };
  }

  #handlers(): SourceHandlers {
    return {
      assigned: async (partitions, count) => this.#assign(partitions, count),
      revoked: () => {},
      batch: (batch) =>
        new Promise((done, failed) => {
          this.#deliveries.next({ batch, done, failed });
        }),
      caughtUp: (role, partition) => {
        this.#reachEnd(`${role}/${partition}`);
      },
      gap: (role, partition, expected, found) => {
        if (found < expected) this.#ingest.forgetOffset(role, partition);
        this.gaps$.next({ role, partition, records: Math.max(0, found - expected) });
      },
      state: (state) => this.state$.next(state),
      failed: (error) => this.panes$.error(error),
    };
  }

  /**
   * The same partitions again: reading goes on where it was. Others: each is taken from its
   * checkpoint and the log after it; without a store, from the log alone.
   */
  async #assign(partitions: readonly number[], count: number) {
    const sorted = [...partitions].sort((a, b) => a - b);
    const isChange = sorted.join() !== this.#partitions.join() || count !== this.#count;
    if (isChange) {
      await this.#closer.stop();
      await this.#save();
    }
    this.checkpointer?.hold(sorted);
    if (isChange) {
      this.#partitions = sorted;
      this.#count = count;
      this.#restored = [];
      this.#restart();
      await this.#restore();
      this.#restored = sorted;
    } else if (this.#closer instanceof SharedCloser) {
      this.#closer.regain();
    }
    this.assigned$.next(sorted);
    const next = (role: TopicRole, p: number) =>
      this.#ingest.nextOffset(role, p) ?? this.#options.start;
    return new Map(
      sorted.map((p) => [
        p,
        { exposures: next('exposures', p), interactions: next('interactions', p) },
      ]),
    );
  }

  async #save(): Promise<void> {
    await this.checkpointer?.save(this.#restored, this.#ingest, this.#closer);
  }

  async #restore(): Promise<void> {
    if (this.checkpointer === undefined) return;
    for (const partition of this.#partitions) {
      const opened = await this.checkpointer.take(partition, this.#stopping.signal);
      await runSliced(this.#ingest.restore(partition, opened), this.#options.turns);
    }
    const { exchange } = this.#options.checkpoints!;
    // Who holds all partitions needs nobody.
    const isAlone = this.#partitions.length === this.#count;
    if (exchange && !isAlone) this.#share(exchange, this.checkpointer);
    // Alone, the newest pane of the checkpoints is ticked again, so that its numbers are there.
    void this.#closer.poke();
  }

  /** From now on panes close together with those of other processes. */
  #share(exchange: PaneExchange, checkpointer: Checkpointer): void {
    const { monitor, topics, turns, checkpoints } = this.#options;
    const { store, written } = checkpoints!;
    const closer = new SharedCloser(this.#ingest, {
      monitor,
      topics,
      exchange,
      store,
      turns,
      // What nobody listens to any more must not be noted as made.
      written: async () => (this.panes$.closed || this.panes$.hasError ? never() : written()),
      partitions: this.#partitions,
      count: this.#count,
      epochOf: (partition) => checkpointer.epochOf(partition),
      holdBack: (partitions) => this.#source.holdBack?.(partitions),
    });
    this.#use(closer);
    closer.start();
  }

  #use(closer: Closer): void {
    this.#closer = closer;
    closer.panes$.subscribe({
      next: (pane) => this.panes$.next(pane),
      error: (error) => this.panes$.error(error),
    });
    closer.swept$.subscribe((swept) => this.swept$.next(swept));
  }

  #restart(): void {
    const { monitor, decoder, topics, turns, now } = this.#options;
    this.#ingest = new Ingest(monitor, decoder, topics, Math.max(1, this.#count));
    this.#use(new PaneCloser(this.#ingest.monitor, turns, this.#ingest));
    this.#atEnd.clear();
    this.#reachedEnd.clear();
    this.#silentSince.clear();
    for (const partition of this.#partitions) {
      for (const role of ROLES) {
        this.#ingest.monitor.watermarks.expect(role, partition);
        this.#silentSince.set(`${role}/${partition}`, now());
      }
    }
  }

  async #apply({ batch, done, failed }: Delivery): Promise<AppliedBatch | undefined> {
    try {
      // What is not applied now is there for whoever goes on.
      if (this.#stopping.signal.aborted) {
        done();
        return undefined;
      }
      const { turns, now } = this.#options;
      const key = `${batch.role}/${batch.partition}`;
      this.#atEnd.delete(key);
      this.#silentSince.set(key, now());
      const applied = await runSliced(this.#ingest.apply(batch, now), turns);
      if (applied.nextOffset >= batch.highWatermark) this.#reachEnd(key);
      await this.#closer.poke();
      done();
      return applied;
    } catch (error) {
      failed(error);
      this.panes$.error(error);
      return undefined;
    }
  }

  #reachEnd(key: string): void {
    this.#atEnd.add(key);
    this.#reachedEnd.add(key);
  }

  #noticeSilence(): void {
    const { idleMs, now } = this.#options;
    let changed = false;
    for (const partition of this.#partitions) {
      for (const role of ROLES) {
        const key = `${role}/${partition}`;
        if (!this.#atEnd.has(key) || now() - this.#silentSince.get(key)! < idleMs) continue;
        this.#ingest.monitor.watermarks.setIdle(role, partition);
        changed = true;
      }
    }
    if (changed) void this.#closer.poke();
  }
}

/** A pipeline that has failed goes no further, and says nothing more. */
function never(): Promise<void> {
  return Promise.reject(new UnskewError('INTERRUPTED', 'the pipeline has failed'));
}
