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

/** How long a batch is held before it is requested again, ms; its partition is released by then. */
const HELD_MS = 500;

/**
 * Holds back what only a clock that is behind would have refused, for as long as the log says so.
 * That may be the word of one producer, where nobody else writes: to wait costs less than to refuse
 * what was right.
 */
class ClockGate {
  readonly #clock: LogClock | undefined;
  readonly #stopping: AbortSignal;

  constructor(clock: LogClock | undefined, stopping: AbortSignal) {
    this.#clock = clock;
    this.#stopping = stopping;
  }

  /**
   * Whether a batch has to come once more, after a while.
   *
   * @param now the wall clock, ms; what passes is judged by this reading of it, whenever it is taken
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

const READS = {
  reads: true,
  evaluates: false,
  isElsewhere: true,
  isApart: false,
  isMixed: false,
  note: 'panes are written for those who tick',
};
/** Without the panes topic nobody brings the partitions of several processes together. */
const READS_A_PART = {
  ...READS,
  isApart: true,
  note: 'others of the group read the rest',
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

interface Delivery {
  readonly batch: RecordBatch;
  /** The time when it came, which may be set meanwhile. */
  readonly now: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * The live data flow, on one page:
 *
 *   source ─ batch ─▶ decode, accept ─▶ applied$
 *                          │ watermark
 *                          ▼
 *                     close, tick ──▶ panes$ ─▶ exporter, page, files
 *
 * A batch is acknowledged when it is applied and no more than one pane waits to be closed: that
 * is the backpressure, and the source passes it on to the broker.
 */
export class Pipeline implements Flow {
  readonly applied$: Observable<AppliedBatch>;
  /** Fails with what breaks the pipeline. */
  readonly panes$: Subject<TimedPane>;
  /** The same panes for those who only look on: it ends where the pipeline fails. */
  readonly ticks$: Observable<TimedPane>;
  readonly kept$ = NEVER;
  readonly swept$: Subject<Swept>;
  readonly state$ = new Subject<'connected' | 'disconnected'>();
  readonly gaps$ = new Subject<Gap>();
  readonly logChanges$ = new Subject<ChangedLog>();
  readonly lostPanes$: Subject<LostPane>;
  /** Of a partition whose state was made with other settings: those that have changed. */
  readonly settings$: Subject<readonly SettingChange[]>;
  /** When the log was last heard. */
  readonly contact: LogContact;
  /** Every change of assignment, with the partitions of this process. */
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

  /** @throws UnskewError USAGE if the settings do not go with the state that is kept */
  async start(): Promise<void> {
    await this.#assignment.admit();
    this.applied$.subscribe();
    interval(Math.max(50, Math.min(1000, this.#options.idleMs / 4)))
      .pipe(
        // A question that is not answered yet is not asked again.
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
   * Ends after the batch and the pane under way. What was applied is saved before the partitions
   * are released, but a store that is away does not hold up the process.
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

  /** How far the log's time is ahead of this process's clock; 0 where the two agree. */
  get clockSkewMs(): number {
    return this.#clock?.skewMs ?? 0;
  }

  /** Whether every partition was read to its end at least once since it was assigned. */
  get caughtUp(): boolean {
    return this.#assignment.idle.haveCaughtUp;
  }

  /** What is known of single items and users; undefined where another process has it. */
  get lookup(): AskedLookup | undefined {
    return this.#options.panes === undefined ? this.#ticks : undefined;
  }

  /** Newest event time of a topic-partition of this process, ms; −Infinity without any. */
  newestOf(role: TopicRole, partition: number): number {
    return this.#assignment.ingest.monitor.watermarks.newest(role, partition);
  }

  /** How many ids this process knows of the partitions that it reads. */
  get knownIds(): Readonly<Record<IdKind, number>> {
    return this.#assignment.ingest.knownIds;
  }

  /** How much there is of what limits are for, in the partitions of this process. */
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
   * Finds out which partitions are read to their ends now. The moment of the question is taken
   * before it: the answer may have been a while on its way, and the clock set meanwhile. What was
   * asked under another assignment says nothing about this one.
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

  /** A clock that was behind does not tell how far the log was read; one ahead is corrected. */
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
        // The clock goes through all of a batch, which may be offered often before there is room.
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

  /** There is no room for a batch before others have come as far. */
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
      // What is not applied now is there for the worker that goes on.
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
      // What holds no event says nothing about the time.
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
