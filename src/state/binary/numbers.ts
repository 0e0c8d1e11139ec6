import { DamagedNumbers } from '../../errors.js';
import { enlarged } from '../../events/column-table.js';
import { XxHash32 } from './xxhash32.js';

/**
 * Reads what `NumberWriter` wrote, in the same order.
 *
 * @throws DamagedNumbers if the bytes are those of another version or shape, were changed or cut
 * short, or are more than the most
 */
export class NumberReader implements NumberCodec {
  readonly reads = true;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #end: number;
  #at = 0;
  #kinds = 0;
  #inGroup = GROUP;

  /** @param shape as it was sealed with. @param most bytes. */
  constructor(bytes: Uint8Array, shape: number, most: number) {
    if (bytes.length > most) throw new DamagedNumbers(`${bytes.length} bytes, at most ${most}`);
    if (bytes.length < SEAL_BYTES) throw new DamagedNumbers('it is cut short');
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#end = bytes.length - SEAL_BYTES;
    const sum = new XxHash32().update(bytes.subarray(0, this.#end + 5)).digest();
    if (this.#view.getUint32(this.#end + 5, true) !== sum) {
      throw new DamagedNumbers('its checksum is another');
    }
    if (bytes[this.#end] !== NUMBERS_VERSION) {
      throw new DamagedNumbers(`version ${bytes[this.#end]}, not ${NUMBERS_VERSION}`);
    }
    if (this.#view.getUint32(this.#end + 1, true) !== shape >>> 0) {
      throw new DamagedNumbers('it is of something else');
    }
  }

  number(_: number): number {
    if (this.#inGroup === GROUP) {
      this.#kinds = this.#byte();
      this.#inGroup = 0;
    }
    const isOther = (this.#kinds >>> this.#inGroup++) & 1;
    return isOther === 1 ? this.#other() : this.#whole();
  }

  numbers(values: Float64Array): void {
    for (let i = 0; i < values.length; i++) values[i] = this.number(0);
  }

  /** Nothing may be left. */
  finish(): void {
    if (this.#at !== this.#end) throw new DamagedNumbers('it goes on beyond its end');
  }

  #whole(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#byte();
      value += (byte % LOW_BITS) * scale;
      if (byte < LOW_BITS) break;
      scale *= LOW_BITS;
      if (scale > Number.MAX_SAFE_INTEGER) throw new DamagedNumbers('a number in it is none');
    }
    return value;
  }

  #other(): number {
    if (this.#at + 8 > this.#end) throw new DamagedNumbers('it ends too early');
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8, true);
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new DamagedNumbers('it ends too early');
    return this.#bytes[this.#at++];
  }
}

/** Numbers that one byte says the kinds of: whole or not. */
const GROUP = 8;
/** Bytes of a whole number hold seven bits each, the least first. */
const LOW_BITS = 0x80;

/**
 * Numbers in few bytes, to the bit: whole ones from 0 to 2⁵³ − 1 take a byte for every seven bits,
 * all others eight, and every eight of them one byte more.
 *
 * @example
 * const to = new NumberWriter();
 * to.number(300);
 * to.number(0.5);
 * to.seal(1).length; // 20: one for the kinds, two and eight, and nine of the seal
 */
export class NumberWriter implements NumberCodec {
  readonly reads = false;
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  #kinds = 0;
  #inGroup = GROUP;

  number(value: number): number {
    if (this.#inGroup === GROUP) this.#begin();
    if (Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)) this.#whole(value);
    else this.#other(value);
    this.#inGroup++;
    return value;
  }

  numbers(values: Float64Array): void {
    for (const value of values) this.number(value);
  }

  /** All bytes, with what `NumberReader` knows them by. @param shape of what was written, 32 bits. */
  seal(shape: number): Uint8Array {
    this.#reserve(SEAL_BYTES);
    this.#bytes[this.#at] = NUMBERS_VERSION;
    this.#view.setUint32(this.#at + 1, shape, true);
    const sum = new XxHash32().update(this.#bytes.subarray(0, this.#at + 5)).digest();
    this.#view.setUint32(this.#at + 5, sum, true);
    return this.#bytes.slice(0, this.#at + SEAL_BYTES);
  }

  #begin(): void {
    this.#reserve(1);
    this.#kinds = this.#at++;
    this.#bytes[this.#kinds] = 0;
    this.#inGroup = 0;
  }

  #whole(value: number): void {
    this.#reserve(8);
    let left = value;
    while (left >= LOW_BITS) {
      this.#bytes[this.#at++] = (left % LOW_BITS) | LOW_BITS;
      left = Math.floor(left / LOW_BITS);
    }
    this.#bytes[this.#at++] = left;
  }

  #other(value: number): void {
    this.#reserve(8);
    this.#bytes[this.#kinds] |= 1 << this.#inGroup;
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    this.#bytes = enlarged(this.#bytes, 2 * this.#bytes.length);
    this.#view = new DataView(this.#bytes.buffer);
  }
}

/** Of how numbers are written. */
const NUMBERS_VERSION = 1;
/** Version, shape, checksum. */
const SEAL_BYTES = 9;

/**
 * Takes numbers in their order, to bytes or from them. One method of an owner then says for both
 * ways what it consists of: `this.rows = through.number(this.rows)`.
 */
export interface NumberCodec {
  /** Whether numbers come from bytes. */
  readonly reads: boolean;
  /** Answers the number that stands there: the very same when it is written. */
  number(value: number): number;
  /** All of them, in place. */
  numbers(values: Float64Array): void;
}
