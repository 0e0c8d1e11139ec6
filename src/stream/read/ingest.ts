import { enlarged } from '../../events/column-table.js';
import { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import type { Decoder } from '../../events/decode.js';
import {
  ACCEPTED,
  FAULT_REASONS,
  FORGOTTEN_USER,
  faultCode,
  IGNORED,
  OVER_ITEM_LIMIT,
} from '../../events/fault.js';
import { PartitionCheckpoints } from '../checkpoint/partition-checkpoints.js';
import type { RecordKeys, SeededPartitions } from '../files/seed.js';
import { type IdKind, IdTables, idLimits, type Sweep } from '../id-tables.js';
import type { MonitorOptions } from '../options.js';
import { Outcomes } from '../outcomes.js';
import type { EventIntake } from '../panes/event-intake.js';
import { Monitor } from '../panes/monitor.js';
import type { PaneTables } from '../panes/pane-record.js';
import type { SourceMark, SourceProgress } from '../panes/source-times.js';
import type { DeadLetter, RecordBatch, TopicRole } from '../ports.js';
import { ReadRecords } from './read-records.js';

/** Number of records decoded between two turns of the event loop. */
const CHUNK = 1024;

/** Result of applying one batch. */
export interface AppliedBatch {
  readonly role: TopicRole;
  readonly partition: number;
  readonly outcomes: Outcomes;
  readonly deadLetters: readonly DeadLetter[];
  /** Number of records skipped because they were applied before. */
  readonly replayed: number;
  readonly nextOffset: number;
  readonly highWatermark: number;
  /** Newest event time of this topic-partition so far, ms; −Infinity if there is none. */
  readonly newestTs: number;
}

/**
 * Applies batches of records to the monitor: decodes bytes into columns, sends invalid events to
 * the dead letters, and skips records that were applied before.
 */
export class Ingest {
  readonly monitor: Monitor;
  readonly records = new ReadRecords();
  readonly checkpoints: PartitionCheckpoints;
  readonly #ids: IdTables;
  readonly #intake: EventIntake;
  readonly #decoder: Decoder;
  readonly #topics: Readonly<Record<TopicRole, string>>;
  readonly #columns = {
    interactions: new InteractionColumns(CHUNK),
    exposures: new ExposureColumns(CHUNK),
  };
  /**
   * Reference time of each row, ms, for checking `maxFuture`: when the log received the event, or
   * the wall clock if that is earlier.
   */
  readonly #recordTs = {
    interactions: new RowNumbers(CHUNK),
    exposures: new RowNumbers(CHUNK),
  };
  /**
   * By row: newest event time of the source that the event came from, ms. Set only if an intake
   * wrote the records.
   */
  readonly #sourceNewest = {
    interactions: new RowNumbers(CHUNK),
    exposures: new RowNumbers(CHUNK),
  };

  /** @param partitions number of partitions of the topics, over all workers. */
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
    const { partitions: known } = this.monitor;
    this.checkpoints = new PartitionCheckpoints(known, ids, this.records, topics, partitions);
    this.#decoder = decoder;
    this.#topics = topics;
  }

  /**
   * Decode and apply a batch in chunks, and yield after each.
   *
   * @param now wall clock, ms, for checking `maxFuture`
   */
  *apply(batch: RecordBatch, now: () => number): Generator<void, AppliedBatch> {
    const { role, partition, values } = batch;
    const first = this.records.firstNew(batch);
    const outcomes = new Outcomes();
    const deadLetters: DeadLetter[] = [];
    for (let from = first; from < values.length; from += CHUNK) {
      const to = Math.min(from + CHUNK, values.length);
      const chunk = new Outcomes();
      this.#decode(batch, from, to, now(), chunk, deadLetters);
      const { interactions, exposures } = this.#columns;
      const hasSources = batch.sources !== undefined;
      const timesOf = (kind: TopicRole) => ({
        record: this.#recordTs[kind].values,
        sourceNewest: hasSources ? this.#sourceNewest[kind].values : undefined,
      });
      this.#intake.acceptExposures(partition, exposures, chunk, timesOf('exposures'));
      this.#intake.acceptInteractions(partition, interactions, chunk, timesOf('interactions'));
      this.records.note(batch, from, to, chunk);
      outcomes.add(chunk);
      yield;
    }
    return {
      role,
      partition,
      outcomes,
      deadLetters,
      replayed: first,
      nextOffset: this.records.nextOffset(role, partition) ?? 0,
      highWatermark: batch.highWatermark,
      newestTs: this.monitor.watermarks.newest(role, partition),
    };
  }

  /** The partitions and id tables into which a seed of past popularity counts is written. */
  seeded(count: number, keys: RecordKeys): SeededPartitions {
    return {
      partitions: this.monitor.partitions,
      ids: this.#ids,
      count,
      keys,
    };
  }

  /** Id tables that resolve the items, models and users in a partition's panes. */
  tablesOf(partition: number): PaneTables {
    const { items, models, users } = this.#ids;
    return {
      items,
      models,
      users: users(partition),
    };
  }

  /** Number of known ids by kind. */
  get knownIds(): Readonly<Record<IdKind, number>> {
    return this.#ids.known;
  }

  /**
   * The next sweep of unreferenced ids that is due, if any. Run it while no pane closes and no
   * checkpoint is written.
   */
  dueSweep(): Sweep | undefined {
    return this.#ids.dueSweep(this.monitor.watermarks.endOfNewestPane(), this.monitor.partitions);
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
    const { items, modelNames: models, users, segments } = this.#ids;
    const tables = {
      items,
      models,
      users: users(partition),
      segments: segments?.values,
    };
    const { interactions, exposures } = this.#columns;
    interactions.clear();
    exposures.clear();
    for (let r = from; r < to; r++) {
      const value = values[r] ?? NO_BYTES;
      const refused = batch.refused?.get(r);
      const source = batch.sources?.[r];
      outcomes.read += refused?.records ?? Number(!isProgress(source));
      if (refused !== undefined) {
        outcomes.faults[BATCH_TOO_LARGE] += refused.records;
        deadLetters.push(this.#letter(batch, r, BATCH_TOO_LARGE, refused.detail));
        continue;
      }
      if (isProgress(source)) {
        this.monitor.watermarks.progressed(role, partition, source);
        continue;
      }
      if (values[r] === null) {
        outcomes.tombstone++;
        continue;
      }
      // The log's own time makes the judgement a function of the log; the wall clock bounds it,
      // so that a producer whose clock is ahead cannot carry the watermark with it.
      const reference = recordTs[r] > 0 ? Math.min(recordTs[r], now) : now;
      const rows = {
        exposures: exposures.length,
        interactions: interactions.length,
      };
      const fault = this.#decoder.decode(
        value,
        0,
        value.length,
        role,
        reference,
        tables,
        this.#columns,
        batch.frames?.get(r),
      );
      this.#recordTs.exposures.fill(rows.exposures, exposures.length, reference);
      this.#recordTs.interactions.fill(rows.interactions, interactions.length, reference);
      if (fault === ACCEPTED) {
        const events =
          exposures.length - rows.exposures + (interactions.length - rows.interactions);
        // A record may contain several events.
        outcomes.read += Math.max(1, events) - 1;
        if (source !== undefined) {
          this.#noteSource(batch, source);
        }
        continue;
      }
      if (fault === IGNORED) {
        outcomes.ignored++;
        continue;
      }
      if (fault === OVER_ITEM_LIMIT) {
        outcomes.overItemLimit++;
        continue;
      }
      if (fault === FORGOTTEN_USER) {
        outcomes.forgotten++;
        continue;
      }
      outcomes.faults[fault]++;
      deadLetters.push(this.#letter(batch, r, fault, this.#decoder.detail));
    }
  }

  /**
   * Note which source the last accepted event came from, and store the newest event time of that
   * source in the event's row.
   */
  #noteSource({ role, partition }: RecordBatch, { source, newest }: SourceMark): void {
    const { interactions, exposures } = this.#columns;
    const known = this.monitor.watermarks.noteSource(role, partition, source, newest);
    const [rows, last] =
      this.#decoder.kind === 'exposure'
        ? [this.#sourceNewest.exposures, exposures.length]
        : [this.#sourceNewest.interactions, interactions.length];
    rows.fill(last - 1, last, known);
  }

  #letter(
    { role, partition, offsets, values }: RecordBatch,
    r: number,
    fault: number,
    detail: string,
  ): DeadLetter {
    return {
      reason: FAULT_REASONS[fault],
      detail,
      topic: this.#topics[role],
      partition,
      offset: offsets[r],
      value: values[r] ?? NO_BYTES,
    };
  }
}

/** Whether the record holds no event and only reports how far the intake's sources are. */
function isProgress(source: SourceMark | SourceProgress | undefined): source is SourceProgress {
  return source !== undefined && 'partitions' in source;
}

/** One number per row of decoded events, in an array that grows on demand. */
class RowNumbers {
  values: Float64Array;

  constructor(capacity: number) {
    this.values = new Float64Array(capacity);
  }

  /** Set the numbers of rows first ≤ r < end. */
  fill(first: number, end: number, value: number): void {
    if (end > this.values.length) {
      this.values = enlarged(this.values, 2 * end);
    }
    this.values.fill(value, first, end);
  }
}

const BATCH_TOO_LARGE = faultCode('batch_too_large');

const NO_BYTES = new Uint8Array(0);
