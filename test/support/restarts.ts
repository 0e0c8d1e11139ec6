import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { openCheckpoint } from '../../src/stream/checkpoint/checkpoint.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import type { TopicRole } from '../../src/stream/ports.js';
import { Ingest } from '../../src/stream/read/ingest.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import type { Lookup } from '../../src/stream/tick/lookup.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { type Event, partitionOf, roleOf } from './log.js';
import { lookupOf } from './lookup-of.js';

export const TOPICS = { exposures: 'e', interactions: 'i' };
const ROLES = ['exposures', 'interactions'] as const;

export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(chunks));
}

/**
 * A process that reads a log, may be checkpointed a partition at a time, and may be killed: what
 * then goes on has other dense ids and nothing but the checkpoints.
 */
export class RestartedReader {
  readonly snapshots: Snapshot[] = [];
  readonly checkpoints = new Map<number, Uint8Array>();
  ingest!: Ingest;
  #epoch = 0;
  readonly #options: MonitorOptions;
  readonly #partitions: number;
  readonly #queues = new Map<string, Uint8Array[]>();

  constructor(log: readonly Event[], options: MonitorOptions, partitions: number) {
    this.#options = options;
    this.#partitions = partitions;
    for (const role of ROLES) {
      for (let p = 0; p < partitions; p++) this.#queues.set(`${role}/${p}`, []);
    }
    for (const event of log) {
      const key = `${roleOf(event)}/${partitionOf(event.user, partitions)}`;
      this.#queues.get(key)!.push(Buffer.from(encodeEvent(event)));
    }
    this.restart();
  }

  /** What is known of single items and users. */
  get lookup(): Lookup {
    return lookupOf(this.ingest, this.#options);
  }

  /** Ends the process and starts another one, which takes the partitions in the given order. */
  restart(backwards = false): void {
    const { actions, ratings, segments, pseudonyms } = this.#options;
    const decoder = new Decoder({
      maxFutureMs: 1e15,
      ...(actions && { actions }),
      ...(pseudonyms && { pseudonyms }),
      ...(ratings && { ratings: ratings.scale }),
      ...(segments && { segments: segments.dimensions.map(({ name }) => name) }),
    });
    this.ingest = new Ingest(this.#options, decoder, TOPICS, this.#partitions);
    this.#epoch++;
    const partitions = Array.from({ length: this.#partitions }, (_, p) => p);
    for (const p of backwards ? partitions.reverse() : partitions) {
      for (const role of ROLES) this.ingest.monitor.watermarks.expect(role, p);
      const bytes = this.checkpoints.get(p);
      const opened = bytes === undefined ? undefined : runAtOnce(openCheckpoint(bytes));
      runAtOnce(this.ingest.checkpoints.restore(p, opened));
      for (const role of ROLES) this.#giveUpIfSilent(role, p);
    }
    this.close(false);
  }

  /** `meanwhile` is applied after the capture and before anything of it is written. */
  checkpoint(partition: number, meanwhile?: { role: TopicRole; count: number }): void {
    // As in the service: what catches up is not checkpointed.
    if (this.ingest.monitor.partitions.isCatchingUp) return;
    const writing = this.ingest.checkpoints.capture(partition, this.#epoch);
    if (meanwhile !== undefined) this.#apply(meanwhile.role, partition, meanwhile.count);
    this.checkpoints.set(partition, joined(runAtOnce(writing)));
    this.close(false);
  }

  /** Reads this many records of one topic-partition; false where there is none left. */
  read(role: TopicRole, partition: number, count: number): boolean {
    const isRead = this.#apply(role, partition, count);
    this.close(false);
    return isRead;
  }

  #apply(role: TopicRole, partition: number, count: number): boolean {
    const all = this.#queues.get(`${role}/${partition}`)!;
    const from = this.ingest.records.nextOffset(role, partition) ?? 0;
    const values = all.slice(from, from + count);
    if (values.length === 0) return false;
    const batch = {
      role,
      partition,
      offsets: Float64Array.from(values, (_, r) => from + r),
      values,
      recordTs: new Float64Array(values.length),
      highWatermark: all.length,
    };
    runAtOnce(this.ingest.apply(batch, () => Number.POSITIVE_INFINITY));
    this.#giveUpIfSilent(role, partition);
    return true;
  }

  /** What is read to its end no longer holds time back. */
  #giveUpIfSilent(role: TopicRole, partition: number): void {
    const next = this.ingest.records.nextOffset(role, partition) ?? 0;
    if (next < this.#queues.get(`${role}/${partition}`)!.length) return;
    this.ingest.monitor.watermarks.setIdle(role, partition);
  }

  close(flush: boolean): void {
    const { monitor } = this.ingest;
    for (let pane = monitor.closable(flush); pane !== undefined; pane = monitor.closable(flush)) {
      const closed = runAtOnce(monitor.close(pane));
      for (let due = this.ingest.dueSweep(); due; due = this.ingest.dueSweep()) {
        runAtOnce(due.run());
      }
      if (closed !== undefined) this.snapshots.push(closed.snapshot);
    }
  }

  finish(): void {
    let left = true;
    while (left) {
      left = false;
      for (let p = 0; p < this.#partitions; p++) {
        for (const role of ROLES) left = this.read(role, p, 10) || left;
      }
    }
    this.close(true);
  }
}
