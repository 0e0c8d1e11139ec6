import {
  catchError,
  concatMap,
  defer,
  EMPTY,
  firstValueFrom,
  from,
  fromEvent,
  type Observable,
  race,
  repeat,
  Subject,
  takeUntil,
  timer,
} from 'rxjs';
import { UnskewError } from '../errors.js';
import type { SettingChange } from './checkpoint/changed-settings.js';
import { checkHead, type OpenedCheckpoint, placeOf, rowsIn } from './checkpoint/checkpoint.js';
import { Checkpointer, type CheckpointerOptions } from './checkpoint/checkpointer.js';
import type { AskedLookup, ChangedLog, Flow, Gap, Sharing } from './flow.js';
import type { IdKind, Swept } from './id-tables.js';
import type { MonitorOptions } from './options.js';
import { Outcomes } from './outcomes.js';
import type { LostPane, PanesPlace } from './panes/fold.js';
import { PaneFold } from './panes/fold.js';
import { type PaneRecord, readPaneRecord } from './panes/pane-record.js';
import type { CheckpointStore, LoggedPane, PanesLog, PanesPosition, TopicRole } from './ports.js';
import type { AppliedBatch } from './read/ingest.js';
import { LogContact } from './read/log-contact.js';
import type { TimedPane } from './read/pane-closer.js';
import { PaneFollower } from './read/pane-follower.js';
import type { Turns } from './sliced.js';
import { stateSettings } from './state-settings.js';
import { type Stepped, TickHost } from './tick-host.js';
import { type Ticks, ticksHere } from './ticks.js';

/**
 * Election of a leader among the ticking processes: only the leader writes files and saves state.
 */
export interface Leadership {
  /** Whether this process is the leader. */
  readonly isLeader: boolean;
  /** Why the leader is unknown; undefined while it is known. */
  readonly trouble: string | undefined;
  /**
   * Take part in the election.
   *
   * @param changed called after each change
   */
  start(changed: () => void): Promise<void>;
  stop(): Promise<void>;
}

/** Options of a process that ticks panes closed by other processes (a ticker). */
export interface TickFlowOptions {
  readonly log: PanesLog;
  /** Election of the leader; undefined if there is only one ticker. */
  readonly leadership: Leadership | undefined;
  readonly monitor: MonitorOptions;
  /** Computes the ticks; this thread by default. */
  readonly ticks?: Ticks | undefined;
  readonly topics: Readonly<Record<TopicRole, string>>;
  /**
   * Short hash of the settings that results depend on, compared with that of the reading processes.
   */
  readonly rules: string;
  readonly turns: Turns;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  readonly checkpoints?: KeptState | undefined;
  /**
   * Checkpoint store of an earlier process that both read and ticked; its state is used where no
   * ticker has saved any.
   */
  readonly former?: CheckpointStore | undefined;
}

/** Where and how state is saved. */
type KeptState = Omit<CheckpointerOptions, 'turns' | 'now' | 'toldOf'> & {
  /** Time limit for saving the last checkpoints when the process stops, ms. */
  readonly stopMs: number;
};

/** Interval of checking for changes of the leader if there is no state store, ms. */
const LEADING_MS = 1_000;
/**
 * Number of unprocessed records of a partition above which no more records of the partition are
 * read.
 */
const MOST_WAITING = 4;
/** Delay before opening the log is retried, ms. */
const AGAIN_MS = 500;
const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];

/** A record read from the panes topic, with its bytes and the position after it. */
interface Noted extends PaneRecord {
  readonly record: Uint8Array;
  readonly position: PanesPosition;
}

/** Progress of one partition of the panes topic. */
interface Followed {
  readonly follower: PaneFollower;
  readonly fold: PaneFold<Noted>;
  /** Number of counted records not yet processed. */
  waiting: number;
}

/**
 * The data flow of a ticker: it reads closed panes from the panes topic and ticks each pane as soon
 * as the records of all partitions cover it.
 *
 *   panes topic ─▶ records that count ─▶ closed panes ─▶ tick ─▶ panes$
 *
 * Several tickers compute the same results; the leader writes them and saves the state.
 */
export class TickFlow implements Flow {
  readonly applied$ = new Subject<AppliedBatch>();
  readonly panes$ = new Subject<TimedPane>();
  readonly ticks$: Observable<TimedPane>;
  readonly kept$ = new Subject<number>();
  readonly swept$ = new Subject<Swept>();
  readonly state$ = new Subject<'connected' | 'disconnected'>();
  readonly gaps$ = new Subject<Gap>();
  readonly logChanges$ = new Subject<ChangedLog>();
  readonly lostPanes$ = new Subject<LostPane>();
  readonly settings$ = new Subject<readonly SettingChange[]>();
  readonly assigned$ = new Subject<readonly number[]>();
  readonly contact: LogContact;
  readonly checkpointer: Checkpointer | undefined;
  readonly clockSkewMs = 0;
  readonly #options: TickFlowOptions;
  readonly #ticks: Ticks;
  /** Numbers of ids and rows after the newest step. */
  #stepped: Pick<Stepped, 'knownIds' | 'held'> = {
    knownIds: {
      user: 0,
      item: 0,
      model: 0,
    },
    held: {
      rows: 0,
      listEntries: 0,
      users: 0,
    },
  };
  /** Newest event time of each topic-partition, ms. */
  readonly #newest = new Map<string, number>();
  readonly #followed = new Map<number, Followed>();
  /** Emits when something may allow the next step, such as a record that has come to count. */
  readonly #woken = new Subject<void>();
  /** Emits when records were processed, so that more may be read. */
  readonly #taken = new Subject<void>();
  readonly #stopped = new Subject<void>();
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** Partitions whose newest record was written with other settings. */
  readonly #mixed = new Set<number>();
  /** Why the panes topic could not be opened for added partitions; undefined while it works. */
  #trouble: string | undefined;
  /** Whether this process is settled as the leader, and so writes results and saves state. */
  #hasLed = false;
  /** The change of leadership in progress, if any. */
  #settling: Promise<void> | undefined;
  /** End of the queue of ticks and of work that must not overlap with them. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: TickFlowOptions) {
    const { monitor, topics, turns, now, checkpoints } = options;
    this.#options = options;
    this.contact = new LogContact(now, turns.now);
    this.checkpointer =
      checkpoints &&
      new Checkpointer({
        ...checkpoints,
        turns,
        now,
      });
    this.ticks$ = this.panes$.pipe(catchError(() => EMPTY));
    this.#ticks =
      options.ticks ??
      ticksHere(
        new TickHost({
          monitor,
          topics,
          now: turns.now,
        }),
      );
  }

  /** @throws UnskewError USAGE if the settings do not match the stored state */
  async start(): Promise<void> {
    const { log, leadership } = this.#options;
    const count = await log.open();
    await this.#restore(count);
    this.assigned$.next([...this.#followed.keys()]);
    this.contact.state('connected');
    this.state$.next('connected');
    for (const { follower } of this.#followed.values()) {
      follower.start();
    }
    this.#running = this.#run().catch((error: unknown) => this.panes$.error(error));
    await leadership?.start(() => {
      this.#leadershipChanged();
      this.#heard();
    });
    await this.#settleLeadership();
    defer(() => timer(this.checkpointer?.pauseMs ?? LEADING_MS))
      .pipe(
        concatMap(() => from(this.#save())),
        repeat(),
        takeUntil(this.#stopped),
      )
      .subscribe({ error: (error) => this.panes$.error(error) });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#woken.next();
    this.#taken.next();
    await this.#running;
    await Promise.all([...this.#followed.values()].map(({ follower }) => follower.stop()));
    const { checkpoints, leadership, log } = this.#options;
    if (checkpoints) {
      await firstValueFrom(race(from(this.#save()), timer(checkpoints.stopMs)));
    }
    await leadership?.stop();
    await log.close();
    await this.#ticks.close();
    this.#stopped.next();
    this.panes$.complete();
  }

  get caughtUp(): boolean {
    const all = [...this.#followed.values()];
    return all.length > 0 && all.every(({ follower }) => follower.isRead);
  }

  get lookup(): AskedLookup {
    return this.#ticks;
  }

  get knownIds(): Readonly<Record<IdKind, number>> {
    return this.#stepped.knownIds;
  }

  get held() {
    return this.#stepped.held;
  }

  get sharing(): Sharing {
    const all = [...this.#followed.values()];
    const { leadership } = this.#options;
    const troubles = [
      this.#trouble,
      leadership?.trouble,
      ...all.map(({ follower }) => follower.trouble),
    ];
    return {
      reads: false,
      evaluates: this.#hasLed,
      isElsewhere: false,
      isApart: false,
      isMixed: this.#mixed.size > 0,
      trouble: troubles.find((trouble) => trouble !== undefined),
      note: this.#hasLed
        ? 'this process ticks and writes the numbers'
        : 'this process ticks; another ticker writes the numbers',
    };
  }

  newestOf(role: TopicRole, partition: number): number {
    return this.#newest.get(`${role}/${partition}`) ?? Number.NEGATIVE_INFINITY;
  }

  get #isLeader(): boolean {
    return this.#options.leadership?.isLeader ?? true;
  }

  #leadershipChanged(): void {
    this.#settleLeadership().catch((error: unknown) => this.panes$.error(error));
  }

  /**
   * Adopt a change of leadership. Only the leader writes results and saves state. A new leader
   * first finds out what the previous one has saved, and writes everything since then.
   */
  #settleLeadership(): Promise<void> {
    this.#settling ??= this.#settled().finally(() => {
      this.#settling = undefined;
    });
    return this.#settling;
  }

  async #settled(): Promise<void> {
    const isLeader = this.#isLeader;
    if (isLeader === this.#hasLed) return;
    if (isLeader) {
      if (!(await this.#tellKept()) || !this.#isLeader) return;
      this.checkpointer?.hold([...this.#followed.keys()], this.#stopping.signal);
    } else {
      // From now on ticks wait for the new leader, so no state may claim that they are written.
      this.checkpointer?.hold([], this.#stopping.signal);
    }
    this.#hasLed = isLeader;
    // Observers see from this whether this process now writes results.
    this.assigned$.next([...this.#followed.keys()]);
  }

  /**
   * Publish the end of the newest pane in the stored checkpoints of all partitions.
   *
   * @returns whether the store answered
   */
  async #tellKept(): Promise<boolean> {
    if (this.checkpointer === undefined) return true;
    try {
      const pane = await this.checkpointer.keptThrough([...this.#followed.keys()]);
      this.kept$.next((pane + 1) * this.#options.monitor.tickMs);
      return true;
    } catch (error) {
      if (!(error instanceof UnskewError) || error.code !== 'STATE') throw error;
      return false;
    }
  }

  async #restore(count: number): Promise<void> {
    const { topics, monitor } = this.#options;
    const settings = stateSettings(monitor);
    for (let partition = 0; partition < count; partition++) {
      const opened = await this.#kept(partition);
      if (opened !== undefined) {
        try {
          checkHead(
            opened,
            {
              partition,
              topics,
              settings,
            },
            'rows',
          );
        } catch (cause) {
          if (!(cause instanceof UnskewError)) throw cause;
          throw new UnskewError('USAGE', cause.message, { cause });
        }
      }
      await this.#begin(partition, opened);
    }
  }

  async #begin(partition: number, opened: OpenedCheckpoint | undefined): Promise<void> {
    this.settings$.next(await this.#ticks.restore(partition, opened?.bytes));
    for (const role of ROLES) {
      this.#noteNewest(role, partition, opened?.head.progress.newest[role]);
    }
    this.#follow(partition, placeOf(opened?.head));
  }

  /**
   * The checkpoint from which a partition continues. It was saved by a ticker or, if there is no
   * such checkpoint, by an earlier process that both read and ticked.
   */
  async #kept(partition: number): Promise<OpenedCheckpoint | undefined> {
    const { checkpoints, former, turns, now } = this.#options;
    const { signal } = this.#stopping;
    let opened = await this.checkpointer?.read(partition, signal);
    if (opened === undefined && checkpoints !== undefined && former !== undefined) {
      const before = new Checkpointer({
        ...checkpoints,
        store: former,
        turns,
        now,
      });
      const found = await before.read(partition, signal);
      opened = rowsIn(found);
    }
    this.checkpointer?.tellRead(partition, opened);
    return opened;
  }

  #follow(partition: number, place: PanesPlace | undefined): void {
    const fold = new PaneFold<Noted>(place?.known);
    const follower = new PaneFollower({
      log: this.#options.log.of(partition),
      from: place?.position,
      take: (logged) => this.#take(partition, logged),
      lost: () =>
        this.lostPanes$.next({
          partition,
          pane: fold.known.through + 1,
        }),
      changed: () => this.#heard(),
      failed: (error) => this.panes$.error(error),
    });
    this.#followed.set(partition, {
      follower,
      fold,
      waiting: 0,
    });
  }

  #heard(): void {
    const { trouble } = this.sharing;
    this.contact.state(trouble === undefined ? 'connected' : 'disconnected', trouble);
    this.#woken.next();
  }

  async #take(partition: number, { bytes, next }: LoggedPane): Promise<void> {
    const followed = this.#followed.get(partition)!;
    const { fold } = followed;
    const record: Noted = {
      ...readPaneRecord(bytes),
      record: bytes,
      position: next,
    };
    const { counted, isLost } = fold.take(record);
    if (isLost) {
      this.lostPanes$.next({
        partition,
        pane: counted[0].pane - 1,
      });
    }
    for (const each of counted) {
      this.#check(partition, each);
      followed.waiting++;
      this.#asked(this.#ticks.add(partition, each.record, each.position));
      this.#tell(partition, each);
    }
    this.#woken.next();
    while (followed.waiting > MOST_WAITING && !this.#stopping.signal.aborted) {
      await firstValueFrom(this.#taken);
    }
  }

  #check(partition: number, { tickMs, rules }: PaneRecord): void {
    const { monitor } = this.#options;
    if (rules === this.#options.rules) {
      this.#mixed.delete(partition);
    } else {
      this.#mixed.add(partition);
    }
    if (tickMs === monitor.tickMs) return;
    throw new UnskewError(
      'USAGE',
      `the panes topic has panes of ${tickMs} ms, but time.tick of this process is ${monitor.tickMs} ms: give readers and tickers the same configuration`,
    );
  }

  /** Publish the outcomes of events that a record states. */
  #tell(partition: number, { outcomes, newest, to }: PaneRecord): void {
    for (const role of ROLES) {
      this.#noteNewest(role, partition, newest[role]);
      this.applied$.next({
        role,
        partition,
        outcomes: Outcomes.read(outcomes[role]),
        deadLetters: [],
        replayed: 0,
        nextOffset: to[role],
        highWatermark: to[role],
        newestTs: this.newestOf(role, partition),
      });
    }
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const wake = firstValueFrom(this.#woken);
      if (await this.#between(() => this.#step())) continue;
      await wake;
    }
  }

  /**
   * Take the next step of the ticks.
   *
   * @returns whether there was a step to take
   */
  async #step(): Promise<boolean> {
    const stepped = await this.#ticks.step();
    const { done, seconds, waiting, swept } = stepped;
    this.#stepped = stepped;
    for (const [partition, followed] of this.#followed) {
      followed.waiting = waiting.get(partition) ?? 0;
    }
    this.#taken.next();
    for (const each of swept) {
      this.swept$.next(each);
    }
    if (done.kind === 'wait') return false;
    if (done.kind === 'extended') {
      await this.#extend(done.partitions);
    }
    if (done.kind === 'ticked') {
      this.panes$.next({
        ...done.closed,
        seconds,
      });
    }
    return true;
  }

  #noteNewest(role: TopicRole, partition: number, newest = Number.NEGATIVE_INFINITY): void {
    const key = `${role}/${partition}`;
    this.#newest.set(key, Math.max(this.#newest.get(key) ?? newest, newest));
  }

  /** Report an error of work that is not awaited as an error of `panes$`. */
  #asked(work: Promise<void>): void {
    work.catch((error: unknown) => this.panes$.error(error));
  }

  /**
   * Follow the partitions that were added to the topics, each from its beginning in the panes
   * topic.
   */
  async #extend(to: number): Promise<void> {
    const from = this.#followed.size;
    if (!(await this.#opened())) return;
    for (let partition = from; partition < to; partition++) {
      await this.#begin(partition, undefined);
      this.#followed.get(partition)!.follower.start();
    }
    const all = [...this.#followed.keys()];
    if (this.#hasLed) {
      this.checkpointer?.hold(all, this.#stopping.signal);
    }
    this.assigned$.next(all);
    this.logChanges$.next({
      kind: 'extended',
      from,
      to,
    });
  }

  /**
   * Open the panes topic again, with retries.
   *
   * @returns false if the process stops first
   */
  async #opened(): Promise<boolean> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#options.log.open();
        this.#tellTrouble(undefined);
        return true;
      } catch (error) {
        if (!(error instanceof UnskewError) || error.code !== 'BROKER') throw error;
        this.#tellTrouble(error.message);
        await firstValueFrom(race(timer(AGAIN_MS), fromEvent(this.#stopping.signal, 'abort')));
      }
    }
    return false;
  }

  #tellTrouble(trouble: string | undefined): void {
    this.#trouble = trouble;
    this.#heard();
  }

  async #save(): Promise<void> {
    await this.#settleLeadership();
    if (this.checkpointer === undefined) return;
    if (!this.#hasLed) {
      await this.#tellKept();
      return;
    }
    if (this.checkpointer.isFenced) {
      this.checkpointer.hold([...this.#followed.keys()], this.#stopping.signal);
    }
    const rest = {
      waitsForPanes: false,
      atRest: <T>(_: number, work: () => Promise<T>) => this.#between(work),
    };
    await this.checkpointer.save([...this.#followed.keys()], this.#ticks, rest);
  }

  #between<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
