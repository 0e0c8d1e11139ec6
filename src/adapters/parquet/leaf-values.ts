import type { ColumnMetaData, ParquetType } from 'hyparquet';
import type { Texts } from '../../events/texts.js';
import { COMPRESSORS } from './compressors.js';

/** Fields of a Parquet page header that this module uses. */
interface PageHeader {
  /** Type of the page: 0 data, 2 dictionary, 3 data of version 2. Index pages (1) are skipped. */
  readonly type: number;
  readonly unpackedBytes: number;
  readonly packedBytes: number;
  readonly values: number;
  readonly encoding: number;
  readonly definitionEncoding: number;
  readonly repetitionEncoding: number;
}

const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const SET = 10;
const STRUCT = 12;

/**
 * Reads numbers and bytes of a column chunk in order: Thrift headers, varints, and encoded runs.
 *
 * Source: Apache Parquet format 2.x (parquet.thrift, Encodings.md), Thrift's compact protocol.
 *
 * @throws RangeError if the bytes end too early
 */
class PageBytes {
  readonly view: DataView;
  at = 0;

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    return this.view.getUint8(this.at++);
  }

  int32(): number {
    const value = this.view.getInt32(this.at, true);
    this.at += 4;
    return value;
  }

  /** Take the next `length` bytes, and advance past them. */
  take(length: number): Uint8Array {
    const end = this.at + length;
    if (length < 0 || end > this.bytes.length) throw new RangeError('a page ends too early');
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new RangeError('a number in a page is too long');
  }

  header(): PageHeader {
    const page = this.#numbers();
    const of = page.inside.get(5) ?? page.inside.get(7) ?? new Map<number, number>();
    return {
      type: page.numbers.get(1) ?? -1,
      unpackedBytes: page.numbers.get(2) ?? -1,
      packedBytes: page.numbers.get(3) ?? -1,
      values: of.get(1) ?? 0,
      encoding: of.get(2) ?? -1,
      definitionEncoding: of.get(3) ?? -1,
      repetitionEncoding: of.get(4) ?? -1,
    };
  }

  /**
   * Read a Thrift structure: its integer fields by id, and the integer fields of each nested
   * structure by that structure's id.
   */
  #numbers() {
    const numbers = new Map<number, number>();
    const inside = new Map<number, Map<number, number>>();
    let field = 0;
    for (let head = this.byte(); head !== 0; head = this.byte()) {
      const type = head & 15;
      field = head >> 4 === 0 ? unzigzag(this.varint()) : field + (head >> 4);
      if (type === STRUCT) {
        inside.set(field, this.#numbers().numbers);
      } else if (type > BYTE && type < DOUBLE) {
        numbers.set(field, unzigzag(this.#long()));
      } else {
        this.#skip(type);
      }
    }
    return { numbers, inside };
  }

  /** Read a varint of up to 64 bits, of which the lower 32 are kept. */
  #long(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte();
      if (shift < 32) {
        value |= (byte & 0x7f) << shift;
      }
      if (byte < 0x80) return value >>> 0;
    }
    throw new RangeError('a number in a page is too long');
  }

  #skip(type: number): void {
    if (type === TRUE || type === FALSE) return;
    if (type === BYTE) {
      this.at++;
    } else if (type === DOUBLE) {
      this.at += 8;
    } else if (type === BINARY) {
      this.take(this.varint());
    } else if (type === LIST || type === SET) {
      const head = this.byte();
      const size = head >> 4 === 15 ? this.varint() : head >> 4;
      for (let n = 0; n < size; n++) {
        this.#element(head & 15);
      }
    } else {
      throw new RangeError('the header of a page cannot be read');
    }
  }

  #element(type: number): void {
    if (type === STRUCT) {
      this.#numbers();
    } else if (type > BYTE && type < DOUBLE) {
      this.#long();
    }
    // In a list, a boolean is one byte.
    else if (type === TRUE || type === FALSE) {
      this.at++;
    } else {
      this.#skip(type);
    }
  }

  /**
   * Decode the RLE / bit-packing hybrid: runs of numbers of `width` bits, written into the array
   * from index `from` to before `to`.
   */
  runs(width: number, into: Int32Array | Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const head = this.varint();
      const count = (head & 1) === 1 ? (head >>> 1) * 8 : head >>> 1;
      const end = Math.min(to, at + count);
      if ((head & 1) === 1) {
        const packed = this.#packed((head >>> 1) * width);
        unpack(packed, width, into, at, end);
      } else {
        into.fill(this.#repeated(width), at, end);
      }
      at = end;
    }
  }

  /**
   * Whether the next run repeats `value` for all of `count` numbers. The position does not change.
   */
  areAll(value: number, width: number, count: number): boolean {
    const { at } = this;
    const head = this.varint();
    const isOne = (head & 1) === 0 && head >>> 1 >= count && this.#repeated(width) === value;
    this.at = at;
    return isOne;
  }

  /** Take the bytes of a bit-packed run. The last run of a page may be shorter than it states. */
  #packed(length: number): Uint8Array {
    return this.take(Math.min(length, this.bytes.length - this.at));
  }

  #repeated(width: number): number {
    let value = 0;
    for (let shift = 0; shift < width; shift += 8) {
      value |= this.byte() << shift;
    }
    return value;
  }
}

function unpack(
  packed: Uint8Array,
  width: number,
  into: Int32Array | Uint8Array,
  from: number,
  to: number,
): void {
  if (packed.length * 8 < (to - from) * width) throw new RangeError('a page ends too early');
  // Four bytes contain a whole number that starts at any bit of the first byte.
  const safe = width <= 25 ? Math.floor(((packed.length - 4) * 8) / width) : 0;
  const quick = Math.max(from, Math.min(to, from + safe));
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const mask = (1 << width) - 1;
  let bit = 0;
  for (let n = from; n < quick; n++, bit += width) {
    into[n] = (view.getInt32(bit >> 3, true) >>> (bit & 7)) & mask;
  }
  for (let n = quick; n < to; n++, bit += width) {
    into[n] = wide(packed, bit, width);
  }
}

/** Read the number of `width` bits that starts at a bit, bit by bit. */
function wide(packed: Uint8Array, bit: number, width: number): number {
  let value = 0;
  for (let b = 0; b < width; b++) {
    const at = bit + b;
    value |= ((packed[at >> 3] >> (at & 7)) & 1) << b;
  }
  return value;
}

/**
 * Look up `count` codes in the dictionary, and write the values into `into` from index `first` on.
 *
 * @returns false if a code is not in the dictionary
 */
function looked(
  codes: Int32Array,
  count: number,
  dictionary: Int32Array | Float64Array,
  into: Int32Array | Float64Array,
  first: number,
): boolean {
  const size = dictionary.length;
  for (let n = 0; n < count; n++) {
    const code = codes[n];
    if (code < 0 || code >= size) return false;
    into[first + n] = dictionary[code];
  }
  return true;
}

function unzigzag(value: number): number {
  return (value >>> 1) ^ -(value & 1);
}

const DATA = 0;
const DICTIONARY = 2;
const PLAIN = 0;
const PLAIN_DICTIONARY = 2;
const RLE = 3;
const RLE_DICTIONARY = 8;

/** Highest definition and repetition level of a leaf column (Dremel encoding). */
export interface LeafLevels {
  readonly definition: number;
  readonly repetition: number;
}

/** Present values of a leaf column, and the levels that say which slots have one. */
export interface LeafValues {
  /** Present values: indices of texts, plain numbers, or 0 and 1 for booleans. */
  readonly values: Int32Array | Float64Array;
  /** Number of slots, including those without a value. */
  readonly places: number;
  /** Definition level of each slot; undefined if all slots have a value. */
  readonly definition: Uint8Array | undefined;
  /** Repetition level of each slot, 0 at the start of a row; undefined if each slot is a row. */
  readonly repetition: Uint8Array | undefined;
}

/** Physical types that this module can read. */
export const READ_TYPES: ReadonlySet<ParquetType> = new Set<ParquetType>([
  'BYTE_ARRAY',
  'INT32',
  'INT64',
  'DOUBLE',
  'FLOAT',
  'BOOLEAN',
]);

/** Encodings of pages that this module reads, as named in a file's footer. */
const READ_ENCODINGS: ReadonlySet<string> = new Set([
  'PLAIN',
  'PLAIN_DICTIONARY',
  'RLE',
  'RLE_DICTIONARY',
]);

/** Whether this module may be able to read all pages of a column. */
export function isPlainColumn({ type, encodings, codec }: ColumnMetaData): boolean {
  return (
    READ_TYPES.has(type) &&
    encodings.every((encoding) => READ_ENCODINGS.has(encoding)) &&
    (codec === 'UNCOMPRESSED' || COMPRESSORS[codec] !== undefined)
  );
}

/**
 * Read all pages of a column.
 *
 * @param bytes bytes of the column chunk in the file
 * @param texts receives texts; those of a dictionary once
 * @returns undefined if this module cannot read a page's encoding
 * @throws RangeError if the pages are damaged
 */
export function leafValues(
  bytes: Uint8Array,
  meta: ColumnMetaData,
  levels: LeafLevels,
  texts: Texts,
): LeafValues | undefined {
  return new LeafReader(bytes, meta, levels, texts).read();
}

class LeafReader {
  readonly #bytes: PageBytes;
  readonly #values: Int32Array | Float64Array;
  readonly #definition: Uint8Array | undefined;
  readonly #repetition: Uint8Array | undefined;
  readonly #total: number;
  #dictionary: Int32Array | Float64Array | undefined;
  #codes = new Int32Array(0);
  #count = 0;
  #places = 0;

  constructor(
    bytes: Uint8Array,
    private readonly meta: ColumnMetaData,
    private readonly levels: LeafLevels,
    private readonly texts: Texts,
  ) {
    this.#bytes = new PageBytes(bytes);
    this.#total = Number(meta.num_values);
    this.#values = this.#room(this.#total);
    if (levels.definition > 0) {
      this.#definition = new Uint8Array(this.#total);
    }
    if (levels.repetition > 0) {
      this.#repetition = new Uint8Array(this.#total);
    }
  }

  read(): LeafValues | undefined {
    while (this.#places < this.#total) {
      const header = this.#bytes.header();
      const packed = this.#bytes.take(header.packedBytes);
      if (header.type === DICTIONARY) {
        this.#readDictionary(header, packed);
      } else if (header.type !== DATA || !this.#readData(header, packed)) return undefined;
    }
    const hasGaps = this.#count < this.#total;
    return {
      values: this.#values.subarray(0, this.#count),
      places: this.#total,
      definition: hasGaps ? this.#definition : undefined,
      repetition: this.#repetition,
    };
  }

  #room(length: number): Int32Array | Float64Array {
    const { type } = this.meta;
    return type === 'BYTE_ARRAY' || type === 'BOOLEAN'
      ? new Int32Array(length)
      : new Float64Array(length);
  }

  #unpacked(packed: Uint8Array, length: number): PageBytes {
    const { codec } = this.meta;
    if (codec === 'UNCOMPRESSED') return new PageBytes(packed);
    const bytes = COMPRESSORS[codec]!(packed, length);
    if (bytes.length !== length)
      throw new RangeError('a page decompresses to another length than it states');
    return new PageBytes(bytes);
  }

  #readDictionary({ values, unpackedBytes }: PageHeader, packed: Uint8Array): void {
    const page = this.#unpacked(packed, unpackedBytes);
    if (values < 0 || values > page.bytes.length) throw new RangeError('a dictionary is damaged');
    this.#dictionary = this.#room(values);
    this.#plain(page, this.#dictionary, 0, values);
  }

  #readData(header: PageHeader, packed: Uint8Array): boolean {
    const { encoding, values } = header;
    if (values < 0 || this.#places + values > this.#total) {
      throw new RangeError('a page has more values than its column has');
    }
    const page = this.#unpacked(packed, header.unpackedBytes);
    const end = this.#places + values;
    const { definition, repetition } = this.levels;
    if (repetition > 0) {
      if (header.repetitionEncoding !== RLE) return false;
      this.#readLevels(page, repetition, this.#repetition!, end);
    }
    let present = values;
    if (definition > 0) {
      if (header.definitionEncoding !== RLE) return false;
      present -= this.#readLevels(page, definition, this.#definition!, end);
    }
    const last = this.#count + present;
    if (encoding === PLAIN) {
      this.#plain(page, this.#values, this.#count, last);
    } else if (encoding === PLAIN_DICTIONARY || encoding === RLE_DICTIONARY) {
      this.#coded(page, last);
    } else if (encoding === RLE && this.meta.type === 'BOOLEAN') {
      page.int32();
      page.runs(1, this.#values as Int32Array, this.#count, last);
    } else {
      return false;
    }
    this.#count = last;
    this.#places = end;
    return true;
  }

  /**
   * Read the levels of a page into `into`. The highest possible level is `most`.
   *
   * @returns number of slots with a lower level
   */
  #readLevels(page: PageBytes, most: number, into: Uint8Array, end: number): number {
    const levels = new PageBytes(page.take(page.int32()));
    const width = 32 - Math.clz32(most);
    if (levels.areAll(most, width, end - this.#places)) {
      into.fill(most, this.#places, end);
      return 0;
    }
    levels.runs(width, into, this.#places, end);
    let lower = 0;
    for (let n = this.#places; n < end; n++) {
      if (into[n] < most) {
        lower++;
      }
    }
    return lower;
  }

  #coded(page: PageBytes, last: number): void {
    const dictionary = this.#dictionary;
    if (dictionary === undefined) throw new RangeError('a page has no dictionary');
    const count = last - this.#count;
    if (count === 0) return;
    const width = page.byte();
    if (width > 32) throw new RangeError('a page is damaged');
    if (this.#codes.length < count) {
      this.#codes = new Int32Array(count);
    }
    const codes = this.#codes;
    if (width === 0) {
      codes.fill(0, 0, count);
    } else {
      page.runs(width, codes, 0, count);
    }
    if (looked(codes, count, dictionary, this.#values, this.#count)) return;
    throw new RangeError('a page refers to a value that is not in its dictionary');
  }

  #plain(page: PageBytes, into: Int32Array | Float64Array, from: number, to: number): void {
    const { view, bytes } = page;
    let { at } = page;
    switch (this.meta.type) {
      case 'BYTE_ARRAY':
        for (let n = from; n < to; n++) {
          const start = at + 4;
          const end = start + view.getUint32(at, true);
          if (end > bytes.length) throw new RangeError('a page ends too early');
          into[n] = this.texts.addRange(view, start, end);
          at = end;
        }
        break;
      case 'INT32':
        for (let n = from; n < to; n++, at += 4) {
          into[n] = view.getInt32(at, true);
        }
        break;
      case 'INT64':
        // The high half is exact as a double, so only the sum is rounded.
        for (let n = from; n < to; n++, at += 8) {
          into[n] = view.getInt32(at + 4, true) * 0x100000000 + view.getUint32(at, true);
        }
        break;
      case 'DOUBLE':
        for (let n = from; n < to; n++, at += 8) {
          into[n] = view.getFloat64(at, true);
        }
        break;
      case 'FLOAT':
        for (let n = from; n < to; n++, at += 4) {
          into[n] = view.getFloat32(at, true);
        }
        break;
      default:
        for (let n = from; n < to; n++) {
          const bit = n - from;
          into[n] = (view.getUint8(at + (bit >> 3)) >> (bit & 7)) & 1;
        }
    }
  }
}
