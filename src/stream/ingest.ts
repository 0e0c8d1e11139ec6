import { ExposureColumns, InteractionColumns } from '../events/columns.js';
import type { Decoder } from '../events/decode.js';
import { ACCEPTED, FAULT_REASONS, IGNORED } from '../events/fault.js';
import { Interner } from '../state/interner.js';
import { Lookup } from './lookup.js';
import { type Ids, Monitor } from './monitor.js';
import type { MonitorOptions } from './options.js';
import { Outcomes } from './outcomes.js';
import type { DeadLetter, RecordBatch, TopicRole } from './ports.js';

/** Records decoded between two turns of the event loop. */
const CHUNK = 1024;

/** What became of one batch. */
export interface AppliedBatch {
  readonly role: TopicRole;
  readonly partition: number;
  readonly outcomes: Outcomes;
  readonly deadLetters: readonly DeadLetter[];
  /** Records that had been applied before and were passed over. */
  readonly replayed: number;
  readonly nextOffset: number;
  readonly highWatermark: number;
  /** Newest event time of this topic-partition so far, ms; −Infinity without any. */
  readonly newestTs: number;
}

/**
 * Takes batches of records to the monitor: bytes are decoded into columns and applied, faults
 * become dead letters, records that were applied before are passed over.
 */
export class Ingest {
  readonly monitor: Monitor;
  /** Answers for single items and users. */
  readonly lookup: Lookup;
  readonly #users = new Map<number, Interner>();
  readonly #ids: Ids = {
    items: new Interner(),
    models: new Interner(),
    users: (partition) => this.#usersOf(partition),
  };
  readonly #decoder: Decoder;
  readonly #topics: Readonly<Record<TopicRole, string>>;
  readonly #columns = {
    interactions: new InteractionColumns(CHUNK),
    exposures: new ExposureColumns(CHUNK),
  };
  readonly #next = new Map<string, number>();

  constructor(
    options: MonitorOptions,
    decoder: Decoder,
    topics: Readonly<Record<TopicRole, string>>,
  ) {
    this.monitor = new Monitor(options, this.#ids);
    this.lookup = new Lookup(this.monitor, this.#ids.items, this.#users, options);
    this.#decoder = decoder;
    this.#topics = topics;
  }

  /** Offset that is to be read next; undefined before the first record. */
  nextOffset(role: TopicRole, partition: number): number | undefined {
    return this.#next.get(`${role}/${partition}`);
  }

  /** The log was made anew: its offsets start over, and none of them was applied. */
  forgetOffset(role: TopicRole, partition: number): void {
    this.#next.delete(`${role}/${partition}`);
  }

  /** @param now the wall clock, ms: an event may not be further ahead of it than `maxFuture`. */
  *apply(batch: RecordBatch, now: () => number): Generator<void, AppliedBatch> {
    const { role, partition, offsets, values } = batch;
    const key = `${role}/${partition}`;
    const expected = this.#next.get(key);
    const first = this.#firstNew(offsets, expected);
    const outcomes = new Outcomes();
    const deadLetters: DeadLetter[] = [];
    for (let from = first; from < values.length; from += CHUNK) {
      const to = Math.min(from + CHUNK, values.length);
      this.#decode(batch, from, to, now(), outcomes, deadLetters);
      this.monitor.acceptExposures(partition, this.#columns.exposures, outcomes);
      this.monitor.acceptInteractions(partition, this.#columns.interactions, outcomes);
      this.#next.set(key, offsets[to - 1] + 1);
      yield;
    }
    return {
      role,
      partition,
      outcomes,
      deadLetters,
      replayed: first,
      nextOffset: this.#next.get(key) ?? 0,
      highWatermark: batch.highWatermark,
      newestTs: this.monitor.watermarks.newest(role, partition),
    };
  }

  #decode(
    batch: RecordBatch,
    from: number,
    to: number,
    now: number,
    outcomes: Outcomes,
    deadLetters: DeadLetter[],
  ): void {
    const { role, partition, values, recordTs } = batch;
    const tables = { ...this.#ids, users: this.#usersOf(partition) };
    this.#columns.interactions.clear();
    this.#columns.exposures.clear();
    for (let r = from; r < to; r++) {
      const value = values[r] ?? NO_BYTES;
      // The log's own time makes the judgement a function of the log; the wall clock bounds it,
      // so that a producer whose clock is ahead cannot carry the watermark with it.
      const reference = recordTs[r] > 0 ? Math.min(recordTs[r], now) : now;
      const fault = this.#decoder.decode(
        value,
        0,
        value.length,
        role,
        reference,
        tables,
        this.#columns,
      );
      if (fault === ACCEPTED) continue;
      if (fault === IGNORED) {
        outcomes.ignored++;
        continue;
      }
      outcomes.faults[fault]++;
      deadLetters.push({
        reason: FAULT_REASONS[fault],
        detail: this.#decoder.detail,
        topic: this.#topics[role],
        partition,
        offset: batch.offsets[r],
        value,
      });
    }
  }

  #firstNew(offsets: Float64Array, expected: number | undefined): number {
    if (expected === undefined) return 0;
    let first = 0;
    while (first < offsets.length && offsets[first] < expected) first++;
    return first;
  }

  #usersOf(partition: number): Interner {
    let users = this.#users.get(partition);
    if (users === undefined) {
      users = new Interner();
      this.#users.set(partition, users);
    }
    return users;
  }
}

const NO_BYTES = new Uint8Array(0);
