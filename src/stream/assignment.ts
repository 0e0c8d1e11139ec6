import { firstValueFrom, fromEvent, race, Subject, timer } from 'rxjs';
import { UnskewError } from '../errors.js';
import type { Decoder } from '../events/decode.js';
import { bothCaptured, type Capture, SlicedCapture } from './checkpoint/captured-state.js';
import type { SettingChange } from './checkpoint/changed-settings.js';
import { type CheckpointHead, checkHead, placeOf, rowsIn } from './checkpoint/checkpoint.js';
import type { Checkpointer, CheckpointerOptions } from './checkpoint/checkpointer.js';
import type { PartitionProgress } from './checkpoint/partition-capture.js';
import type { RecordKeys, Seed } from './files/seed.js';
import type { Swept } from './id-tables.js';
import type { MonitorOptions } from './options.js';
import type { LostPane } from './panes/fold.js';
import type {
  LogSource,
  PanesLog,
  RecordBatch,
  StartPosition,
  StartPositions,
  TopicRole,
} from './ports.js';
import { IdlePartitions } from './read/idle-partitions.js';
import { Ingest } from './read/ingest.js';
import { type Closer, PaneCloser, type TimedPane } from './read/pane-closer.js';
import { PaneWriter } from './read/pane-writer.js';
import { runSliced, type Turns } from './sliced.js';
import { stateSettings } from './state-settings.js';
import type { Ticks } from './ticks.js';

/** Delay before a batch that may not be applied yet is requested again, ms. */
const HELD_MS = 500;

/**
 * The partitions assigned to this process, with their state and the closing of their panes. When
 * the assignment changes, the state is saved and each partition is loaded again from its checkpoint
 * and the log after it, or from the log alone if there is no store.
 */
export class Assignment {
  readonly panes$ = new Subject<TimedPane>();
  readonly swept$ = new Subject<Swept>();
  readonly settings$ = new Subject<readonly SettingChange[]>();
  /**
   * Emits when the topics have more partitions than before, with the earlier and the new number.
   */
  readonly extended$ = new Subject<{
    readonly from: number;
    readonly to: number;
  }>();
  readonly lostPanes$ = new Subject<LostPane>();
  /** Heads of the checkpoints that were loaded, by partition. */
  readonly #heads = new Map<number, CheckpointHead>();
  ingest!: Ingest;
  /** Captures the state of a partition for a checkpoint. */
  #kept!: Capture;
  /** Stored rows that ticking processes continue from, by partition. */
  readonly #rows = new Map<number, Uint8Array>();
  closer!: Closer;
  idle!: IdlePartitions;
  partitions: readonly number[] = [];
  /** Whether the state of all assigned partitions is loaded. */
  #isTaken = true;
  /** Aborted when the partitions may already belong to another process. */
  #outdated: AbortSignal = AbortSignal.abort();
  /** Closer of panes that this process ticks itself. */
  #closerHere!: PaneCloser;
  /**
   * The closer while it is on hold; undefined if panes may close. Closing is on hold while other
   * processes read some of the partitions and no process combines the results.
   */
  #held: PaneCloser | undefined;
  readonly #source: LogSource;
  readonly #options: PipelineOptions;
  readonly #checkpointer: Checkpointer | undefined;
  readonly #signal: AbortSignal;
  readonly #ticks: Ticks;
  /** Partitions whose state was restored; only these may be saved. */
  #restored: readonly number[] = [];
  /** Number of partitions over all workers. */
  #count = 0;
  /**
   * Last generation of the consumer group that was confirmed; undefined if none was confirmed since
   * the partitions were loaded.
   */
  #generation: number | undefined;
  /** Number of assignments since the generation was last confirmed. */
  #taken = 0;
  /**
   * Number of partitions that the topics had before the newest assignment, as this process or a
   * loaded checkpoint knows it; 0 if unknown.
   */
  #countBefore = 0;

  /** @param signal aborted when the process stops */
  constructor(
    source: LogSource,
    options: PipelineOptions & { readonly ticks: Ticks },
    checkpointer: Checkpointer | undefined,
    signal: AbortSignal,
  ) {
    this.#source = source;
    this.#options = options;
    this.#ticks = options.ticks;
    this.#checkpointer = checkpointer;
    this.#signal = signal;
    this.#restart();
  }

  /**
   * Check that the stored state fits the settings of this process. To be called before it joins the
   * group: a process with other settings would take partitions from other workers and could not
   * continue from their state.
   *
   * @throws UnskewError USAGE if the stored state does not fit
   */
  async admit(): Promise<void> {
    const { topics, monitor, panes } = this.#options;
    const settings = stateSettings(monitor);
    await this.#checkpointer?.peek(this.#signal, (checkpoint, partition) => {
      try {
        checkHead(
          checkpoint,
          {
            partition,
            topics,
            settings,
          },
          panes && 'lists',
        );
      } catch (cause) {
        if (!(cause instanceof UnskewError)) throw cause;
        throw new UnskewError('USAGE', cause.message, { cause });
      }
    });
    await panes?.log.open();
  }

  /**
   * Take over exactly these partitions. If they and their number are unchanged, reading continues
   * at the same position.
   *
   * @param outdated aborted when others may have the partitions; the call then stops before its
   *   next step
   * @returns where to start reading each
   */
  async take(
    partitions: readonly number[],
    count: number,
    outdated: AbortSignal,
  ): Promise<ReadonlyMap<number, StartPositions>> {
    const sorted = [...partitions].sort((a, b) => a - b);
    const isSame = sorted.join() === this.partitions.join() && count === this.#count;
    this.#outdated = outdated;
    this.#taken++;
    if (isSame && this.#isTaken) {
      this.idle.reset();
      this.#regain();
      return this.#starts();
    }
    this.#isTaken = false;
    // The checkpoints loaded now include everything that other processes have saved so far.
    this.#generation = undefined;
    await this.closer.stop();
    await this.save();
    if (outdated.aborted) return NOWHERE;
    this.#checkpointer?.hold(sorted, outdated);
    this.partitions = sorted;
    this.#countBefore = this.#count;
    this.#count = count;
    this.#restored = [];
    this.#restart();
    await this.#restore();
    if (outdated.aborted) return NOWHERE;
    await this.#startClosing();
    void this.closer.poke();
    this.#restored = sorted;
    this.#isTaken = true;
    this.#tellWhetherExtended();
    return this.#starts();
  }

  /**
   * Confirm that the partitions still belong to this process.
   *
   * If the group had an assignment that this process did not see, another process may have read the
   * partitions further. A process that reads all partitions then loads them again. If the store
   * rejected a checkpoint of this process because another one had claimed the partition, the
   * partitions are claimed again.
   */
  confirm(generation: number): void {
    if (!this.#isTaken || this.#outdated.aborted) return;
    const before = this.#generation;
    const since = this.#taken;
    const hasMissed = before !== undefined && generation > before + since;
    this.#generation = generation;
    this.#taken = 0;
    if (hasMissed && this.partitions.length === this.#count) {
      this.#reload('the group has had assignments without this process');
      return;
    }
    if (this.#checkpointer?.isFenced) {
      this.#regain();
    }
  }

  /** Number of leading records of a batch that may be applied now. */
  room(batch: RecordBatch): number {
    return this.closer.room(batch);
  }

  /**
   * Load the partitions again from their checkpoints: rejoin the group, which assigns them under a
   * new generation.
   */
  #reload(why: string): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#restored = [];
    this.#source.rejoin(why);
  }

  /**
   * If a pane could close but closing is on hold, wait a moment.
   *
   * @returns whether the batch must be requested again later
   */
  async holds(): Promise<boolean> {
    if (this.#signal.aborted || this.#held?.holdsPane !== true) return false;
    await firstValueFrom(race(timer(HELD_MS), fromEvent(this.#signal, 'abort')));
    return true;
  }

  /** Claim the partitions again, so that their next checkpoints are not rejected. */
  #regain(): void {
    this.#checkpointer?.hold(this.partitions, this.#outdated);
  }

  /** Save the restored partitions. */
  async save(): Promise<void> {
    await this.#checkpointer?.save(this.#restored, this.#kept, this.closer);
  }

  #tellWhetherExtended(): void {
    const from = this.#countBefore;
    const to = this.#count;
    if (from > 0 && from < to) {
      this.extended$.next({ from, to });
    }
  }

  #starts(): ReadonlyMap<number, StartPositions> {
    // Records that reached a new partition before this process knew of it must not be skipped.
    const next = (role: TopicRole, p: number) =>
      this.ingest.records.readThrough(role, p) ??
      (this.#isNew(p) ? 'earliest' : this.#options.start);
    return new Map(
      this.partitions.map((p) => [
        p,
        {
          exposures: next('exposures', p),
          interactions: next('interactions', p),
        },
      ]),
    );
  }

  /** Whether the partition was added to the topics later. */
  #isNew(partition: number): boolean {
    return this.#countBefore > 0 && partition >= this.#countBefore;
  }

  #restart(): void {
    const { monitor, decoder, topics, turns, now } = this.#options;
    this.ingest = new Ingest(monitor, decoder, topics, Math.max(1, this.#count));
    const here = new SlicedCapture(this.ingest, turns);
    this.#rows.clear();
    if (this.#options.panes) {
      this.ingest.checkpoints.holds = 'lists';
      this.#kept = here;
    } else {
      this.#kept = bothCaptured(here, this.#ticks);
    }
    const closer = new PaneCloser(this.ingest, this.#ticks, { turns, now });
    this.#closerHere = closer;
    this.#use(closer);
    const { watermarks } = this.ingest.monitor;
    const { idleMs, areBrought, panes } = this.#options;
    const isPart = this.partitions.length > 0 && this.partitions.length < this.#count;
    this.#held = isPart && panes === undefined ? closer : undefined;
    this.#held?.hold();
    const silence = {
      idleMs,
      areBrought,
      elapsed: turns.now,
    };
    this.idle = new IdlePartitions(this.partitions, watermarks, silence);
  }

  /** Whether other processes read some of the partitions and none combines the results. */
  get isPart(): boolean {
    return this.#held !== undefined;
  }

  async #restore(): Promise<void> {
    this.#heads.clear();
    if (this.#checkpointer === undefined) return this.#plant(this.partitions, []);
    const unkept: number[] = [];
    const kept: PartitionProgress[] = [];
    for (const partition of this.partitions) {
      const opened = await this.#checkpointer.take(partition, this.#signal);
      if (opened === 'outdated') return;
      if (opened === undefined) {
        unkept.push(partition);
      } else {
        kept.push(opened.head.progress);
      }
      this.#countBefore = Math.max(this.#countBefore, opened?.head.log?.partitions ?? 0);
      if (opened !== undefined) {
        this.#heads.set(partition, opened.head);
      }
      const restoring = this.ingest.checkpoints.restore(partition, opened);
      this.settings$.next(await runSliced(restoring, this.#options.turns));
      if (this.#options.panes) {
        this.ingest.monitor.partitions.keepOpen(partition);
      }
      const rows = rowsIn(opened);
      if (rows !== undefined) {
        this.#rows.set(partition, rows.bytes);
      }
    }
    await this.#plant(unkept, kept);
  }

  /**
   * Start partitions that have no stored state from a seed of past popularity counts.
   *
   * @param unkept partitions without stored state
   * @param kept progress of the partitions with stored state; if one of them did not start from
   *   this seed, nothing is seeded, since the seed would count its events twice
   * @throws UnskewError USAGE if other processes may read some partitions, FILE for an invalid seed
   */
  async #plant(unkept: readonly number[], kept: readonly PartitionProgress[]): Promise<void> {
    const { seed, turns } = this.#options;
    if (seed === undefined) return;
    if (unkept.length === 0) return seed.told('kept');
    if (this.partitions.length < this.#count) {
      throw new UnskewError(
        'USAGE',
        '--popularity-from: this process reads only some of the partitions. Start it alone, and start other processes once its state is saved',
      );
    }
    const read = await seed.read();
    if (kept.some(({ seeded }) => seeded !== read.pane)) return seed.told('others');
    await runSliced(read.plant(unkept, this.ingest.seeded(this.#count, seed.keys)), turns);
    for (const partition of unkept) {
      const planted = await runSliced(this.ingest.checkpoints.capture(partition, 0), turns);
      this.#rows.set(partition, Buffer.concat(planted));
    }
    seed.told('planted', read.through);
  }

  /** Start closing panes, either for ticks of this process or for the panes topic. */
  async #startClosing(): Promise<void> {
    if (this.partitions.length === 0) return;
    const { panes, turns, now, monitor } = this.#options;
    if (panes === undefined) {
      this.ingest.checkpoints.holds = 'lists, then rows';
      const kept = this.partitions.map(
        (partition) => [partition, this.#rows.get(partition)] as const,
      );
      await this.#closerHere.begin(new Map(kept));
      this.#rows.clear();
      return;
    }
    await panes.log.open();
    const closer = new PaneWriter(this.ingest, {
      log: panes.log,
      turns,
      now,
      tickMs: monitor.tickMs,
      partitions: this.partitions,
      count: this.#count,
      rules: panes.rules,
      placeOf: (partition) => placeOf(this.#heads.get(partition)),
      wasAtEnd: (partition, since) => this.idle.wasAtEnd(partition, since),
      lost: (lost) => this.lostPanes$.next(lost),
      reload: (why) => this.#reload(why),
      failed: (error) => this.panes$.error(error),
    });
    this.#use(closer);
  }

  #use(closer: Closer): void {
    this.closer = closer;
    closer.panes$.subscribe({
      next: (pane) => this.panes$.next(pane),
      error: (error) => this.panes$.error(error),
    });
    closer.swept$.subscribe((swept) => this.swept$.next(swept));
  }
}

const NOWHERE: ReadonlyMap<number, StartPositions> = new Map();

/** Options of a process that reads the log of events. */
export interface PipelineOptions {
  readonly monitor: MonitorOptions;
  readonly decoder: Decoder;
  readonly topics: Readonly<Record<TopicRole, string>>;
  readonly start: StartPosition;
  /** Time after which a silent partition no longer holds back the watermark, ms. */
  readonly idleMs: number;
  /**
   * Whether an intake writes the topics. The intake reports the progress of its sources, so silence
   * does not make a topic-partition idle.
   */
  readonly areBrought?: boolean;
  readonly turns: Turns;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /** Computes the ticks if this process ticks itself; by default in this thread. */
  readonly ticks?: Ticks | undefined;
  /**
   * Topic to which closed panes are written for the ticking process; without it this process ticks
   * itself.
   */
  readonly panes?:
    | undefined
    | {
        readonly log: PanesLog;
        /**
         * Short hash of the settings that results depend on, by which the ticking process notices
         * other settings.
         */
        readonly rules: string;
      };
  /** How far ahead of the clock an event may be, ms; without it the clock is not checked. */
  readonly maxFutureMs?: number;
  /** Past popularity counts from which partitions without stored state start. */
  readonly seed?: {
    read(): Promise<Seed>;
    /**
     * Called with what was done. `planted`: the seed's counts, which end at event time `through`,
     * ms, were added. `kept`: every partition has stored state, so no seed is needed. `others`:
     * some partition started without this seed, so nothing was added.
     */
    told(what: 'planted' | 'kept' | 'others', through?: number): void;
    readonly keys: RecordKeys;
  };
  /**
   * Where and how checkpoints are saved. Without them, the log is read again when the assignment
   * changes.
   */
  readonly checkpoints?: Omit<CheckpointerOptions, 'turns' | 'now' | 'toldOf'> & {
    /** Time limit for saving the last checkpoints when the process stops, ms. */
    readonly stopMs: number;
  };
}
