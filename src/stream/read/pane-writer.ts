import { firstValueFrom, interval, race, Subject, type Subscription, timer } from 'rxjs';
import { UnskewError } from '../../errors.js';
import { type Swept, sweepIds } from '../id-tables.js';
import { Outcomes } from '../outcomes.js';
import { type Cut, isSameCut, isSameHead, type LostPane, type PanesPlace } from '../panes/fold.js';
import {
  type PaneRecord,
  type PaneRecordHead,
  PaneRecordWriter,
  readPaneRecord,
} from '../panes/pane-record.js';
import type { LoggedPane, PanesLog, PanesPosition, RecordBatch, TopicRole } from '../ports.js';
import { runSliced, type Turns } from '../sliced.js';
import type { AppliedBatch, Ingest } from './ingest.js';
import type { Closer, TimedPane } from './pane-closer.js';
import { PaneFollower } from './pane-follower.js';
import { PartitionPanes, type PartitionStand } from './partition-panes.js';

/** Options of closing panes for other processes that tick. */
export interface PaneWriterOptions {
  readonly log: PanesLog;
  readonly turns: Turns;
  /** Wall clock, ms. */
  readonly now: () => number;
  readonly tickMs: number;
  /** Partitions that this process reads. */
  readonly partitions: readonly number[];
  /** Number of partitions of each topic, over all processes. */
  readonly count: number;
  /**
   * Short hash of the settings that results depend on, by which the ticking process notices other
   * settings.
   */
  readonly rules: string;
  /**
   * Position in the panes topic that a partition's checkpoint states; undefined if there is none.
   */
  readonly placeOf: (partition: number) => PanesPlace | undefined;
  /**
   * Whether a partition was completely read, according to a request that was made after `since`
   * (monotonic, ms).
   */
  readonly wasAtEnd: (partition: number, since: number) => boolean;
  /** Called with a pane whose record is missing in the panes topic. */
  readonly lost: (pane: LostPane) => void;
  /** Called to load the partitions again from their checkpoints, with the reason. */
  readonly reload: (why: string) => void;
  /** Called with an error after which closing cannot continue. */
  readonly failed: (error: unknown) => void;
}

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];
/** Interval of checking whether event time has advanced without records, ms. */
const POLL_MS = 250;
/** Delay before a failed write is repeated, ms. */
const AGAIN_MS = 500;
/**
 * Time after which a written record that does not count yet is treated as lost, ms. It is written
 * again if it was not read back; otherwise a record before it is missing.
 */
const LOST_MS = 30_000;
/**
 * Reading pauses when the newest pane that may close is this number of panes after the next pane to
 * close.
 */
const AHEAD = 2;

/** A record read from the panes topic. */
interface Noted extends PaneRecord {
  /** Position in the panes topic after the record. */
  readonly position: PanesPosition;
  /**
   * Monotonic time at which the record was read, ms. By then the log of events had all events
   * before the offsets of the record.
   */
  readonly takenAt: number;
}

/**
 * The record of a pane that this process closed, while the record does not count yet. It counts
 * once it is read back as the first successor of the last counted record.
 */
interface Written {
  readonly head: PaneRecordHead;
  readonly bytes: Uint8Array;
  /** When writing succeeded, monotonic, ms; Infinity while it is being written. */
  at: number;
  /** Whether the record was read back from the topic. */
  isRead: boolean;
}

/**
 * Work that saves the state of a partition. It waits until a pane closes, since only the state at
 * the close of a pane can be saved.
 */
interface Wanted {
  readonly work: () => Promise<unknown>;
  readonly done: (result: unknown) => void;
}

/** Progress of one partition of this process. */
interface Own {
  readonly number: number;
  readonly panes: PartitionPanes<Noted>;
  readonly follower: PaneFollower;
  /**
   * Position in the panes topic that is stored with the state. From there, another process
   * continues after the newest pane closed here.
   */
  position: PanesPosition | undefined;
  written: Written | undefined;
  wanted: Wanted | undefined;
  /**
   * Ends the saving of the state at the newest close. The result of saving is released if the
   * record of the closed pane counts, and discarded otherwise.
   */
  captured: ((isCounted: boolean) => void) | undefined;
  /** Outcomes of the events applied since the newest pane closed. */
  outcomes: Record<TopicRole, Outcomes>;
  /**
   * By topic: range of offsets without records, in which the next pane to close ends. `from` is the
   * offset after the last record that belongs to the pane, and `to` is the offset of the first
   * record after the pane.
   */
  readonly reached: Partial<
    Record<
      TopicRole,
      {
        readonly from: number;
        readonly to: number;
      }
    >
  >;
}

/**
 * Closes the panes of this process's partitions and writes each as one record to the panes topic,
 * while other processes tick. Each partition advances on its own.
 *
 * The state of a partition is saved only as it is at the close of a pane, and only once the record
 * of that pane counts. At any other position the state might include events that another process
 * puts into a later pane.
 */
export class PaneWriter implements Closer {
  readonly panes$ = new Subject<TimedPane>();
  readonly swept$ = new Subject<Swept>();
  readonly roomy$ = new Subject<void>();
  readonly waitsForPanes = true;
  readonly heldRows = 0;
  readonly #ingest: Ingest;
  readonly #options: PaneWriterOptions;
  readonly #own: ReadonlyMap<number, Own>;
  readonly #writer = new PaneRecordWriter();
  readonly #polling: Subscription;
  /** Newest pane that partitions of other processes are known to have closed. */
  #othersNewest = Number.NEGATIVE_INFINITY;
  /**
   * Whether a silent partition of this process waits until it is known which panes other processes
   * have closed.
   */
  #needsOthers = false;
  /** Whether the newest panes of the other partitions are being requested. */
  #isAsking = false;
  #isReloading = false;
  #isStopped = false;
  #trouble: string | undefined;
  readonly #stopping = new Subject<void>();
  /** End of the queue of work that changes the state. */
  #last: Promise<unknown> = Promise.resolve();

  /** To be created after the partitions are restored. */
  constructor(ingest: Ingest, options: PaneWriterOptions) {
    this.#ingest = ingest;
    this.#options = options;
    this.#own = new Map(options.partitions.map((number) => [number, this.#begin(number)]));
    ingest.checkpoints.panes = (partition) => this.#placeOf(partition);
    for (const { follower } of this.#own.values()) {
      follower.start();
    }
    this.#polling = interval(POLL_MS).subscribe(() => {
      this.#poll().catch(this.#options.failed);
    });
  }

  /** Why the panes topic fails; undefined while it works. */
  get trouble(): string | undefined {
    if (this.#trouble !== undefined) return this.#trouble;
    for (const { follower } of this.#own.values()) {
      if (follower.trouble !== undefined) return follower.trouble;
    }
    return undefined;
  }

  /** Run work that applies events, while no pane closes. */
  async applying(work: () => Promise<AppliedBatch>): Promise<AppliedBatch> {
    const applied = await this.#between(work);
    this.#own.get(applied.partition)?.outcomes[applied.role].add(applied.outcomes);
    return applied;
  }

  room({ role, partition, offsets }: Pick<RecordBatch, 'role' | 'partition' | 'offsets'>): number {
    const own = this.#own.get(partition);
    if (own === undefined || this.#isReloading || this.#isStopped) return 0;
    if (!own.follower.isRead) return 0;
    const { limit, closed } = own.panes;
    if (limit === undefined) {
      const { oldestOpen, closable } = this.#standOf(own);
      const next = Number.isFinite(closed.through) ? closed.through + 1 : oldestOpen;
      return closable >= next + AHEAD ? 0 : offsets.length;
    }
    const rows = countBelow(offsets, limit[role]);
    if (rows === offsets.length) return rows;
    const from = rows === 0 ? 0 : offsets[rows - 1] + 1;
    const to = offsets[rows];
    const known = own.reached[role];
    if (known?.from !== from || known.to !== to) {
      own.reached[role] = { from, to };
      this.#wake();
    }
    // Records before the cut are delivered again and have already been applied.
    return from > this.#cutOf(partition)[role] ? rows : 0;
  }

  async poke(): Promise<void> {
    if (this.#isStopped) return;
    await this.#between(() => this.#advance());
    this.roomy$.next();
  }

  /** Close the panes that are due, in the background. */
  #wake(): void {
    this.poke().catch(this.#options.failed);
  }

  /**
   * Run work that saves a partition at the close of a pane. The work runs at once if all events
   * read so far belong to the newest closed pane and the record of that pane counts. Otherwise it
   * runs at the close of the next pane, and its result is released when the record of that pane
   * counts.
   */
  async atRest<T>(partition: number, work: () => Promise<T>): Promise<T | undefined> {
    const own = this.#own.get(partition);
    if (own === undefined || this.#isReloading || this.#isStopped) return undefined;
    const atOnce = await this.#between(async () =>
      this.#isAtRest(own) ? { result: await work() } : undefined,
    );
    if (atOnce !== undefined) return atOnce.result;
    // If it was stopped meanwhile, no further pane closes.
    if (this.#isReloading || this.#isStopped) return undefined;
    return new Promise((resolve) => {
      own.wanted?.done(undefined);
      own.wanted = {
        work,
        done: (result) => resolve(result as T | undefined),
      };
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#polling.unsubscribe();
    this.#stopping.next();
    for (const own of this.#own.values()) {
      this.#drop(own);
    }
    await Promise.all([...this.#own.values()].map(({ follower }) => follower.stop()));
    await this.#last;
    this.panes$.complete();
  }

  #begin(number: number): Own {
    const place = this.#options.placeOf(number);
    const panes = new PartitionPanes<Noted>(place?.known);
    const follower = new PaneFollower({
      log: this.#options.log.of(number),
      from: place?.position,
      take: (logged) => this.#take(number, logged),
      lost: () =>
        this.#options.lost({
          partition: number,
          pane: panes.closed.through + 1,
        }),
      changed: () => this.#wake(),
      failed: this.#options.failed,
    });
    return {
      number,
      panes,
      follower,
      position: place?.position,
      written: undefined,
      wanted: undefined,
      captured: undefined,
      outcomes: {
        exposures: new Outcomes(),
        interactions: new Outcomes(),
      },
      reached: {},
    };
  }

  async #take(number: number, { bytes, next }: LoggedPane): Promise<void> {
    await this.#between(async () => this.#note(number, bytes, next));
    this.#wake();
  }

  #note(number: number, bytes: Uint8Array, next: PanesPosition): void {
    const own = this.#own.get(number)!;
    const takenAt = this.#options.turns.now();
    const record: Noted = {
      ...readPaneRecord(bytes),
      position: next,
      takenAt,
    };
    const { written, panes } = own;
    if (written !== undefined && isSameHead(written.head, record)) {
      written.isRead = true;
    }
    const isLost = panes.take(record);
    if (isLost) {
      this.#options.lost({
        partition: number,
        pane: record.pane - 1,
      });
    }
    if (panes.isCounted && written !== undefined) {
      own.written = undefined;
      own.position = next;
      this.#giveOut(own, true);
    }
  }

  async #advance(): Promise<void> {
    this.#needsOthers = false;
    for (const own of this.#own.values()) {
      while (!this.#isStopped && !this.#isReloading && (await this.#step(own))) {}
      // Save a partition that waited for a pane that now counts.
      if (!this.#isReloading && this.#isAtRest(own)) {
        await this.#capture(own);
      }
    }
    const atRest = (work: () => Promise<void>) => work();
    await sweepIds(this.#ingest, this.#options.turns, atRest, (swept) => this.swept$.next(swept));
  }

  /**
   * Take the next step of a partition.
   *
   * @returns whether there was one
   */
  async #step(own: Own): Promise<boolean> {
    const { panes, follower, number } = own;
    const step = panes.step(this.#standOf(own), follower.isRead);
    switch (step.kind) {
      case 'wait':
        return false;
      case 'reload':
        this.#isReloading = true;
        this.#drop(own);
        this.#options.reload(`partition ${number}: ${step.why}`);
        return false;
      case 'follow':
        await this.#close(number, step.head.pane, step.head.through);
        panes.followed(step.head);
        own.position = (step.head as Noted).position;
        break;
      case 'pass': {
        await this.#close(number, step.pane, step.pane);
        const through = panes.throughOf(step.pane, this.#standOf(own));
        this.#ingest.monitor.partitions.pass(number, through);
        panes.passed(through, this.#cutOf(number));
        this.#options.lost({
          partition: number,
          pane: step.pane,
        });
        break;
      }
      case 'write':
        await this.#write(own, step.pane);
        break;
    }
    own.outcomes = {
      exposures: new Outcomes(),
      interactions: new Outcomes(),
    };
    await this.#capture(own);
    return true;
  }

  async #close(number: number, pane: number, through: number) {
    const { monitor } = this.#ingest;
    const content = await runSliced(monitor.closePartition(number, pane), this.#options.turns);
    monitor.partitions.pass(number, through);
    return content;
  }

  async #write(own: Own, pane: number): Promise<void> {
    const { number, panes } = own;
    const { tickMs, turns, rules, count, now } = this.#options;
    const { monitor } = this.#ingest;
    const isEmpty = this.#standOf(own).oldestOpen > pane;
    const content = await this.#close(number, pane, pane);
    const through = panes.throughOf(pane, this.#standOf(own));
    monitor.partitions.pass(number, through);
    const newest = (role: TopicRole) => monitor.watermarks.newest(role, number);
    const head: PaneRecordHead = {
      after: panes.closed.through,
      pane,
      through,
      from: panes.closed.to,
      to: this.#cutOf(number),
      partitions: count,
      tickMs,
      rules,
      behindMs: now() - (pane + 1) * tickMs,
      isEmpty,
      outcomes: {
        exposures: own.outcomes.exposures.stored,
        interactions: own.outcomes.interactions.stored,
      },
      newest: {
        exposures: newest('exposures'),
        interactions: newest('interactions'),
      },
    };
    const tables = this.#ingest.tablesOf(number);
    const bytes = await runSliced(this.#writer.write(head, content, tables), turns);
    panes.wrote(head);
    // A process that continues from here reads this record once more and ignores it.
    own.position = own.follower.position ?? own.position;
    own.written = {
      head,
      bytes,
      at: Number.POSITIVE_INFINITY,
      isRead: false,
    };
    void this.#append(own, own.written);
  }

  /** Write a record, retrying until it succeeds or is no longer needed. */
  async #append(own: Own, written: Written): Promise<void> {
    written.at = Number.POSITIVE_INFINITY;
    while (own.written === written && !this.#isStopped) {
      try {
        await this.#options.log.of(own.number).append(written.bytes, written.head.through);
        written.at = this.#options.turns.now();
        this.#trouble = undefined;
        return;
      } catch (error) {
        if (!(error instanceof UnskewError) || error.code !== 'BROKER') {
          this.#options.failed(error);
          return;
        }
        this.#trouble = error.message;
      }
      await firstValueFrom(race(timer(AGAIN_MS), this.#stopping));
    }
  }

  /**
   * Whether all events read of a partition belong to its newest closed pane, and the record of that
   * pane counts.
   */
  #isAtRest({ number, panes, position }: Own): boolean {
    return (
      position !== undefined && panes.isCounted && isSameCut(this.#cutOf(number), panes.closed.to)
    );
  }

  /**
   * Run the saving that waits for the close of a pane. Its result is released when the record of
   * the pane counts.
   */
  async #capture(own: Own): Promise<void> {
    const { wanted } = own;
    if (wanted === undefined) return;
    own.wanted = undefined;
    const result = await wanted.work();
    if (own.panes.isCounted) {
      wanted.done(result);
    } else {
      own.captured = (isCounted) => wanted.done(isCounted ? result : undefined);
    }
  }

  #drop(own: Own): void {
    own.wanted?.done(undefined);
    own.wanted = undefined;
    this.#giveOut(own, false);
  }

  #giveOut(own: Own, isCounted: boolean): void {
    own.captured?.(isCounted);
    own.captured = undefined;
  }

  async #poll(): Promise<void> {
    this.#noticeLoss();
    if (this.#needsOthers && !this.#isAsking) {
      await this.#askOthers();
    }
    await this.poke();
  }

  #noticeLoss(): void {
    const since = this.#options.turns.now() - LOST_MS;
    for (const own of this.#own.values()) {
      const { written } = own;
      if (written === undefined || written.at > since) continue;
      if (!written.isRead) {
        void this.#append(own, written);
        continue;
      }
      // Its predecessor is gone from the topic; the next record written after it proves that.
      own.written = undefined;
      this.#giveOut(own, false);
      own.panes.giveUp();
    }
  }

  /** Request which panes the partitions of other processes have closed. */
  async #askOthers(): Promise<void> {
    const { log, count } = this.#options;
    this.#isAsking = true;
    try {
      for (let number = 0; number < count && !this.#isStopped; number++) {
        if (this.#own.has(number)) continue;
        const newest = await log.of(number).newestPane();
        if (newest !== undefined) {
          this.#othersNewest = Math.max(this.#othersNewest, newest);
        }
      }
    } catch (error) {
      if (!(error instanceof UnskewError) || error.code !== 'BROKER') {
        this.#options.failed(error);
      }
    } finally {
      this.#isAsking = false;
    }
  }

  #standOf(own: Own): PartitionStand {
    const { number } = own;
    const { state } = this.#ingest.monitor.partitions.of(number);
    return {
      read: this.#cutOf(number),
      oldestOpen: state.oldestOpenPane,
      closable: this.#closableIn(own),
      isRead: (head) => this.#isRead(own, head as Noted),
    };
  }

  /**
   * The newest pane that a partition may close by event time. A silent partition may close a pane
   * only if some other partition has closed that pane or a later one. If all partitions of this
   * process are silent, they may close the panes up to that of the newest event.
   */
  #closableIn({ number }: Own): number {
    const { watermarks } = this.#ingest.monitor;
    const { tickMs } = this.#options;
    const { watermark, isIdle } = watermarks.ofPartition(number);
    const closable = Math.floor(watermark / tickMs) - 1;
    if (!isIdle) return closable;
    const all = [...this.#own.values()];
    let most = this.#othersNewest;
    for (const { panes } of all) {
      most = Math.max(most, panes.closed.through);
    }
    if (all.every((each) => watermarks.ofPartition(each.number).isIdle)) {
      most = Math.max(most, watermarks.endOfNewestPane() / tickMs - 1);
    }
    if (closable > most) {
      this.#needsOthers = true;
    }
    return Math.min(closable, most);
  }

  /** Whether everything before the offsets of a record is read, or is no longer in the log. */
  #isRead({ number, reached }: Own, { to: cut, takenAt }: Noted): boolean {
    if (this.#options.wasAtEnd(number, takenAt)) return true;
    const read = this.#cutOf(number);
    return ROLES.every((role) => {
      const { from = 0, to = 0 } = reached[role] ?? {};
      return read[role] >= cut[role] || (read[role] >= from && to >= cut[role]);
    });
  }

  #cutOf(number: number): Cut {
    const next = (role: TopicRole) => this.#ingest.records.nextOffset(role, number) ?? 0;
    return {
      exposures: next('exposures'),
      interactions: next('interactions'),
    };
  }

  #placeOf(partition: number): PanesPlace | undefined {
    const own = this.#own.get(partition);
    if (own === undefined) return undefined;
    const { panes, position } = own;
    return {
      known: panes.closed,
      position,
    };
  }

  #between<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

/** How many of the ascending numbers are below the limit. */
function countBelow(ascending: Float64Array, limit: number): number {
  let from = 0;
  let to = ascending.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (ascending[middle] < limit) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}
