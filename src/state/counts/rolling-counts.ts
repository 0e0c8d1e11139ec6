import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import {
  DenseCounts,
  retained,
  type SparseCounts,
  type SparseCountsTable,
  Tally,
} from './sparse-counts.js';

/**
 * Approximate number of buckets in a horizon. The start of a horizon moves by one bucket at a time.
 */
const BUCKETS_PER_HORIZON = 240;

interface Bucket {
  /** End of the bucket, event time in ms, exclusive. */
  readonly end: number;
  /** Counts of each pane in the bucket; once the bucket is full, one entry with their sums. */
  parts: SparseCounts[];
}

/** Stored buckets, oldest first. They may have been written for another horizon. */
export type StoredBuckets = readonly {
  readonly end: number;
  readonly parts: readonly SparseCounts[];
}[];

/** Read the output of `writeBuckets`. */
export function readBuckets(from: BinaryReader, table: readonly SparseCounts[]): StoredBuckets {
  return Array.from({ length: from.count() }, () => {
    const end = from.number();
    return {
      end,
      parts: Array.from(from.int32(), (place) => table[place]),
    };
  });
}

/** Length of a bucket in event time, ms. Counts expire by whole buckets. */
export function bucketMs(horizonMs: number, paneMs: number): number {
  return paneMs * Math.max(1, Math.ceil(horizonMs / paneMs / BUCKETS_PER_HORIZON));
}

/**
 * Counts per id over a trailing horizon of event time, kept as exact integers.
 *
 *   counts[i] = Σ of counts added for i in buckets that end after t − horizon
 *
 * t is the end of the newest pane. A bucket is a whole number of panes long, about horizon / 240,
 * and starts at a multiple of its length since the epoch. The oldest counts therefore expire to
 * within one bucket of the horizon, at times that depend on t alone. Sums of integers do not drift
 * when counts are added and later subtracted. The counts of a pane are immutable, and shared by all
 * horizons that contain the pane. Several `RollingCounts` may add to one total.
 *
 * @example
 * const lastHour = new RollingCounts(3_600_000, 60_000);
 * lastHour.add({ ids: Int32Array.of(3), counts: Int32Array.of(2) }, 60_000);
 * lastHour.advance(60_000);
 * lastHour.counts[3]; // 2
 */
export class RollingCounts {
  readonly #horizonMs: number;
  readonly #bucketMs: number;
  readonly #buckets: Bucket[] = [];
  readonly #merger: Tally;
  readonly #total: DenseCounts;

  /**
   * @param merger buffer that counters of one id space may share.
   * @param total sums to which the counts are added.
   */
  constructor(
    horizonMs: number,
    paneMs: number,
    merger: Tally = new Tally(),
    total: DenseCounts = new DenseCounts(),
  ) {
    this.#horizonMs = horizonMs;
    this.#bucketMs = bucketMs(horizonMs, paneMs);
    this.#merger = merger;
    this.#total = total;
  }

  /** Count per id, for ids below `size`. Valid until the next `add` or `advance`. */
  get counts(): Int32Array {
    return this.#total.counts;
  }

  get size(): number {
    return this.#total.size;
  }

  /**
   * Whether there are no counts. Not meaningful for an infinite horizon, which keeps no buckets.
   */
  get isEmpty(): boolean {
    return this.#buckets.length === 0;
  }

  /** Start of the oldest bucket, event time in ms; Infinity if there is no bucket. */
  get since(): number {
    const [oldest] = this.#buckets;
    return oldest === undefined ? Number.POSITIVE_INFINITY : oldest.end - this.#bucketMs;
  }

  /** Number of ids with a count. O(size). */
  get distinct(): number {
    let distinct = 0;
    for (let id = 0; id < this.size; id++) {
      if (this.counts[id] > 0) {
        distinct++;
      }
    }
    return distinct;
  }

  /** Add the counts of the pane that ends at `paneEnd`. Panes must be added in order of time. */
  add(counts: SparseCounts, paneEnd: number): void {
    if (counts.ids.length === 0) return;
    this.#total.add(counts);
    if (this.#horizonMs !== Number.POSITIVE_INFINITY) {
      this.#keep(counts, paneEnd);
    }
  }

  /**
   * Subtract the counts of buckets before the horizon, once the pane that ends at `paneEnd` is
   * closed.
   */
  advance(paneEnd: number): void {
    const before = paneEnd - this.#horizonMs;
    let expired = 0;
    while (expired < this.#buckets.length && this.#buckets[expired].end <= before) {
      for (const part of this.#buckets[expired].parts) {
        this.#total.subtract(part);
      }
      expired++;
    }
    if (expired > 0) {
      this.#buckets.splice(0, expired);
    }
  }

  /** Subtract all counts of this counter from the total. */
  clear(): void {
    for (const { parts } of this.#buckets) {
      for (const part of parts) {
        this.#total.subtract(part);
      }
    }
    this.#buckets.length = 0;
  }

  /**
   * Drop the counts of ids for which `isKept` is false. Only for a counter that does not share its
   * total with another one. Yields regularly; nothing may be added until the generator has
   * finished.
   */
  *retain(isKept: (id: number) => boolean): Generator<void, void> {
    yield* this.#total.retain(isKept);
    for (const bucket of this.#buckets) {
      bucket.parts = bucket.parts.map((part) => retained(part, isKept));
      yield;
    }
  }

  /** Add the parts to the table, so that `writeBuckets` can refer to them. */
  collect(table: SparseCountsTable): void {
    for (const { parts } of this.#buckets) {
      for (const part of parts) {
        table.place(part);
      }
    }
  }

  writeBuckets(to: BinaryWriter, table: SparseCountsTable): void {
    to.number(this.#buckets.length);
    for (const { end, parts } of this.#buckets) {
      to.number(end);
      to.column(Int32Array.from(parts, (part) => table.place(part)));
    }
  }

  /**
   * Add stored buckets, before anything else is added. A bucket that was written for another
   * horizon joins the bucket of this horizon in which it ends.
   *
   * @param paneEnd end of the newest pane in the stored buckets, event time in ms; buckets before
   *   the horizon are dropped.
   */
  adopt(buckets: StoredBuckets, paneEnd: number): void {
    const before = paneEnd - this.#horizonMs;
    const aligned = (ts: number) => Math.ceil(ts / this.#bucketMs) * this.#bucketMs;
    for (const { end: written, parts } of buckets) {
      if (written <= before) continue;
      // A stored bucket may be longer, and end after the bucket that contains the newest pane.
      const end = Math.min(aligned(written), aligned(paneEnd));
      for (const part of parts) {
        this.#total.add(part);
      }
      const newest = this.#buckets.at(-1);
      if (newest?.end === end) {
        newest.parts.push(...parts);
      } else {
        this.#buckets.push({
          end,
          parts: [...parts],
        });
      }
    }
  }

  #keep(counts: SparseCounts, paneEnd: number): void {
    const end = Math.ceil(paneEnd / this.#bucketMs) * this.#bucketMs;
    const newest = this.#buckets.at(-1);
    if (newest !== undefined && newest.end === end) {
      newest.parts.push(counts);
      return;
    }
    if (newest !== undefined) {
      this.#merge(newest);
    }
    this.#buckets.push({
      end,
      parts: [counts],
    });
  }

  #merge(bucket: Bucket): void {
    if (bucket.parts.length === 1) return;
    for (const part of bucket.parts) {
      this.#merger.addAll(part);
    }
    bucket.parts = [this.#merger.drain()];
  }
}
