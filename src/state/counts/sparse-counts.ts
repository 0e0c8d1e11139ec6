import { enlarged } from '../../events/column-table.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { IdDictionary, IdPlaces } from '../ids/id-dictionary.js';

/** Table of the counts that several horizons share, so that a checkpoint has them only once. */
export class SparseCountsTable {
  readonly #places = new Map<SparseCounts, number>();

  /** Index of these counts in the table. Counts that are not in the table yet are added to it. */
  place(counts: SparseCounts): number {
    const known = this.#places.get(counts);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(counts, place);
    return place;
  }

  /** Write the table. A dictionary, if there is one, writes the ids and records their use. */
  *write(to: BinaryWriter, dictionary: IdDictionary | undefined): Generator<void, void> {
    to.number(this.#places.size);
    to.cut(0);
    let written = 0;
    for (const { ids, counts } of this.#places.keys()) {
      if (dictionary === undefined) {
        to.column(ids);
      } else {
        yield* dictionary.write(to, ids);
      }
      to.number(counts.BYTES_PER_ELEMENT);
      to.column(counts);
      to.cut();
      written += ids.length;
      if (written >= 32_768) {
        written = 0;
        yield;
      }
    }
  }

  static *read(
    from: BinaryReader,
    places: IdPlaces | undefined,
  ): Generator<void, readonly SparseCounts[]> {
    const table: SparseCounts[] = [];
    for (let left = from.count(); left > 0; left--) {
      const ids = places === undefined ? from.int32() : places.column(from);
      const counts = from.number() === 1 ? from.uint8() : from.int32();
      table.push({ ids, counts });
      if (table.length % 32 === 0) {
        yield;
      }
    }
    return table;
  }
}

/** Counts of the ids that occurred: `counts[j]` belongs to `ids[j]`. Immutable. */
export interface SparseCounts {
  readonly ids: Int32Array;
  /** Count of each id, in the narrowest sufficient type: most ids occur once or twice in a pane. */
  readonly counts: Uint8Array | Int32Array;
}

/** Keep the counts of some ids only. */
export function retained(
  { ids, counts }: SparseCounts,
  isKept: (id: number) => boolean,
): SparseCounts {
  const places = new Int32Array(ids.length);
  let size = 0;
  for (let j = 0; j < ids.length; j++) {
    if (isKept(ids[j])) {
      places[size++] = j;
    }
  }
  const kept = places.subarray(0, size);
  return {
    ids: kept.map((j) => ids[j]),
    counts:
      counts instanceof Uint8Array
        ? Uint8Array.from(kept, (j) => counts[j])
        : kept.map((j) => counts[j]),
  };
}

/**
 * Subtract `others` from `counts`. An id's count in `others` is at most its count in `counts`. Ids
 * whose count becomes 0 are dropped.
 */
export function without(counts: SparseCounts, others: SparseCounts): SparseCounts {
  if (others.ids.length === 0) return counts;
  const less = new Map<number, number>();
  for (let j = 0; j < others.ids.length; j++) {
    less.set(others.ids[j], others.counts[j]);
  }
  const rest = counts.counts.map((count, j) => count - (less.get(counts.ids[j]) ?? 0));
  const isLeft = (_: number, j: number) => rest[j] > 0;
  return {
    ids: counts.ids.filter(isLeft),
    counts: rest.filter(isLeft),
  };
}

/**
 * Factor by which an array with an entry per item grows. It is small, since there are many such
 * arrays.
 */
const GROWTH = 1.25;
const SLICE = 65_536;

export const NO_COUNTS: SparseCounts = {
  ids: new Int32Array(0),
  counts: new Int32Array(0),
};

/**
 * Counts occurrences of dense ids and returns them as `SparseCounts`: O(1) per occurrence, and the
 * result is proportional to the distinct ids, not to the catalogue.
 *
 * @example
 * const tally = new Tally();
 * tally.add(7); tally.add(2); tally.add(7);
 * tally.drain(); // { ids: [7, 2], counts: [2, 1] }
 */
export class Tally {
  #dense = new Int32Array(1024);
  #touched = new Int32Array(256);
  #distinct = 0;

  add(id: number): void {
    if (id >= this.#dense.length) {
      this.#grow(id);
    }
    if (this.#dense[id]++ === 0) {
      this.#touch(id);
    }
  }

  /** Count of the id since the last `drain`. */
  of(id: number): number {
    return this.#dense[id] ?? 0;
  }

  /** Add to the count of an id; `times` is at least 1. */
  addTimes(id: number, times: number): void {
    if (id >= this.#dense.length) {
      this.#grow(id);
    }
    if (this.#dense[id] === 0) {
      this.#touch(id);
    }
    this.#dense[id] += times;
  }

  addAll(counts: SparseCounts): void {
    for (let j = 0; j < counts.ids.length; j++) {
      const id = counts.ids[j];
      if (id >= this.#dense.length) {
        this.#grow(id);
      }
      if (this.#dense[id] === 0) {
        this.#touch(id);
      }
      this.#dense[id] += counts.counts[j];
    }
  }

  /** Return the counts in order of first occurrence, and reset. */
  drain(): SparseCounts {
    if (this.#distinct === 0) return NO_COUNTS;
    const ids = this.#touched.slice(0, this.#distinct);
    let largest = 0;
    for (let j = 0; j < ids.length; j++) {
      largest = Math.max(largest, this.#dense[ids[j]]);
    }
    const counts = largest < 256 ? new Uint8Array(ids.length) : new Int32Array(ids.length);
    for (let j = 0; j < ids.length; j++) {
      counts[j] = this.#dense[ids[j]];
      this.#dense[ids[j]] = 0;
    }
    this.#distinct = 0;
    return { ids, counts };
  }

  #touch(id: number): void {
    if (this.#distinct === this.#touched.length) {
      this.#touched = enlarged(this.#touched, this.#touched.length * 2);
    }
    this.#touched[this.#distinct++] = id;
  }

  #grow(id: number): void {
    this.#dense = enlarged(this.#dense, Math.max(id + 1, Math.ceil(this.#dense.length * GROWTH)));
  }
}

/** Count per id as a dense array, a sum of sparse counts. */
export class DenseCounts {
  #counts = new Int32Array(256);
  #size = 0;

  /** Count per id, for ids below `size`. Valid until the next change. */
  get counts(): Int32Array {
    return this.#counts;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether any id has a count. O(size). */
  get isCounted(): boolean {
    return this.#counts.some((count) => count !== 0);
  }

  add(sparse: SparseCounts): void {
    this.#apply(sparse, 1);
  }

  subtract(sparse: SparseCounts): void {
    this.#apply(sparse, -1);
  }

  /** Drop the counts of ids that are not kept. Yields regularly. */
  *retain(isKept: (id: number) => boolean): Generator<void, void> {
    for (let id = 0; id < this.#size; id++) {
      if (this.#counts[id] !== 0 && !isKept(id)) {
        this.#counts[id] = 0;
      }
      if (id % SLICE === SLICE - 1) {
        yield;
      }
    }
  }

  #apply(sparse: SparseCounts, sign: 1 | -1): void {
    const { ids, counts } = sparse;
    for (let j = 0; j < ids.length; j++) {
      const id = ids[j];
      if (id >= this.#size) {
        this.#size = id + 1;
        if (id >= this.#counts.length) {
          this.#grow(id);
        }
      }
      this.#counts[id] += sign * counts[j];
    }
  }

  #grow(id: number): void {
    this.#counts = enlarged(
      this.#counts,
      Math.max(id + 1, Math.ceil(this.#counts.length * GROWTH)),
    );
  }
}
