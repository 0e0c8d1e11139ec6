import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { IdTables, idLimits } from '../../src/stream/id-tables.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { Monitor } from '../../src/stream/panes/monitor.js';
import { PaneRecordWriter, readPaneRecord } from '../../src/stream/panes/pane-record.js';
import type { TopicRole } from '../../src/stream/ports.js';
import { Ingest } from '../../src/stream/read/ingest.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { Lookup } from '../../src/stream/tick/lookup.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { Ticker } from '../../src/stream/ticker.js';
import { type Event, partitionOf, roleOf } from './log.js';
import { TOPICS } from './restarts.js';

const ROLES = ['exposures', 'interactions'] as const;
const NOTHING = { exposures: 0, interactions: 0 };
const NO_OUTCOMES = {
  exposures: new Outcomes().stored,
  interactions: new Outcomes().stored,
};

export interface ThroughRecords {
  readonly snapshots: readonly Snapshot[];
  /** What the process that ticks knows of single items and users in the end. */
  readonly lookup: Lookup;
}

/**
 * What comes of a log where some processes read and close panes, and another one ticks over the
 * bytes of these: without any service, in one go.
 *
 * @param readers how many processes share the partitions
 */
export function throughRecords(
  log: readonly Event[],
  options: MonitorOptions,
  partitions: number,
  readers = 2,
): ThroughRecords {
  const all = Array.from({ length: readers }, () => new Reader(options, partitions));
  const readerOf = (partition: number) => all[partition % readers]!;
  for (let p = 0; p < partitions; p++) readerOf(p).take(p);
  const queues = queuesOf(log, partitions);
  const ticking = new TickingProcess(options, partitions);
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const { role, partition, values } of queues) {
      const due = values.splice(0, 10);
      if (due.length === 0) continue;
      isMoving = true;
      readerOf(partition).read(role, partition, due, values.length === 0);
      for (const bytes of readerOf(partition).close(partition)) ticking.take(partition, bytes);
    }
  }
  const newest = Math.max(...all.map((reader) => reader.newestPane));
  for (let p = 0; p < partitions; p++) {
    for (const bytes of readerOf(p).close(p, newest)) ticking.take(p, bytes);
  }
  return ticking;
}

function queuesOf(log: readonly Event[], partitions: number) {
  const queues = new Map<
    string,
    { readonly role: TopicRole; readonly partition: number; readonly values: Uint8Array[] }
  >();
  for (let partition = 0; partition < partitions; partition++) {
    for (const role of ROLES) queues.set(`${role}/${partition}`, { role, partition, values: [] });
  }
  for (const event of log) {
    const key = `${roleOf(event)}/${partitionOf(event.user, partitions)}`;
    queues.get(key)!.values.push(Buffer.from(encodeEvent(event)));
  }
  return [...queues.values()];
}

/** Reads some of the partitions, and writes their closed panes. */
class Reader {
  readonly #options: MonitorOptions;
  readonly #partitions: number;
  readonly #ingest: Ingest;
  readonly #writer = new PaneRecordWriter();

  constructor(options: MonitorOptions, partitions: number) {
    const { actions, ratings, segments, pseudonyms } = options;
    const decoder = new Decoder({
      maxFutureMs: 1e15,
      ...(actions && { actions }),
      ...(pseudonyms && { pseudonyms }),
      ...(ratings && { ratings: ratings.scale }),
      ...(segments && { segments: segments.dimensions.map(({ name }) => name) }),
    });
    this.#options = options;
    this.#partitions = partitions;
    this.#ingest = new Ingest(options, decoder, TOPICS, partitions);
  }

  take(partition: number): void {
    for (const role of ROLES) this.#ingest.monitor.watermarks.expect(role, partition);
    runAtOnce(this.#ingest.checkpoints.restore(partition, undefined));
  }

  read(role: TopicRole, partition: number, values: Uint8Array[], isLast: boolean): void {
    const from = this.#ingest.records.nextOffset(role, partition) ?? 0;
    const offsets = Float64Array.from(values, (_, r) => from + r);
    const recordTs = new Float64Array(values.length);
    const highWatermark = from + values.length;
    const batch = { role, partition, offsets, values, recordTs, highWatermark };
    runAtOnce(this.#ingest.apply(batch, () => Number.POSITIVE_INFINITY));
    // What is read to its end no longer holds time back.
    if (isLast) this.#ingest.monitor.watermarks.setIdle(role, partition);
  }

  get newestPane(): number {
    return this.#ingest.monitor.watermarks.endOfNewestPane() / this.#options.tickMs - 1;
  }

  /** The records of the panes of a partition that close now, as far as its time or `through` goes. */
  *close(partition: number, through?: number): Generator<Uint8Array, void> {
    const { monitor } = this.#ingest;
    const { tickMs } = this.#options;
    const { watermark, isIdle } = monitor.watermarks.ofPartition(partition);
    if (isIdle && through === undefined) return;
    const last = through ?? Math.floor(watermark / tickMs) - 1;
    for (;;) {
      const { closedThrough: after, state } = monitor.partitions.of(partition);
      const pane = Number.isFinite(after) ? after + 1 : Math.min(state.oldestOpenPane, last);
      if (!Number.isFinite(pane) || pane > last) return;
      const isEmpty = state.oldestOpenPane > pane;
      const content = runAtOnce(monitor.closePartition(partition, pane));
      monitor.partitions.pass(partition, pane);
      const newest = (role: TopicRole) => monitor.watermarks.newest(role, partition);
      const head = {
        after,
        pane,
        through: pane,
        from: NOTHING,
        to: NOTHING,
        partitions: this.#partitions,
        tickMs,
        rules: 'test',
        behindMs: 0,
        isEmpty,
        outcomes: NO_OUTCOMES,
        newest: { exposures: newest('exposures'), interactions: newest('interactions') },
      };
      const tables = this.#ingest.tablesOf(partition);
      yield runAtOnce(this.#writer.write(head, content, tables));
      for (let due = this.#ingest.dueSweep(); due; due = this.#ingest.dueSweep()) {
        runAtOnce(due.run());
      }
    }
  }
}

/** Ticks over the records of all partitions. */
class TickingProcess implements ThroughRecords {
  readonly snapshots: Snapshot[] = [];
  readonly lookup: Lookup;
  readonly #ids: IdTables;
  readonly #monitor: Monitor;
  readonly #ticker: Ticker;
  readonly #tickMs: number;

  constructor(options: MonitorOptions, partitions: number) {
    this.#ids = new IdTables(idLimits(options));
    this.#monitor = new Monitor(options, this.#ids);
    this.#ticker = new Ticker(this.#monitor, this.#ids);
    this.#tickMs = options.tickMs;
    const { items, byPartition } = this.#ids;
    const { partitions: known } = this.#monitor;
    this.lookup = new Lookup(known, items, byPartition, options, known.learned.rows);
    for (let p = 0; p < partitions; p++) {
      known.of(p);
      this.#ticker.follow(p, Number.NEGATIVE_INFINITY);
    }
  }

  take(partition: number, bytes: Uint8Array): void {
    this.#ticker.add(partition, readPaneRecord(bytes));
    for (;;) {
      const done = runAtOnce(this.#ticker.next());
      if (done.kind === 'wait') return;
      if (done.kind === 'ticked') this.snapshots.push(done.closed.snapshot);
      const { partitions } = this.#monitor;
      const time = (partitions.closedThrough + 1) * this.#tickMs;
      for (;;) {
        const due = this.#ids.dueSweep(time, partitions);
        if (due === undefined) break;
        runAtOnce(due.run());
      }
    }
  }
}
