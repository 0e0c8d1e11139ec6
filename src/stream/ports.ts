/**
 * Ports of the pipeline. Every implementation passes the contract suite of its port
 * (test/contract).
 */

import type { SourceMark, SourceProgress } from './panes/source-times.js';
import type { RecordMark } from './read/record-mark.js';

export type TopicRole = 'exposures' | 'interactions';

/** Records that the log holds and the source would not unpack. */
export interface RefusedRecords {
  readonly records: number;
  readonly detail: string;
}

/** Records of one partition of one topic, in log order. */
export interface RecordBatch {
  readonly role: TopicRole;
  readonly partition: number;
  /** Log offset of each record; strictly increasing. */
  readonly offsets: Float64Array;
  /** Value of record r; null for a tombstone. */
  readonly values: readonly (Uint8Array | null)[];
  /** The log's own time of each record (ms), the reference that `maxFuture` is judged by. */
  readonly recordTs: Float64Array;
  /** Offset after the newest record of the partition, as far as known. */
  readonly highWatermark: number;
  /** What is kept of record r, so that a log that is no longer this one is recognised. */
  mark?(r: number): RecordMark;
  /** By row: which partition the event came from, where others have brought it into this log. */
  readonly sources?: readonly (SourceMark | SourceProgress | undefined)[];
  /** By row: what stands for records that were refused, at the last offset of them. */
  readonly refused?: ReadonlyMap<number, RefusedRecords>;
  /** By row: the header that names the schema of its value, where the record has one. */
  readonly frames?: ReadonlyMap<number, Uint8Array>;
}

/** How far a log was read, with marks of what was read of it, newest first. */
export interface ReadThrough {
  readonly next: number;
  readonly marks: readonly RecordMark[];
}

/** Where reading starts: the log's beginning, its end, a given next offset, or where it stood. */
export type StartPosition = 'earliest' | 'latest' | number | ReadThrough;

/** A log that is not the one that was read. */
export interface LogChange {
  /**
   * `truncated`: it lost its end, and other records come after what is left. `recreated`: nothing
   * of what was read is in it.
   */
  readonly kind: 'truncated' | 'recreated';
  /** What was to be read next. */
  readonly expected: number;
  /** Where reading goes on: the first record that was not read. */
  readonly found: number;
  /** The last record that was read and is still there, where it is known. */
  readonly kept?: RecordMark;
}

export interface SourceHandlers {
  /**
   * All partitions that this process holds from now on, both topics of each, after every change in
   * the group; called before any of their records. Answers where to start per topic role. A
   * partition that was held before is among them again: the answer is the offset where its state
   * stands, and nothing is lost or repeated.
   *
   * @param count how many partitions each topic has
   * @param outdated given when the assignment is none any more: what was not taken over by then
   *   belongs to another worker, and the answer is not looked at
   */
  assigned(
    partitions: readonly number[],
    count: number,
    outdated: AbortSignal,
  ): Promise<ReadonlyMap<number, StartPositions>>;
  /**
   * The group has confirmed that the newest assignment still holds.
   *
   * @param generation of the group, which counts its assignments
   */
  confirmed?(generation: number): void;
  /** Partitions that this process held and holds no more; none of their batches is under way. */
  revoked(partitions: readonly number[]): void;
  /**
   * Awaited before the next batch of the same partition: this is the backpressure. `again`: not all
   * of it was taken, and it is to be delivered once more, with what has come after it or without.
   */
  batch(batch: RecordBatch): Promise<void> | Promise<undefined | 'again'>;
  /** The partition was read to its end (called again after each time it is reached). */
  caughtUp?(role: TopicRole, partition: number): void;
  /** Records are missing: `expected` was next, but the log begins at `found`, which is after it. */
  gap?(role: TopicRole, partition: number, expected: number, found: number): void;
  /** Called before any record from `found` on. What was read and is gone stays read. */
  changed?(role: TopicRole, partition: number, change: LogChange): void;
  /** Connection state, for readiness. */
  /** @param why what is wrong, where that is known */
  state(state: 'connected' | 'disconnected', why?: string): void;
  /**
   * Reading has ended for good: a handler failed, or the log holds what cannot be read. Where
   * nobody listens the error is thrown at the process.
   */
  failed?(error: Error): void;
}

export interface StartPositions {
  readonly exposures: StartPosition;
  readonly interactions: StartPosition;
}

/** How far a topic-partition is read, beside what its log holds. */
export interface LogEnd {
  readonly role: TopicRole;
  readonly partition: number;
  /** What lies before this offset is delivered, and the handlers are done with it. */
  readonly next: number;
  /** Offset after the newest record that the log held when it was asked, or later. */
  readonly end: number;
  /**
   * Offset up to which it can be read: before `end` while a transaction is open. Left out where a log
   * has no transactions.
   */
  readonly stable?: number;
}

/** Offset of each topic that is to be read next; undefined where nothing was read yet. */
export type NextOffsets = { readonly [role in TopicRole]?: number };

/** A partitioned log that is read in order: Kafka, or the embedded broker. */
export interface LogSource {
  /** Resolves when the source is connected and reading; rejects with code BROKER where it cannot. */
  start(handlers: SourceHandlers): Promise<void>;
  /** Leaves the group and joins it again: what was held may have been another's meanwhile. */
  rejoin(why: string): void;
  /**
   * Ask the log for the end offsets of the partitions that are read here. Cached offsets do not
   * count: if the log cannot be reached, there is no answer or a late one. Never rejects.
   */
  ends(): Promise<readonly LogEnd[]>;
  /** Commits how far a partition is kept, for others to watch the lag. Reading never starts there. */
  commit?(partition: number, next: NextOffsets): void;
  /**
   * Partitions that any member of the group ever committed, as far as the log remembers.
   *
   * @throws UnskewError BROKER if the log does not say
   */
  committed?(): Promise<readonly number[]>;
  /** Ends after the batch that is under way; resolves when nothing will be delivered any more. */
  stop(): Promise<void>;
}

export interface OutgoingRecord {
  readonly key: Uint8Array | string | null;
  /** null: a tombstone. */
  readonly value: Uint8Array | string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly partition?: number;
}

export interface LogWriter {
  send(topic: string, records: readonly OutgoingRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** One refused event, as it is kept for people to look at. */
export interface DeadLetter {
  readonly reason: string;
  readonly detail: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly value: Uint8Array;
}

export interface DeadLetterSink {
  write(letters: readonly DeadLetter[]): Promise<void>;
  close(): Promise<void>;
}

/** Where a reader of a partition of the panes topic stands. */
export interface PanesPosition {
  /** Offset that is read next. */
  readonly offset: number;
  /** What lies before that offset, as far as it tells this log from another; empty if unknown. */
  readonly mark: string;
}

export interface LoggedPane {
  readonly bytes: Uint8Array;
  /** Where reading goes on after it. */
  readonly next: PanesPosition;
}

/** One partition of the panes topic. Failures that may pass are UnskewErrors with code BROKER. */
export interface PanePartitionLog {
  /** Resolves when the record is there; after a failure it may be, and may come once more. */
  append(record: Uint8Array, pane: number): Promise<void>;
  /**
   * What comes from a position on; waits for it as long as this.
   *
   * @returns `gone`: the log no longer holds what lies there, or holds something else
   */
  read(from: PanesPosition, waitMs: number): Promise<readonly LoggedPane[] | 'gone'>;
  /**
   * Offset up to which the last read has looked: it may lie behind the records that it gave, where a
   * record follows that is not whole.
   */
  readonly lookedTo: number;
  /** Its two ends now. */
  ends(): Promise<{
    readonly first: PanesPosition;
    readonly next: PanesPosition;
  }>;
  /** The pane of the newest record; undefined if there is none. */
  newestPane(): Promise<number | undefined>;
}

/** The closed panes of all partitions, written by those who read events and read by those who tick. */
export interface PanesLog {
  /**
   * Makes sure that it can be written and read, and has as many partitions as the topics of events.
   *
   * @returns how many that are
   * @throws UnskewError BROKER or USAGE where it is missing and cannot be made
   */
  open(): Promise<number>;
  of(partition: number): PanePartitionLog;
  close(): Promise<void>;
}

/**
 * Where checkpoints are kept: of each partition the newest and the one before. To take a partition
 * over a worker first takes an epoch; from then on writers under an older one are refused, and
 * nothing that is kept changes by them. Failures that may pass are UnskewErrors with code STATE.
 */
export interface CheckpointStore {
  /** A number above all that were taken of the partition. */
  takeEpoch(partition: number): Promise<number>;
  /** What is kept, newest first; read when it is asked for, and not checked. */
  load(partition: number): AsyncIterable<Uint8Array>;
  /** Keeps all of it or nothing; `fenced`: somebody has taken a newer epoch. */
  save(
    partition: number,
    epoch: number,
    chunks: readonly Uint8Array[],
  ): Promise<'saved' | 'fenced'>;
  /**
   * Keeps this one alone, or nothing without chunks: the ones before go.
   */
  replace(
    partition: number,
    epoch: number,
    chunks: readonly Uint8Array[] | undefined,
  ): Promise<'saved' | 'fenced'>;
  /** Partitions that anything is kept of, in their order. */
  partitions(): Promise<readonly number[]>;
  /** Up to this many of the newest one's first bytes; undefined without a newest. */
  peek(partition: number, bytes: number): Promise<Uint8Array | undefined>;
  /** Whether the newest is still there, all of it; of what is in it nothing is looked at. */
  isWhole(partition: number): Promise<boolean>;
  /** What a server does when its memory is full, in its own term: `noeviction`, or it throws away. */
  evictionPolicy?(): Promise<string>;
  close(): Promise<void>;
}
