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

export interface PaneWriterOptions {
  readonly log: PanesLog;
  readonly turns: Turns;
  /** Wall clock, ms. */
  readonly now: () => number;
  readonly tickMs: number;
  /** Partitions of this process, and the number of all. */
  readonly partitions: readonly number[];
  readonly count: number;
  /** Short hash of the settings that numbers depend on. */
  readonly rules: string;
  /** Position of a partition's checkpoint; undefined if there is none. */
  readonly placeOf: (partition: number) => PanesPlace | undefined;
  /** Whether a partition was read completely at some time since then. */
  readonly wasAtEnd: (partition: number, since: number) => boolean;
  readonly lost: (pane: LostPane) => void;
  /** Called to load the state from the checkpoints again. */
  readonly reload: (why: string) => void;
  /** Called on an error from which it cannot continue. */
  readonly failed: (error: unknown) => void;
}

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];
/** Interval of checking whether time has advanced without records, ms. */
const POLL_MS = 250;
/** Delay before a failed write is repeated, ms. */
const AGAIN_MS = 500;
/** Time after which a written record that does not count is lost, ms. */
const LOST_MS = 30_000;
/** Number of panes read ahead of the next to close. */
const AHEAD = 2;

interface Noted extends PaneRecord {
  /** Position after the record. */
  readonly position: PanesPosition;
  /** Time of reading, monotonic; the log then had everything before its offsets. */
  readonly takenAt: number;
}

/** The record of a pane closed here that does not count yet. */
interface Written {
  readonly head: PaneRecordHead;
  readonly bytes: Uint8Array;
  at: number;
  isRead: boolean;
}

/** Work that waits until a pane closes, since state can be saved only there. */
interface Wanted {
  readonly work: () => Promise<unknown>;
  readonly done: (result: unknown) => void;
}

interface Own {
  readonly number: number;
  readonly panes: PartitionPanes<Noted>;
  readonly follower: PaneFollower;
  /** Position from which the topic is read by a process that continues after the newest pane closed here. */
  position: PanesPosition | undefined;
  written: Written | undefined;
  wanted: Wanted | undefined;
  /** Release the result of the work when the pane counts, or discard it. */
  captured: ((isCounted: boolean) => void) | undefined;
  /** Outcomes of the events since the newest pane closed. */
  outcomes: Record<TopicRole, Outcomes>;
  /** Ranges of offsets without records around the end of a pane. */
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
 * while other processes tick. Partitions advance independently of other readers.
 *
 * A partition is saved with its state at the close of a pane, once that pane's record counts. At
 * any other position it might include events beyond the end of the pane as closed by another
 * reader.
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
  /** The newest known pane closed by partitions of other processes. */
  #othersNewest = Number.NEGATIVE_INFINITY;
  #needsOthers = false;
  #isAsking = false;
  #isReloading = false;
  #isStopped = false;
  #trouble: string | undefined;
  readonly #stopping = new Subject<void>();
  /** Queue of work that changes the state. */
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
    // What was applied before the cut comes again with what lies behind it.
    return from > this.#cutOf(partition)[role] ? rows : 0;
  }

  async poke(): Promise<void> {
    if (this.#isStopped) return;
    await this.#between(() => this.#advance());
    this.roomy$.next();
  }

  /** Check for panes to close, in the background. */
  #wake(): void {
    this.poke().catch(this.#options.failed);
  }

  /** Wait until a pane closes and counts, unless everything read is in the newest counted pane. */
  async atRest<T>(partition: number, work: () => Promise<T>): Promise<T | undefined> {
    const own = this.#own.get(partition);
    if (own === undefined || this.#isReloading || this.#isStopped) return undefined;
    const atOnce = await this.#between(async () =>
      this.#isAtRest(own) ? { result: await work() } : undefined,
    );
    if (atOnce !== undefined) return atOnce.result;
    // It may have been stopped meanwhile, and then no pane closes that could be waited for.
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
      // What waits for a pane that closed before, and counts by now.
      if (!this.#isReloading && this.#isAtRest(own)) {
        await this.#capture(own);
      }
    }
    const atRest = (work: () => Promise<void>) => work();
    await sweepIds(this.#ingest, this.#options.turns, atRest, (swept) => this.swept$.next(swept));
  }

  /** Take the next step of a partition; @returns whether there was one */
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
    // The one that goes on from here reads the record itself once more, which is void then.
    own.position = own.follower.position ?? own.position;
    own.written = {
      head,
      bytes,
      at: Number.POSITIVE_INFINITY,
      isRead: false,
    };
    void this.#append(own, own.written);
  }

  /** Write a record until it succeeds or is no longer needed. */
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

  /** Whether everything read of a partition is in its newest counted pane. */
  #isAtRest({ number, panes, position }: Own): boolean {
    return (
      position !== undefined && panes.isCounted && isSameCut(this.#cutOf(number), panes.closed.to)
    );
  }

  /** Run the work that waits for a pane to close; its result is released when the pane counts. */
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
      // It was read and hangs on what is gone: the next one that hangs on it proves that.
      own.written = undefined;
      this.#giveOut(own, false);
      own.panes.giveUp();
    }
  }

  /** Ask how far the partitions of other processes are, repeatedly if needed. */
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
   * The newest pane that a partition may close. A silent partition does not pass the others, or the
   * newest event if all partitions of this process are silent.
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

  /** Whether everything before a record's offsets is read, or no longer in the log. */
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

/** How many of numbers that ascend are below another. */
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
