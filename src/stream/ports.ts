/**
 * Ports of the pipeline. Every implementation passes the contract suite of its port
 * (test/contract).
 */

import type { SourceMark, SourceProgress } from './panes/source-times.js';
import type { RecordMark } from './read/record-mark.js';

export type TopicRole = 'exposures' | 'interactions';

/** Records of the log that the source rejected without decoding. */
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
  /** The log's time of each record, ms, the reference of `maxFuture`. */
  readonly recordTs: Float64Array;
  /** Offset after the newest record of the partition, as far as known. */
  readonly highWatermark: number;
  /** Mark of record r, by which a changed log is recognised. */
  mark?(r: number): RecordMark;
  /** Original source by row, if an intake wrote the records. */
  readonly sources?: readonly (SourceMark | SourceProgress | undefined)[];
  /** By row: stands for rejected records, at the last offset of them. */
  readonly refused?: ReadonlyMap<number, RefusedRecords>;
  /** Header that identifies the value's schema, by row, if the record has one. */
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
  /** `truncated`: it lost its end, and other records follow. `recreated`: nothing that was read is in it. */
  readonly kind: 'truncated' | 'recreated';
  /** Next offset before the change. */
  readonly expected: number;
  /** Where reading continues: the first record not read. */
  readonly found: number;
  /** The last record read that is still there, if known. */
  readonly kept?: RecordMark;
}

export interface SourceHandlers {
  /**
   * Called with all partitions of this process, both topics of each, after every change in the
   * group and before any of their records. Returns the start by topic role. A partition that was
   * assigned before is included again; the answer is then the offset of its current state, and
   * nothing is lost or repeated.
   *
   * @param count number of partitions of each topic
   * @param outdated aborted when the assignment has ended: partitions not taken over by then
   *   belong to another worker, and the answer is ignored
   */
  assigned(
    partitions: readonly number[],
    count: number,
    outdated: AbortSignal,
  ): Promise<ReadonlyMap<number, StartPositions>>;
  /**
   * The group has confirmed that the newest assignment is still valid.
   *
   * @param generation of the group, which increases with each assignment
   */
  confirmed?(generation: number): void;
  /** Partitions that were taken from this process; none of their batches is being processed. */
  revoked(partitions: readonly number[]): void;
  /**
   * Awaited before the next batch of the same partition, as backpressure. `again`: the batch was
   * not fully taken and must be delivered again, with or without newer records.
   */
  batch(batch: RecordBatch): Promise<void> | Promise<undefined | 'again'>;
  /** The partition was read to its end; called each time. */
  caughtUp?(role: TopicRole, partition: number): void;
  /** Records are missing: `expected` was next, but the log begins at `found`, which is later. */
  gap?(role: TopicRole, partition: number, expected: number, found: number): void;
  /** Called before any record from `found` on. Records that are gone remain counted. */
  changed?(role: TopicRole, partition: number, change: LogChange): void;
  /** Connection state, for readiness. */
  /** @param why the problem, if known */
  state(state: 'connected' | 'disconnected', why?: string): void;
  /**
   * Reading has ended for good: a handler failed, or the log has unreadable content. Without a
   * handler the error is thrown.
   */
  failed?(error: Error): void;
}

export interface StartPositions {
  readonly exposures: StartPosition;
  readonly interactions: StartPosition;
}

/** Progress of reading a topic-partition, and its end. */
export interface LogEnd {
  readonly role: TopicRole;
  readonly partition: number;
  /** Everything before this offset was delivered and handled. */
  readonly next: number;
  /** Offset after the newest record, at the time of the request or later. */
  readonly end: number;
  /**
   * Offset up to which it can be read, before `end` while a transaction is open. Undefined for logs
   * without transactions.
   */
  readonly stable?: number;
}

/** Next offset to read of each topic; undefined if nothing was read yet. */
export type NextOffsets = { readonly [role in TopicRole]?: number };

/** A partitioned log read in order: Kafka, or the embedded broker. */
export interface LogSource {
  /** Resolves when the source is connected and reading; rejects with code BROKER if it cannot. */
  start(handlers: SourceHandlers): Promise<void>;
  /** Leave the group and join it again, since others may have had the partitions meanwhile. */
  rejoin(why: string): void;
  /**
   * Request the end offsets of the partitions that are read here. Cached offsets do not count: if
   * the log cannot be reached, there is no answer or a late one. Never rejects.
   */
  ends(): Promise<readonly LogEnd[]>;
  /** Commit how far a partition is saved, so that the lag can be monitored. Reading never starts there. */
  commit?(partition: number, next: NextOffsets): void;
  /**
   * Partitions that any member of the group has ever committed, as far as the log stores it.
   *
   * @throws UnskewError BROKER if the log does not answer
   */
  committed?(): Promise<readonly number[]>;
  /** Stop after the current batch; resolves when nothing more will be delivered. */
  stop(): Promise<void>;
}

export interface OutgoingRecord {
  readonly key: Uint8Array | string | null;
  /** null for a tombstone. */
  readonly value: Uint8Array | string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly partition?: number;
}

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

export interface LoggedPane {
  readonly bytes: Uint8Array;
  /** Position after it. */
  readonly next: PanesPosition;
}

/** One partition of the panes topic. Temporary failures are UnskewErrors with code BROKER. */
export interface PanePartitionLog {
  /** Resolves when the record is written. After a failure it may be written too, possibly twice. */
  append(record: Uint8Array, pane: number): Promise<void>;
  /**
   * Read from a position on; waits up to `waitMs` for records.
   *
   * @returns `gone`: the log no longer has the record there, or has another one
   */
  read(from: PanesPosition, waitMs: number): Promise<readonly LoggedPane[] | 'gone'>;
  /**
   * Offset up to which the last read has looked. It may be after the returned records if an
   * incomplete record follows.
   */
  readonly lookedTo: number;
  /** Its current start and end. */
  ends(): Promise<{
    readonly first: PanesPosition;
    readonly next: PanesPosition;
  }>;
  /** The pane of the newest record; undefined if there is none. */
  newestPane(): Promise<number | undefined>;
}

/** The closed panes of all partitions, written by reading processes and read by ticking ones. */
export interface PanesLog {
  /**
   * Check that it can be written and read, and has as many partitions as the topics of events.
   *
   * @returns that number
   * @throws UnskewError BROKER or USAGE if it is missing and cannot be created
   */
  open(): Promise<number>;
  of(partition: number): PanePartitionLog;
  close(): Promise<void>;
}

/**
 * Store of checkpoints, the newest and the previous one of each partition. To take a partition
 * over, a worker first takes an epoch; writers with older epochs are then rejected without any
 * effect. Temporary failures are UnskewErrors with code STATE.
 */
export interface CheckpointStore {
  /** Return a number above all earlier epochs of the partition. */
  takeEpoch(partition: number): Promise<number>;
  /** Stored checkpoints, newest first; read on demand and not checked. */
  load(partition: number): AsyncIterable<Uint8Array>;
  /** Save atomically; `fenced`: a newer epoch was taken. */
  save(
    partition: number,
    epoch: number,
    chunks: readonly Uint8Array[],
  ): Promise<'saved' | 'fenced'>;
  /** Replace all checkpoints by this one, or by none without chunks. */
  replace(
    partition: number,
    epoch: number,
    chunks: readonly Uint8Array[] | undefined,
  ): Promise<'saved' | 'fenced'>;
  /** Partitions with a checkpoint, ascending. */
  partitions(): Promise<readonly number[]>;
  /** Up to this many leading bytes of the newest checkpoint; undefined if there is none. */
  peek(partition: number, bytes: number): Promise<Uint8Array | undefined>;
  /** Whether the newest checkpoint is still completely there; its content is not checked. */
  isWhole(partition: number): Promise<boolean>;
  /** The server's policy when its memory is full, in its own term; anything but `noeviction` loses data. */
  evictionPolicy?(): Promise<string>;
  close(): Promise<void>;
}
