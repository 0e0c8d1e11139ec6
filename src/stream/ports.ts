/**
 * What the pipeline needs of the outside. Every implementation of a port passes the port's
 * contract suite (test/contract).
 */

export type TopicRole = 'exposures' | 'interactions';

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
}

/** Where reading starts: the log's beginning, its end, or a given next offset. */
export type StartPosition = 'earliest' | 'latest' | number;

export interface SourceHandlers {
  /**
   * All partitions that this process holds from now on, both topics of each, after every change in
   * the group; called before any of their records. Answers where to start per topic role. A
   * partition that was held before is among them again: whoever kept its state answers the offset
   * where that stands, and nothing is lost or repeated.
   */
  assigned(partitions: readonly number[]): Promise<ReadonlyMap<number, StartPositions>>;
  /** Partitions that this process held and holds no more; none of their batches is under way. */
  revoked(partitions: readonly number[]): void;
  /** Awaited before the next batch of the same partition: this is the backpressure. */
  batch(batch: RecordBatch): Promise<void>;
  /** The partition was read to its end (called again after each time it is reached). */
  caughtUp?(role: TopicRole, partition: number): void;
  /**
   * Records are missing: `expected` was next, but the log begins at `found`. A `found` below
   * `expected` means a log that is shorter than what was read of it (made anew): it is read from
   * its beginning.
   */
  gap?(role: TopicRole, partition: number, expected: number, found: number): void;
  /** Connection state, for readiness. */
  state(state: 'connected' | 'disconnected'): void;
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

/** Offset of each topic that is to be read next; undefined where nothing was read yet. */
export type NextOffsets = { readonly [role in TopicRole]?: number };

/** A partitioned log that is read in order: Kafka, or the embedded broker. */
export interface LogSource {
  /** Resolves when the source is connected and reading; rejects with code BROKER where it cannot. */
  start(handlers: SourceHandlers): Promise<void>;
  /** Told how far a partition is kept, where others watch the lag. Reading never starts there. */
  commit?(partition: number, next: NextOffsets): void;
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

/**
 * Where checkpoints are kept: of each partition the newest and the one before. Who takes a
 * partition over takes an epoch first; from then on writers under an older one are refused, and
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
  close(): Promise<void>;
}
