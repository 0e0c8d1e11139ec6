import { hashBytes } from '../../events/hash.js';
import type { Pseudonyms } from '../../events/pseudonyms.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Interner } from './interner.js';

const SLICE = 32_768;
const NARROW = 1 << 16;

/**
 * The ids that a checkpoint uses, numbered as they come up. Dense integers are a process's own: in
 * a checkpoint an id stands as its place in the dictionary, and the dictionary holds its text.
 *
 * Where the process knows fewer than 65,536 ids, places are stored in two bytes, else in four.
 */
export class IdDictionary {
  readonly #interner: Interner;
  readonly #placeOf: Int32Array;
  readonly #ids: number[] = [];
  readonly #scratch: Uint16Array | Int32Array;

  constructor(interner: Interner) {
    this.#interner = interner;
    const size = interner.size;
    this.#placeOf = new Int32Array(size).fill(-1);
    this.#scratch = size < NARROW ? new Uint16Array(SLICE) : new Int32Array(SLICE);
  }

  place(id: number): number {
    const known = this.#placeOf[id];
    if (known >= 0) return known;
    this.#placeOf[id] = this.#ids.length;
    return this.#ids.push(id) - 1;
  }

  /** Writes the places of the first `length` ids; read by `IdPlaces.column`. Yields now and then. */
  *write(to: BinaryWriter, ids: Int32Array, length = ids.length): Generator<void, void> {
    const scratch = this.#scratch;
    to.beginColumn(length);
    for (let from = 0; from < length; from += SLICE) {
      const size = Math.min(SLICE, length - from);
      for (let n = 0; n < size; n++) {
        const id = ids[from + n];
        const known = this.#placeOf[id];
        scratch[n] = known >= 0 ? known : this.place(id);
      }
      to.extendColumn(scratch, size);
      if (size === SLICE) yield;
    }
    to.endColumn();
  }

  /** Writes the dictionary itself, once all places are given. */
  *writeTexts(to: BinaryWriter): Generator<void, void> {
    to.number(this.#scratch.BYTES_PER_ELEMENT);
    yield* writeIds(to, this.#interner, Int32Array.from(this.#ids));
  }
}

/** The other way round: from places in a dictionary to the dense integers of this process. */
export class IdPlaces {
  readonly #idOf: Int32Array;
  readonly #isNarrow: boolean;

  private constructor(idOf: Int32Array, isNarrow: boolean) {
    this.#idOf = idOf;
    this.#isNarrow = isNarrow;
  }

  static *read(from: BinaryReader, interner: Interner): Generator<void, IdPlaces> {
    const isNarrow = from.number() === Uint16Array.BYTES_PER_ELEMENT;
    return new IdPlaces(yield* readIds(from, interner), isNarrow);
  }

  /** The same places in another table. */
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
    for (let n = 0; n < ids.length; n++) ids[n] = this.#idOf[places[n]];
    return ids;
  }
}

/** The dense integers below `count`. `Int32Array.from` would hold the thread for milliseconds. */
export function idsBelow(count: number): Int32Array {
  const ids = new Int32Array(count);
  for (let id = 0; id < count; id++) ids[id] = id;
  return ids;
}

/** Writes the texts of ids: their lengths, then their bytes. A number that is nobody's has none. */
export function* writeIds(
  to: BinaryWriter,
  interner: Interner,
  ids: Int32Array,
): Generator<void, void> {
  const lengths = new Uint16Array(ids.length);
  let bytes = 0;
  for (let n = 0; n < ids.length; n++) {
    lengths[n] = interner.byteLengthOf(ids[n]);
    bytes += lengths[n];
    if (n % 8192 === 8191) yield;
  }
  to.column(lengths);
  yield;
  to.beginColumn(bytes);
  const block = new Uint8Array(1 << 16);
  let used = 0;
  for (let n = 0; n < ids.length; n++) {
    // It may have become somebody's since its length was written.
    if (lengths[n] === 0) continue;
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
 * Takes in the texts that `writeIds` wrote; the dense integers that they have here, in order. Where
 * there was none a number is left out here too. With pseudonyms each is taken in under its own.
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
    if (end === at) nobodys.push(interner.skip());
    else if (pseudonyms === undefined) {
      ids[n] = interner.take(bytes, at, end, hashBytes(bytes, at, end));
    } else {
      const text = pseudonyms.renamed(bytes, at, end, (taken) => isKnown(interner, taken));
      ids[n] = interner.take(text, 0, text.length, hashBytes(text, 0, text.length));
    }
    at = end;
    if (n % 8192 === 8191) yield;
  }
  interner.reuse(nobodys);
  return ids;
}

function isKnown(interner: Interner, text: Uint8Array): boolean {
  return interner.find(text, 0, text.length, hashBytes(text, 0, text.length)) >= 0;
}
