/** What a page's header says, as far as it is asked for. */
export interface PageHeader {
  /** 0 data, 2 dictionary, 3 data of version 2; an index page is passed over. */
  readonly type: number;
  readonly unpackedBytes: number;
  readonly packedBytes: number;
  readonly values: number;
  readonly encoding: number;
  readonly definitionEncoding: number;
  readonly repetitionEncoding: number;
}

const [TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT] = [1, 2, 3, 7, 8, 9, 10, 12];

/**
 * Bytes of a column in the order in which they lie.
 *
 * Source: Apache Parquet format 2.x (parquet.thrift, Encodings.md), Thrift's compact protocol.
 *
 * @throws RangeError where they end too early
 */
export class PageBytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
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

  /** The next bytes, which are passed. */
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

  /** The whole numbers of a structure by the numbers of its fields, and those of structures in it. */
  #numbers() {
    const numbers = new Map<number, number>();
    const inside = new Map<number, Map<number, number>>();
    let field = 0;
    for (let head = this.byte(); head !== 0; head = this.byte()) {
      const type = head & 15;
      field = head >> 4 === 0 ? unzigzag(this.varint()) : field + (head >> 4);
      if (type === STRUCT) inside.set(field, this.#numbers().numbers);
      else if (type > BYTE && type < DOUBLE) numbers.set(field, unzigzag(this.#long()));
      else this.#skip(type);
    }
    return { numbers, inside };
  }

  /** A number of up to 64 bits, of which those that fit are kept. */
  #long(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte();
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new RangeError('a number in a page is too long');
  }

  #skip(type: number): void {
    if (type === TRUE || type === FALSE) return;
    if (type === BYTE) this.at++;
    else if (type === DOUBLE) this.at += 8;
    else if (type === BINARY) this.take(this.varint());
    else if (type === LIST || type === SET) {
      const head = this.byte();
      const size = head >> 4 === 15 ? this.varint() : head >> 4;
      for (let n = 0; n < size; n++) this.#element(head & 15);
    } else throw new RangeError('a page has a header that cannot be read');
  }

  #element(type: number): void {
    if (type === STRUCT) this.#numbers();
    else if (type > BYTE && type < DOUBLE) this.#long();
    // In a list a truth is a byte of its own.
    else if (type === TRUE || type === FALSE) this.at++;
    else this.#skip(type);
  }

  /**
   * Runs of numbers of `width` bits, each repeated or packed, into the array from `from` to before
   * `to`.
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

  /** The last run of a page may be cut off where its numbers end. */
  #packed(length: number): Uint8Array {
    return this.take(Math.min(length, this.bytes.length - this.at));
  }

  #repeated(width: number): number {
    let value = 0;
    for (let shift = 0; shift < width; shift += 8) value |= this.byte() << shift;
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
  const mask = width === 32 ? -1 : (1 << width) - 1;
  let [bits, held, at] = [0, 0, 0];
  for (let n = from; n < to; n++) {
    if (width <= 24) {
      while (held < width) {
        bits |= packed[at++] << held;
        held += 8;
      }
      into[n] = bits & mask;
      bits >>>= width;
      held -= width;
      continue;
    }
    into[n] = wide(packed, (n - from) * width, width);
  }
}

/** One number of more bits than can be shifted together. */
function wide(packed: Uint8Array, bit: number, width: number): number {
  let value = 0;
  for (let b = 0; b < width; b++) {
    const at = bit + b;
    value |= ((packed[at >> 3] >> (at & 7)) & 1) << b;
  }
  return value;
}

function unzigzag(value: number): number {
  return (value >>> 1) ^ -(value & 1);
}
