import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { IdDictionary, IdPlaces } from '../ids/id-dictionary.js';
import type { SparseCounts } from './sparse-counts.js';

/** Counts that several horizons share are written once, and shared again when they are read. */
export class SparseCountsTable {
  readonly #places = new Map<SparseCounts, number>();

  place(counts: SparseCounts): number {
    const known = this.#places.get(counts);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(counts, place);
    return place;
  }

  /** Ids as places in the dictionary; as they are where there is none. */
  *write(to: BinaryWriter, dictionary: IdDictionary | undefined): Generator<void, void> {
    to.number(this.#places.size);
    let written = 0;
    for (const { ids, counts } of this.#places.keys()) {
      if (dictionary === undefined) to.column(ids);
      else yield* dictionary.write(to, ids);
      to.number(counts.BYTES_PER_ELEMENT);
      to.column(counts);
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
      if (table.length % 32 === 0) yield;
    }
    return table;
  }
}
