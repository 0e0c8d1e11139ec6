import { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import type { Decoder } from '../../events/decode.js';
import { ACCEPTED, FAULT_REASONS, IGNORED, OVER_ITEM_LIMIT } from '../../events/fault.js';
import type { BinaryWriter } from '../../state/binary/binary-writer.js';
import type { ChunkPool } from '../../state/binary/chunk-pool.js';
import {
  IdDictionary,
  IdPlaces,
  idsBelow,
  readIds,
  writeIds,
} from '../../state/ids/id-dictionary.js';
import { checkHead, encodeCheckpoint, type OpenedCheckpoint } from '../checkpoint/checkpoint.js';
import {
  capturePartition,
  NO_PROGRESS,
  restorePartition,
} from '../checkpoint/partition-capture.js';
import { Monitor } from '../monitor.js';
import { type MonitorOptions, stateSettings } from '../options.js';
import type { DeadLetter, NextOffsets, RecordBatch, TopicRole } from '../ports.js';
import { Lookup } from '../tick/lookup.js';
import { encodeRecord } from '../workers/pane-record.js';
import { type IdKind, IdTables, idLimits, type Sweep } from './id-tables.js';
import type { Intake } from './intake.js';
import { Outcomes } from './outcomes.js';

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];
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
  readonly #ids: IdTables;
  readonly #intake: Intake;
  readonly #decoder: Decoder;
  readonly #topics: Readonly<Record<TopicRole, string>>;
  readonly #columns = {
    interactions: new InteractionColumns(CHUNK),
    exposures: new ExposureColumns(CHUNK),
  };
  readonly #next = new Map<string, number>();
  /** What became of the records of a topic-partition so far, in all processes that read it. */
  readonly #accounts = new Map<string, Record<string, number>>();
  readonly #settings: Readonly<Record<string, unknown>>;

  /** @param partitions how many the topics have, whoever reads them. */
  constructor(
    options: MonitorOptions,
    decoder: Decoder,
    topics: Readonly<Record<TopicRole, string>>,
    partitions = 1,
  ) {
    const ids = new IdTables(idLimits(options));
    this.#ids = ids;
    this.monitor = new Monitor(options, ids, partitions);
    this.#intake = this.monitor.intake;
    this.lookup = new Lookup(this.monitor.partitions, ids.items, ids.byPartition, options);
    this.#decoder = decoder;
    this.#topics = topics;
    this.#settings = stateSettings(options);
  }

  /** Offset that is to be read next; undefined before the first record. */
  nextOffset(role: TopicRole, partition: number): number | undefined {
    return this.#next.get(`${role}/${partition}`);
  }

  nextOffsets(partition: number): NextOffsets {
    const next: { [role in TopicRole]?: number } = {};
    for (const role of ROLES) {
      const offset = this.nextOffset(role, partition);
      if (offset !== undefined) next[role] = offset;
    }
    return next;
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
      const chunk = new Outcomes();
      this.#decode(batch, from, to, now(), chunk, deadLetters);
      this.#intake.acceptExposures(partition, this.#columns.exposures, chunk);
      this.#intake.acceptInteractions(partition, this.#columns.interactions, chunk);
      this.#next.set(key, offsets[to - 1] + 1);
      this.#account(key, chunk);
      outcomes.add(chunk);
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

  /** How many ids are known. */
  get knownIds(): Readonly<Record<IdKind, number>> {
    return this.#ids.known;
  }

  /** A sweep that is due, to be run while no pane closes and no checkpoint is written. */
  dueSweep(): Sweep | undefined {
    return this.#ids.dueSweep(this.monitor.watermarks.endOfNewestPane(), this.monitor.partitions);
  }

  /** Tells whether a partition has moved: another mark, another state. */
  mark(partition: number): string {
    const { closedThrough } = this.monitor.partitions.of(partition);
    const next = ROLES.map((role) => this.nextOffset(role, partition));
    return [closedThrough, ...next].join();
  }

  /**
   * The checkpoint of a partition: its state as it is at this call, with the offsets that it goes
   * with. The generator writes it; batches may be applied meanwhile, but no pane may close.
   */
  capture(partition: number, epoch: number, pool?: ChunkPool): Generator<void, Uint8Array[]> {
    const ids = {
      items: new IdDictionary(this.#ids.items),
      models: new IdDictionary(this.#ids.models),
    };
    const users = this.#ids.users(partition);
    const known = users.size;
    const { progress, write } = capturePartition(this.monitor.partitions, partition);
    const head = {
      ...this.#here(partition),
      epoch,
      next: this.nextOffsets(partition),
      accounts: {
        exposures: { ...this.#accounts.get(`exposures/${partition}`) },
        interactions: { ...this.#accounts.get(`interactions/${partition}`) },
      },
      progress,
    };
    const writeAll = function* (to: BinaryWriter) {
      yield* writeIds(to, users, idsBelow(known));
      yield* write(to, ids);
    };
    return encodeCheckpoint(head, ids, writeAll, pool);
  }

  /**
   * Goes on from a checkpoint; undefined: from the partition's beginning. To be called before the
   * first batch of the partition.
   *
   * @throws UnskewError STATE where the checkpoint belongs elsewhere
   */
  *restore(partition: number, checkpoint: OpenedCheckpoint | undefined): Generator<void, void> {
    if (checkpoint === undefined) {
      yield* restorePartition(this.monitor.partitions, partition, NO_PROGRESS);
      return;
    }
    const { head, dictionaries, state } = checkpoint;
    checkHead(head, this.#here(partition));
    const items = yield* IdPlaces.read(dictionaries, this.#ids.items);
    const models = yield* IdPlaces.read(dictionaries, this.#ids.models);
    yield* readIds(state, this.#ids.users(partition));
    const from = { reader: state, places: { items, models } };
    yield* restorePartition(this.monitor.partitions, partition, head.progress, from);
    for (const role of ROLES) {
      const next = head.next[role];
      if (next !== undefined) this.#next.set(`${role}/${partition}`, next);
      this.#accounts.set(`${role}/${partition}`, { ...head.accounts[role] });
    }
  }

  /** Closes a pane of one partition alone and gives the record of what it left. */
  *closePartition(partition: number, pane: number): Generator<void, Uint8Array[]> {
    const content = yield* this.monitor.closePartition(partition, pane);
    const { items, models, users } = this.#ids;
    const tables = { items, models, users: users(partition) };
    return yield* encodeRecord(
      partition,
      content,
      this.monitor.partitions.of(partition).state.models(),
      tables,
    );
  }

  #account(key: string, outcomes: Outcomes): void {
    const account = this.#accounts.get(key) ?? {};
    outcomes.forEach((outcome, count) => {
      account[outcome] = (account[outcome] ?? 0) + count;
    });
    this.#accounts.set(key, account);
  }

  #here(partition: number) {
    return { partition, topics: this.#topics, settings: this.#settings };
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
    const { items, models, users } = this.#ids;
    const tables = { items, models, users: users(partition) };
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
      if (fault === OVER_ITEM_LIMIT) {
        outcomes.overItemLimit++;
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
}

const NO_BYTES = new Uint8Array(0);
