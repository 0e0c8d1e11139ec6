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

/** How long a batch is held before it is requested again, ms; its partition is released by then. */
const HELD_MS = 500;

/**
 * The partitions assigned to this process, with intake and closer. When the assignment changes,
 * state is saved and each partition is loaded again from its checkpoint and the log after it;
 * without a store, from the log alone.
 */
export class Assignment {
  readonly panes$ = new Subject<TimedPane>();
  readonly swept$ = new Subject<Swept>();
  readonly settings$ = new Subject<readonly SettingChange[]>();
  /** The topics have more partitions than before. */
  readonly extended$ = new Subject<{
    readonly from: number;
    readonly to: number;
  }>();
  readonly lostPanes$ = new Subject<LostPane>();
  readonly #heads = new Map<number, CheckpointHead>();
  ingest!: Ingest;
  #kept!: Capture;
  /** What those who tick go on from, by partition. */
  readonly #rows = new Map<number, Uint8Array>();
  closer!: Closer;
  idle!: IdlePartitions;
  partitions: readonly number[] = [];
  /** Whether all of them are here, with what is kept of them. */
  #isTaken = true;
  /** Given when others may hold them. */
  #outdated: AbortSignal = AbortSignal.abort();
  #closerHere!: PaneCloser;
  /** Of a part of all partitions, where nobody brings it together with the rest. */
  #held: PaneCloser | undefined;
  readonly #source: LogSource;
  readonly #options: PipelineOptions;
  readonly #checkpointer: Checkpointer | undefined;
  readonly #signal: AbortSignal;
  readonly #ticks: Ticks;
  /** Those whose state is here: before it is, what is kept of a partition must not be replaced. */
  #restored: readonly number[] = [];
  /** How many partitions there are, in all workers. */
  #count = 0;
  /** Of the group, as it was confirmed last, and assignments since. */
  #generation: number | undefined;
  #taken = 0;
  /** How many there were before, as this process or its checkpoints know it; 0: they do not. */
  #countBefore = 0;

  /** @param signal given when the process stops */
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
   * Makes sure that what is kept goes on with the settings of this process, before it joins others: a
   * worker that takes a partition and cannot go on with it has taken it away for nothing.
   *
   * @throws UnskewError USAGE if it does not
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
   * Takes these partitions and no others; @returns where each is read from. The same ones again:
   * reading goes on where it was.
   *
   * @param outdated given when others may hold them: taking ends before its next step
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
    // What comes from the checkpoints now knows all that others have kept by then.
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
   * The partitions are still those of this process: where another one has written as their owner
   * meanwhile, which it was once or has become for a moment, they are taken back. Where the group has
   * had another assignment than those that came here, another may have read them further: one that
   * had them all has reported nowhere where it closed, so they are taken again.
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

  /** How many of the first records of a batch may be applied now. */
  room(batch: RecordBatch): number {
    return this.closer.room(batch);
  }

  /** Takes its partitions from their checkpoints, under another generation. */
  #reload(why: string): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#restored = [];
    this.#source.rejoin(why);
  }

  /** Whether a batch has to come once more, after a while: a pane waits that may not close yet. */
  async holds(): Promise<boolean> {
    if (this.#signal.aborted || this.#held?.holdsPane !== true) return false;
    await firstValueFrom(race(timer(HELD_MS), fromEvent(this.#signal, 'abort')));
    return true;
  }

  #regain(): void {
    this.#checkpointer?.hold(this.partitions, this.#outdated);
  }

  /** Keeps the partitions whose state is here. */
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
    // What came to a partition before anybody knew of it is not to be passed over.
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

  /** Whether the topics have had fewer partitions before. */
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

  /** Whether others have some of the partitions, and nobody brings these together. */
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
   * Begins these partitions, of which nothing is kept, with the counts of the past.
   *
   * @param kept of the others: where they went on without the seed, it would be counted twice
   * @throws UnskewError USAGE where other processes may read a part of them, FILE for a bad seed
   */
  async #plant(unkept: readonly number[], kept: readonly PartitionProgress[]): Promise<void> {
    const { seed, turns } = this.#options;
    if (seed === undefined) return;
    if (unkept.length === 0) return seed.told('kept');
    if (this.partitions.length < this.#count) {
      throw new UnskewError(
        'USAGE',
        '--popularity-from: this process reads some of the partitions only; start it alone until its state is kept, others after it',
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

  /** From now on panes close, here or for those who tick. */
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

export interface PipelineOptions {
  readonly monitor: MonitorOptions;
  readonly decoder: Decoder;
  readonly topics: Readonly<Record<TopicRole, string>>;
  readonly start: StartPosition;
  /** A partition that is silent for this long holds time back no further than it is known to be read. */
  readonly idleMs: number;
  /** Whether an intake writes the topics: then it says how far they are, and silence says nothing. */
  readonly areBrought?: boolean;
  readonly turns: Turns;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /** Who computes the ticks of a process that does everything; this thread by default. */
  readonly ticks?: Ticks | undefined;
  /** Where closed panes are written for those who tick; without it this process ticks itself. */
  readonly panes?:
    | undefined
    | {
        readonly log: PanesLog;
        /** What numbers depend on beside the log, in a few letters. */
        readonly rules: string;
      };
  /** How far ahead of the clock an event may lie; the clock is not compared with the log without. */
  readonly maxFutureMs?: number;
  /** What partitions begin with of which nothing is kept. */
  readonly seed?: {
    read(): Promise<Seed>;
    /** `kept`: there is none to begin; `others`: what is kept of others went on without it. */
    told(what: 'planted' | 'kept' | 'others', through?: number): void;
    readonly keys: RecordKeys;
  };
  /** Without a store the log is read again when the assignment changes. */
  readonly checkpoints?: Omit<CheckpointerOptions, 'turns' | 'now' | 'toldOf'> & {
    /** How long the last checkpoints may take when the process stops, ms. */
    readonly stopMs: number;
  };
}
