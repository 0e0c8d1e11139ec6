import {
  catchError,
  concatMap,
  defer,
  EMPTY,
  exhaustMap,
  filter,
  firstValueFrom,
  from,
  fromEvent,
  interval,
  NEVER,
  type Observable,
  race,
  repeat,
  Subject,
  share,
  takeUntil,
  timer,
} from 'rxjs';
import { Assignment, type PipelineOptions } from './assignment.js';
import type { SettingChange } from './checkpoint/changed-settings.js';
import { Checkpointer } from './checkpoint/checkpointer.js';
import type { AskedLookup, ChangedLog, Flow, Gap, Sharing } from './flow.js';
import type { IdKind, Swept } from './id-tables.js';
import type { SampleLimits } from './options.js';
import type { LostPane } from './panes/fold.js';
import type { LogSource, RecordBatch, SourceHandlers, TopicRole } from './ports.js';
import type { IdlePartitions } from './read/idle-partitions.js';
import type { AppliedBatch } from './read/ingest.js';
import { LogClock } from './read/log-clock.js';
import { LogContact } from './read/log-contact.js';
import type { TimedPane } from './read/pane-closer.js';
import { runSliced } from './sliced.js';
import { TickHost } from './tick-host.js';
import { type Ticks, ticksHere } from './ticks.js';

/** Delay before a batch that may not be applied yet is requested again, ms. */
const HELD_MS = 500;

/**
 * Delays batches whose events would be rejected as too far in the future only because this
 * process's clock is slow compared with the log's record times. Those times may be wrong too, but a
 * delay costs less than rejecting valid events.
 */
class ClockGate {
  readonly #clock: LogClock | undefined;
  readonly #stopping: AbortSignal;

  constructor(clock: LogClock | undefined, stopping: AbortSignal) {
    this.#clock = clock;
    this.#stopping = stopping;
  }

  /**
   * Wait a moment if the batch has events that would be rejected only because this clock is slow.
   *
   * @param now wall clock, ms, against which the events would be checked
   * @returns whether the batch must be requested again later
   */
  async holds(batch: RecordBatch, idle: IdlePartitions, now: number): Promise<boolean> {
    const clock = this.#clock;
    if (clock === undefined || this.#stopping.aborted) return false;
    const { role, partition } = batch;
    clock.hear(batch, idle.wasJustAtEnd(role, partition));
    if (!clock.wrongs(batch, now)) return false;
    await firstValueFrom(race(timer(HELD_MS), fromEvent(this.#stopping, 'abort')));
    return true;
  }
}

/** Status of a process that writes closed panes to the panes topic. */
const READS = {
  reads: true,
  evaluates: false,
  isElsewhere: true,
  isApart: false,
  isMixed: false,
  note: 'this process writes panes for tickers',
};
/**
 * Status of a process that reads only some of the partitions, while no process combines the
 * results.
 */
const READS_A_PART = {
  ...READS,
  isApart: true,
  note: 'other processes of the group read the rest',
};

/** The first rows of a batch. */
function firstRows(batch: RecordBatch, rows: number): RecordBatch {
  const { offsets, values, recordTs } = batch;
  return {
    ...batch,
    offsets: offsets.subarray(0, rows),
    values: values.slice(0, rows),
    recordTs: recordTs.subarray(0, rows),
  };
}

/** A batch on its way to being applied. */
interface Delivery {
  readonly batch: RecordBatch;
  /** Wall-clock time at which the batch arrived, ms, corrected for a slow clock. */
  readonly now: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * The live data flow of a process that reads events:
 *
 *   source ─ batch ─▶ decode, accept ─▶ applied$
 *                          │ watermark
 *                          ▼
 *                     close, tick ──▶ panes$ ─▶ exporter, page, files
 *
 * A batch is acknowledged when it is applied and at most one pane is waiting to be closed. The
 * source passes this backpressure on to the broker.
 */
export class Pipeline implements Flow {
  readonly applied$: Observable<AppliedBatch>;
  /** Closed and ticked panes; fails with any error of the pipeline. */
  readonly panes$: Subject<TimedPane>;
  /** The panes of `panes$`, for observers: completes instead of failing. */
  readonly ticks$: Observable<TimedPane>;
  readonly kept$ = NEVER;
  readonly swept$: Subject<Swept>;
  readonly state$ = new Subject<'connected' | 'disconnected'>();
  readonly gaps$ = new Subject<Gap>();
  readonly logChanges$ = new Subject<ChangedLog>();
  readonly lostPanes$: Subject<LostPane>;
  /** Settings that differ from those with which a partition's stored state was made. */
  readonly settings$: Subject<readonly SettingChange[]>;
  /** What the log last answered, and whether it is reachable. */
  readonly contact: LogContact;
  /** The partitions of this process, after every change of assignment. */
  readonly assigned$ = new Subject<readonly number[]>();
  readonly checkpointer: Checkpointer | undefined;

  readonly #source: LogSource;
  readonly #options: PipelineOptions;
  readonly #assignment: Assignment;
  readonly #ticks: Ticks;
  readonly #clock: LogClock | undefined;
  readonly #gate: ClockGate;
  readonly #deliveries = new Subject<Delivery>();
  readonly #stopped = new Subject<void>();
  readonly #stopping = new AbortController();

  constructor(source: LogSource, options: PipelineOptions) {
    this.#source = source;
    this.#options = options;
    const { checkpoints, turns, now, maxFutureMs } = options;
    const clock = {
      now,
      elapsed: turns.now,
    };
    this.contact = new LogContact(now, turns.now);
    this.#clock =
      maxFutureMs === undefined
        ? undefined
        : new LogClock({
            maxFutureMs,
            ...clock,
          });
    this.#gate = new ClockGate(this.#clock, this.#stopping.signal);
    const toldOf = source.committed && { toldOf: () => source.committed!() };
    this.checkpointer =
      checkpoints &&
      new Checkpointer({
        ...checkpoints,
        ...toldOf,
        turns,
        now,
      });
    this.checkpointer?.events$.subscribe(({ partition, next }) => {
      if (next !== undefined) {
        source.commit?.(partition, next);
      }
    });
    const { monitor, topics } = options;
    this.#ticks =
      options.ticks ??
      ticksHere(
        new TickHost({
          monitor,
          topics,
          now: turns.now,
        }),
      );
    this.#assignment = new Assignment(
      source,
      {
        ...options,
        ticks: this.#ticks,
      },
      this.checkpointer,
      this.#stopping.signal,
    );
    this.#assignment.extended$.subscribe((by) =>
      this.logChanges$.next({
        kind: 'extended',
        ...by,
      }),
    );
    this.panes$ = this.#assignment.panes$;
    this.ticks$ = this.panes$.pipe(catchError(() => EMPTY));
    this.swept$ = this.#assignment.swept$;
    this.lostPanes$ = this.#assignment.lostPanes$;
    this.settings$ = this.#assignment.settings$;
    this.applied$ = this.#deliveries.pipe(
      concatMap((delivery) => this.#apply(delivery)),
      filter((applied) => applied !== undefined),
      takeUntil(this.#stopped),
      share(),
    );
  }

  /** @throws UnskewError USAGE if the settings do not match the stored state */
  async start(): Promise<void> {
    await this.#assignment.admit();
    this.applied$.subscribe();
    interval(Math.max(50, Math.min(1000, this.#options.idleMs / 4)))
      .pipe(
        // No new request while one is pending.
        exhaustMap(() => this.#askForEnds()),
        takeUntil(this.#stopped),
      )
      .subscribe({ error: (error) => this.panes$.error(error) });
    const { checkpointer } = this;
    if (checkpointer !== undefined) {
      defer(() => timer(checkpointer.pauseMs))
        .pipe(
          concatMap(() => from(this.#assignment.save())),
          repeat(),
          takeUntil(this.#stopped),
        )
        .subscribe({ error: (error) => this.panes$.error(error) });
    }
    await this.#source.start(this.#handlers());
  }

  /**
   * Stop after the current batch and pane. Applied events are saved before the partitions are
   * released, but an unreachable store does not delay the process.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    try {
      await this.#assignment.closer.stop();
      const { checkpoints } = this.#options;
      if (checkpoints) {
        const saved = from(this.#assignment.save());
        await firstValueFrom(race(saved, timer(checkpoints.stopMs)));
      }
    } finally {
      await this.#source.stop();
      await this.#ticks.close();
      this.#stopped.next();
      this.panes$.complete();
    }
  }

  /** How far the log's time is ahead of this process's clock, ms. */
  get clockSkewMs(): number {
    return this.#clock?.skewMs ?? 0;
  }

  /** Whether every partition was read to its end at least once since its assignment. */
  get caughtUp(): boolean {
    return this.#assignment.idle.haveCaughtUp;
  }

  /** Lookups of single items and users; undefined if another process answers them. */
  get lookup(): AskedLookup | undefined {
    return this.#options.panes === undefined ? this.#ticks : undefined;
  }

  /** Newest event time of a topic-partition of this process, ms; −Infinity if there is none. */
  newestOf(role: TopicRole, partition: number): number {
    return this.#assignment.ingest.monitor.watermarks.newest(role, partition);
  }

  /** Number of known ids of the partitions that this process reads. */
  get knownIds(): Readonly<Record<IdKind, number>> {
    return this.#assignment.ingest.knownIds;
  }

  /**
   * Current numbers of rows, list entries, users and requests that memory limits apply to, in the
   * partitions of this process.
   */
  get held(): SampleLimits {
    const { ingest, closer } = this.#assignment;
    const { held } = ingest.monitor.partitions;
    return {
      ...held,
      rows: held.rows + closer.heldRows,
    };
  }

  get sharing(): Sharing | undefined {
    const { closer, isPart } = this.#assignment;
    if (this.#options.panes === undefined) {
      return isPart
        ? {
            ...READS_A_PART,
            trouble: undefined,
          }
        : undefined;
    }
    return {
      ...READS,
      trouble: closer.trouble,
    };
  }

  /**
   * Request the end offsets of the log, and mark silent partitions that are read to their end as
   * idle. The clock is read before the request, since the answer may be delayed and the clock may
   * be set meanwhile. An answer that belongs to an earlier assignment is ignored.
   */
  async #askForEnds(): Promise<void> {
    const { idle, closer, ingest } = this.#assignment;
    const now = this.#options.now();
    const evenly = this.#options.turns.now();
    const nextOffset = ingest.records.nextOffsetsNow();
    const ends = await this.#source.ends();
    if (idle !== this.#assignment.idle) return;
    this.contact.ends(ends);
    const asked = {
      at: this.#emptyAt(now, evenly),
      evenly,
      nextOffset,
    };
    if (idle.notice(ends, asked)) {
      void closer.poke();
    }
  }

  /**
   * Wall-clock time up to which a topic-partition that is read to its end counts as read, ms. It is
   * the time of the request for end offsets, reduced if this clock is fast; undefined if this clock
   * is slow.
   */
  #emptyAt(now: number, evenly: number): number | undefined {
    if (this.#clock === undefined) return now;
    return this.#clock.skewOf(now, evenly) > 0 ? undefined : this.#clock.noLater(now, evenly);
  }

  #handlers(): SourceHandlers {
    return {
      assigned: async (partitions, count, outdated) => {
        const starts = await this.#assignment.take(partitions, count, outdated);
        if (!outdated.aborted) {
          this.contact.assigned(this.#assignment.partitions);
          this.assigned$.next(this.#assignment.partitions);
        }
        return starts;
      },
      confirmed: (generation) => this.#assignment.confirm(generation),
      revoked: () => {},
      batch: async (batch) => {
        if (await this.#assignment.holds()) return 'again';
        // Checked first, since the clock gate reads the whole batch, which may be delivered often
        // before there is room.
        if (this.#assignment.room(batch) === 0) return this.#later(batch);
        const now = this.#options.now();
        if (await this.#gate.holds(batch, this.#assignment.idle, now)) return 'again';
        const rows = this.#assignment.room(batch);
        if (rows === 0) return this.#later(batch);
        const part = rows < batch.values.length ? firstRows(batch, rows) : batch;
        const time = this.#clock?.noEarlier(part, now) ?? now;
        return new Promise<undefined | 'again'>((done, failed) => {
          const answer = part === batch ? undefined : 'again';
          this.#deliveries.next({
            batch: part,
            now: time,
            done: () => done(answer),
            failed,
          });
        });
      },
      caughtUp: (role, partition) => this.#assignment.idle.reachEnd(role, partition),
      gap: (role, partition, expected, found) =>
        this.gaps$.next({
          role,
          partition,
          records: found - expected,
        }),
      changed: (role, partition, change) => {
        this.#assignment.ingest.records.rewind(role, partition, change);
        this.#clock?.forget(role, partition);
        this.#assignment.idle.goOn(role, partition);
        this.logChanges$.next({
          role,
          partition,
          ...change,
        });
      },
      state: (state, why) => {
        if (state === 'disconnected') {
          this.#assignment.idle.reset();
        }
        this.contact.state(state, why);
        this.state$.next(state);
      },
      failed: (error) => this.panes$.error(error),
    };
  }

  /** Wait until there may be room for a batch. Other partitions may have to advance first. */
  async #later(batch: RecordBatch): Promise<'again'> {
    const stopped$ = fromEvent(this.#stopping.signal, 'abort');
    const roomy$ = this.#assignment.closer.roomy$.pipe(
      filter(() => this.#assignment.room(batch) > 0),
    );
    await firstValueFrom(race(timer(HELD_MS), roomy$, stopped$));
    return 'again';
  }

  async #apply({ batch, now, done, failed }: Delivery): Promise<AppliedBatch | undefined> {
    try {
      // The worker that continues will read this batch.
      if (this.#stopping.signal.aborted) {
        done();
        return undefined;
      }
      const { ingest, idle, closer } = this.#assignment;
      const applied = await closer.applying(() =>
        runSliced(
          ingest.apply(batch, () => now),
          this.#options.turns,
        ),
      );
      idle.goOn(batch.role, batch.partition);
      // A batch without accepted events does not show how far event time is.
      if (applied.outcomes.timed > 0) {
        idle.hear(batch.role, batch.partition);
      }
      if (applied.nextOffset >= batch.highWatermark) {
        idle.reachEnd(batch.role, batch.partition);
      }
      const { role, partition, nextOffset, highWatermark } = applied;
      this.contact.records(role, partition, Math.max(0, highWatermark - nextOffset));
      await closer.poke();
      done();
      return applied;
    } catch (error) {
      failed(error);
      this.panes$.error(error);
      return undefined;
    }
  }
}
