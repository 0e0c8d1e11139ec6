/**
 * Interfaces between the pipeline and its log, stores and sinks. Every implementation passes the
 * contract suite of its interface (test/contract).
 */

import type { SourceMark, SourceProgress } from './panes/source-times.js';
import type { RecordMark } from './read/record-mark.js';

export type TopicRole = 'exposures' | 'interactions';

/** A number of records that the source rejected without decoding them, and why. */
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
  /** Record time of each record in the log, ms, against which `maxFuture` is checked. */
  readonly recordTs: Float64Array;
  /** Offset after the newest record of the partition, as far as known. */
  readonly highWatermark: number;
  /** Mark of record r, by which a changed log is recognised. */
  mark?(r: number): RecordMark;
  /** Original source of each record, by row, if an intake wrote the records. */
  readonly sources?: readonly (SourceMark | SourceProgress | undefined)[];
  /**
   * Rejected records, by row of the batch. One row represents several of them; its offset is that
   * of the last one.
   */
  readonly refused?: ReadonlyMap<number, RefusedRecords>;
  /**
   * Header that identifies the schema of a record's value, by row; no entry for a record without
   * one.
   */
  readonly frames?: ReadonlyMap<number, Uint8Array>;
}

/** Offset up to which a log was read, with marks of its records, newest first. */
export interface ReadThrough {
  readonly next: number;
  readonly marks: readonly RecordMark[];
}

/** Start of reading: the log's beginning, its end, a given offset, or a stored position. */
export type StartPosition = 'earliest' | 'latest' | number | ReadThrough;

/** A change of a log since it was read. */
export interface LogChange {
  /**
   * `truncated`: the log lost its end, and may have other records there. `recreated`: the log has
   * none of the records that were read.
   */
  readonly kind: 'truncated' | 'recreated';
  /** Next offset before the change. */
  readonly expected: number;
  /** Offset at which reading continues. */
  readonly found: number;
  /** Mark of the last record read that is still in the log, if known. */
  readonly kept?: RecordMark;
}

/** Callbacks by which a log source reports to the pipeline. */
export interface SourceHandlers {
  /**
   * Called after every change of the group, before any record of the partitions is delivered.
   * `partitions` are all partitions of this process, including those it already had; each is read
   * in both topics. Returns where to start reading each partition. For a partition that this
   * process already had, that is the offset of its current state, so no record is lost or repeated.
   *
   * @param count number of partitions of each topic
   * @param outdated aborted when the assignment has ended: a partition not taken over by then
   *   belongs to another worker, and the returned value is ignored
   */
  assigned(
    partitions: readonly number[],
    count: number,
    outdated: AbortSignal,
  ): Promise<ReadonlyMap<number, StartPositions>>;
  /**
   * Called when the group has confirmed that the newest assignment is still valid.
   *
   * @param generation of the group, which increases with each assignment
   */
  confirmed?(generation: number): void;
  /**
   * Called with partitions that were taken from this process, while none of their batches is being
   * processed.
   */
  revoked(partitions: readonly number[]): void;
  /**
   * Called with a batch, and awaited before the next batch of the same partition (backpressure).
   * `again`: the batch was not fully taken and must be delivered again, with or without newer
   * records.
   */
  batch(batch: RecordBatch): Promise<void> | Promise<undefined | 'again'>;
  /** Called each time a topic-partition was read to its end. */
  caughtUp?(role: TopicRole, partition: number): void;
  /**
   * Called when records are missing: offset `expected` was next, but the log now begins at the
   * later `found`.
   */
  gap?(role: TopicRole, partition: number, expected: number, found: number): void;
  /**
   * Called when the log has changed since it was read, before any record from `change.found` on.
   * Outcomes of deleted records remain counted.
   */
  changed?(role: TopicRole, partition: number, change: LogChange): void;
  /**
   * Called when the connection changes.
   *
   * @param why the problem, if known
   */
  state(state: 'connected' | 'disconnected', why?: string): void;
  /**
   * Called when reading has ended with an error: a handler failed, or the log has unreadable
   * content. Without this handler the error is thrown.
   */
  failed?(error: Error): void;
}

/** Where reading of a partition starts, by topic. */
export interface StartPositions {
  readonly exposures: StartPosition;
  readonly interactions: StartPosition;
}

/** How far a topic-partition was read, and where it ends. */
export interface LogEnd {
  readonly role: TopicRole;
  readonly partition: number;
  /** Offset before which everything was delivered and handled. */
  readonly next: number;
  /** Offset after the newest record, at the time of the request or later. */
  readonly end: number;
  /**
   * Offset up to which records can be read; less than `end` while a transaction is open. Undefined
   * for logs without transactions.
   */
  readonly stable?: number;
}

/**
 * Next offset to read of each topic of a partition; undefined for a topic of which nothing was
 * read.
 */
export type NextOffsets = { readonly [role in TopicRole]?: number };

/** A partitioned log read in order: Kafka, or the embedded broker. */
export interface LogSource {
  /**
   * Connect and start reading. Resolves when both work; rejects with code BROKER if they do not.
   */
  start(handlers: SourceHandlers): Promise<void>;
  /**
   * Leave the group and join it again, so that the partitions are assigned and loaded again; others
   * may have had them meanwhile.
   */
  rejoin(why: string): void;
  /**
   * Request the end offsets of the partitions that are read here. They come from the log, never
   * from a cache: if the log cannot be reached, the result is empty or late. Never rejects.
   */
  ends(): Promise<readonly LogEnd[]>;
  /**
   * Commit how far a partition is saved, so that standard tools can monitor the lag. Reading never
   * starts from committed offsets.
   */
  commit?(partition: number, next: NextOffsets): void;
  /**
   * Partitions for which any member of the group has ever committed offsets, as far as the log
   * stores commits.
   *
   * @throws UnskewError BROKER if the log does not answer
   */
  committed?(): Promise<readonly number[]>;
  /** Stop after the current batch; resolves when nothing more will be delivered. */
  stop(): Promise<void>;
}

/** A record to write to a log. */
export interface OutgoingRecord {
  readonly key: Uint8Array | string | null;
  /** Value of the record; null for a tombstone. */
  readonly value: Uint8Array | string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly partition?: number;
}

/** Writes records to topics. */
export interface LogWriter {
  send(topic: string, records: readonly OutgoingRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** A rejected event, stored for inspection. */
export interface DeadLetter {
  readonly reason: string;
  readonly detail: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly value: Uint8Array;
}

/** Target that rejected events are written to. */
export interface DeadLetterSink {
  write(letters: readonly DeadLetter[]): Promise<void>;
  close(): Promise<void>;
}

/** Position of a reader in a partition of the panes topic. */
export interface PanesPosition {
  /** Next offset to read. */
  readonly offset: number;
  /** Mark of the record before that offset, by which a changed log is recognised; empty if unknown. */
  readonly mark: string;
}

/** A record of the panes topic. */
export interface LoggedPane {
  readonly bytes: Uint8Array;
  /** Position after the record. */
  readonly next: PanesPosition;
}

/**
 * One partition of the panes topic. Its methods report temporary failures as UnskewErrors with code
 * BROKER.
 */
export interface PanePartitionLog {
  /**
   * Write the record of a pane. After a failure the record may be written nevertheless, possibly
   * twice.
   */
  append(record: Uint8Array, pane: number): Promise<void>;
  /**
   * Read records from a position on, waiting up to `waitMs` for the first.
   *
   * @returns `gone` if the record before that position is no longer in the log, or is another one
   *   now
   */
  read(from: PanesPosition, waitMs: number): Promise<readonly LoggedPane[] | 'gone'>;
  /**
   * Offset up to which the last `read` has searched. It is after the returned records if an
   * incomplete record follows them.
   */
  readonly lookedTo: number;
  /** Positions of the first record and after the last one. */
  ends(): Promise<{
    readonly first: PanesPosition;
    readonly next: PanesPosition;
  }>;
  /** Pane of the newest record; undefined if there is none. */
  newestPane(): Promise<number | undefined>;
}

/** The closed panes of all partitions, written by reading processes and read by ticking ones. */
export interface PanesLog {
  /**
   * Check that the panes topic can be written and read, and that it has as many partitions as the
   * topics of events. Creates it if it is missing.
   *
   * @returns its number of partitions
   * @throws UnskewError BROKER or USAGE if it is missing and cannot be created
   */
  open(): Promise<number>;
  of(partition: number): PanePartitionLog;
  close(): Promise<void>;
}

/**
 * Store of the newest and the previous checkpoint of each partition. A worker that takes over a
 * partition first takes an epoch; writers with an older epoch are then rejected and change nothing.
 * Temporary failures are reported as UnskewErrors with code STATE.
 */
export interface CheckpointStore {
  /** Return a number above all earlier epochs of the partition. */
  takeEpoch(partition: number): Promise<number>;
  /** The stored checkpoints of a partition, newest first; read on demand and not validated. */
  load(partition: number): AsyncIterable<Uint8Array>;
  /** Save a checkpoint atomically. `fenced`: not saved, because a newer epoch was taken. */
  save(
    partition: number,
    epoch: number,
    chunks: readonly Uint8Array[],
  ): Promise<'saved' | 'fenced'>;
  /**
   * Replace all checkpoints of a partition by this one, or delete them if `chunks` is undefined.
   */
  replace(
    partition: number,
    epoch: number,
    chunks: readonly Uint8Array[] | undefined,
  ): Promise<'saved' | 'fenced'>;
  /** Numbers of the partitions that have a checkpoint, ascending. */
  partitions(): Promise<readonly number[]>;
  /** The first bytes of the newest checkpoint, at most `bytes`; undefined if there is none. */
  peek(partition: number, bytes: number): Promise<Uint8Array | undefined>;
  /** Whether all bytes of the newest checkpoint are still stored; its content is not validated. */
  isWhole(partition: number): Promise<boolean>;
  /**
   * What the server does when its memory is full, in its own term; any policy but `noeviction`
   * loses data.
   */
  evictionPolicy?(): Promise<string>;
  close(): Promise<void>;
}
