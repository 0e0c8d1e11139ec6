import type { NumberCodec } from './number-codec.js';
import { XxHash32 } from './xxhash32.js';

/** Numbers that one byte says the kinds of: whole or not. */
export const GROUP = 8;
/** Bytes of a whole number hold seven bits each, the least first. */
export const LOW_BITS = 0x80;

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
    const longer = new Uint8Array(2 * this.#bytes.length);
    longer.set(this.#bytes);
    this.#bytes = longer;
    this.#view = new DataView(longer.buffer);
  }
}

/** Of how numbers are written. */
export const NUMBERS_VERSION = 1;
/** Version, shape, checksum. */
export const SEAL_BYTES = 9;
