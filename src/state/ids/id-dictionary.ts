import { hashBytes } from '../../events/hash.js';
import type { Pseudonyms } from '../../events/pseudonyms.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Interner } from './interner.js';

const SLICE = 32_768;
const NARROW = 1 << 16;

/**
 * Dictionary of the ids that the checkpoints of one partition use. It has the ids' texts, since
 * each process numbers ids itself. From checkpoint to checkpoint the dictionary only grows, so a
 * store already has most of it.
 *
 * If the process knows fewer than 65,536 ids, numbers are stored in two bytes, otherwise in four.
 */
export class IdDictionary {
  readonly #interner: Interner;
  /**
   * Ids in the order of first use. Ids that are no longer used stay until they are more than half.
   */
  #ids: number[] = [];
  #isThere = new Uint8Array(0);
  #isUsed = new Uint8Array(0);
  #used = 0;
  #generation: number;
  #scratch: Uint16Array | Int32Array = new Uint16Array(SLICE);

  constructor(interner: Interner) {
    this.#interner = interner;
    this.#generation = interner.generation;
    this.begin();
  }

  /** Start a checkpoint, and record which ids it uses. */
  begin(): void {
    const { size } = this.#interner;
    const isThere = new Uint8Array(size);
    isThere.set(this.#isThere.subarray(0, size));
    this.#isThere = isThere;
    this.#isUsed = new Uint8Array(size);
    this.#used = 0;
    const bytes = size < NARROW ? Uint16Array.BYTES_PER_ELEMENT : Int32Array.BYTES_PER_ELEMENT;
    if (bytes !== this.#scratch.BYTES_PER_ELEMENT) {
      this.#scratch = new Int32Array(SLICE);
    }
  }

  /** Record the use of an id, and return it. */
  place(id: number): number {
    if (this.#isUsed[id] === 1) return id;
    this.#isUsed[id] = 1;
    this.#used++;
    if (this.#isThere[id] === 1) return id;
    this.#isThere[id] = 1;
    this.#ids.push(id);
    return id;
  }

  /**
   * Write the first `length` ids, to be read by `IdPlaces.column`. Yields regularly.
   *
   * @param isGrowing whether the column only grows between checkpoints
   */
  *write(
    to: BinaryWriter,
    ids: Int32Array,
    length = ids.length,
    isGrowing = false,
  ): Generator<void, void> {
    const scratch = this.#scratch;
    to.beginColumn(length, isGrowing ? scratch.BYTES_PER_ELEMENT : undefined);
    for (let from = 0; from < length; from += SLICE) {
      const size = Math.min(SLICE, length - from);
      for (let n = 0; n < size; n++) {
        const id = ids[from + n];
        scratch[n] = this.#isUsed[id] === 1 ? id : this.place(id);
      }
      to.extendColumn(scratch, size);
      if (size === SLICE) {
        yield;
      }
    }
    to.endColumn();
  }

  /** Write the ids and their texts, after everything else in the checkpoint that uses ids. */
  *writeTexts(to: BinaryWriter): Generator<void, void> {
    const { generation } = this.#interner;
    // Numbers may have been reused for other ids since.
    if (generation !== this.#generation || this.#ids.length > 2 * this.#used) {
      this.#generation = generation;
      this.#ids = this.#ids.filter((id) => this.#isUsed[id] === 1);
      this.#isThere = this.#isUsed.slice();
    }
    to.number(this.#scratch.BYTES_PER_ELEMENT);
    const ids = Int32Array.from(this.#ids);
    to.growing(ids);
    yield* writeIds(to, this.#interner, ids);
  }
}

/** Map from ids' numbers in a checkpoint to those of this process. */
export class IdPlaces {
  readonly #idOf: Int32Array;
  readonly #isNarrow: boolean;

  private constructor(idOf: Int32Array, isNarrow: boolean) {
    this.#idOf = idOf;
    this.#isNarrow = isNarrow;
  }

  static *read(from: BinaryReader, interner: Interner): Generator<void, IdPlaces> {
    const isNarrow = from.number() === Uint16Array.BYTES_PER_ELEMENT;
    const numbers = from.version < 3 ? undefined : from.int32();
    const ids = yield* readIds(from, interner);
    if (numbers === undefined) return new IdPlaces(ids, isNarrow);
    const idOf = new Int32Array(numbers.reduce((most, number) => Math.max(most, number), -1) + 1);
    for (let n = 0; n < ids.length; n++) {
      idOf[numbers[n]] = ids[n];
    }
    return new IdPlaces(idOf, isNarrow);
  }

  /** The same map for another table, in which the ids are interned. */
  in(from: Interner, to: Interner): IdPlaces {
    const ids = this.#idOf.map((id) => {
      const bytes = new Uint8Array(from.byteLengthOf(id));
      from.copyTo(id, bytes, 0);
      return to.take(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
    });
    return new IdPlaces(ids, this.#isNarrow);
  }

  id(place: number): number {
    return this.#idOf[place];
  }

  column(from: BinaryReader): Int32Array<ArrayBuffer> {
    const places = this.#isNarrow ? from.uint16() : from.int32();
    const ids = new Int32Array(places.length);
    for (let n = 0; n < ids.length; n++) {
      ids[n] = this.#idOf[places[n]];
    }
    return ids;
  }
}

/** Write the texts of ids: their lengths, then their bytes. Unused numbers have no text. */
function* writeIds(to: BinaryWriter, interner: Interner, ids: Int32Array): Generator<void, void> {
  const lengths = new Uint16Array(ids.length);
  let bytes = 0;
  for (let n = 0; n < ids.length; n++) {
    lengths[n] = interner.byteLengthOf(ids[n]);
    bytes += lengths[n];
    if (n % 8192 === 8191) {
      yield;
    }
  }
  to.growing(lengths);
  yield;
  to.beginColumn(bytes, 1);
  const block = new Uint8Array(1 << 16);
  let used = 0;
  for (let n = 0; n < ids.length; n++) {
    if (used + lengths[n] > block.length) {
      to.extendColumn(block, used);
      used = 0;
      yield;
    }
    used += interner.copyTo(ids[n], block, used);
  }
  to.extendColumn(block, used);
  to.endColumn();
}

/**
 * Intern the texts from `writeIds`, and return their numbers in this process, in order. A number
 * without a text stays unused. With pseudonyms each id is interned under its pseudonym.
 */
export function* readIds(
  from: BinaryReader,
  interner: Interner,
  pseudonyms?: Pseudonyms,
): Generator<void, Int32Array> {
  const lengths = from.uint16();
  const bytes = from.uint8();
  const ids = new Int32Array(lengths.length);
  const nobodys: number[] = [];
  let at = 0;
  for (let n = 0; n < ids.length; n++) {
    const end = at + lengths[n];
    if (end === at) {
      nobodys.push(interner.skip());
    } else if (pseudonyms === undefined) {
      ids[n] = interner.take(bytes, at, end, hashBytes(bytes, at, end));
    } else {
      const text = pseudonyms.renamed(bytes, at, end, (taken) => isKnown(interner, taken));
      ids[n] = interner.take(text, 0, text.length, hashBytes(text, 0, text.length));
    }
    at = end;
    if (n % 8192 === 8191) {
      yield;
    }
  }
  interner.reuse(nobodys);
  return ids;
}

/**
 * Intern all ids of a table under their old numbers. With pseudonyms each is interned under its
 * pseudonym.
 */
export function* readUsers(
  from: BinaryReader,
  interner: Interner,
  pseudonyms?: Pseudonyms,
): Generator<void, void> {
  if (from.version < 3) {
    yield* readIds(from, interner, pseudonyms);
    return;
  }
  yield* interner.read(from, (bytes) =>
    pseudonyms === undefined
      ? bytes
      : pseudonyms.renamed(bytes, 0, bytes.length, (taken) => isKnown(interner, taken)),
  );
}

function isKnown(interner: Interner, text: Uint8Array): boolean {
  return interner.find(text, 0, text.length, hashBytes(text, 0, text.length)) >= 0;
}
