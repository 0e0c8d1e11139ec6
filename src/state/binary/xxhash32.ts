import { wordAt } from '../../events/hash.js';

const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;
const PRIME_5 = 0x165667b1;
const STRIPE = 16;

/**
 * Incremental 32-bit checksum of a byte string.
 *
 * Each of four lanes v takes one little-endian word w of every 16 bytes: v ← rotl(v + w·p₂, 13)·p₁.
 * At the end the lanes are added, the length and the remaining bytes are mixed in, and a finalizer
 * spreads every bit.
 *
 * **Source**: Yann Collet, xxHash fast digest algorithm, XXH32 (BSD). It detects damage, not
 * manipulation.
 *
 * The empty string gives 0x02CC5D05 under seed 0.
 *
 * @example
 * new XxHash32().update(new TextEncoder().encode('abc')).digest(); // 0x32d153ff
 */
export class XxHash32 {
  readonly #seed: number;
  #lane1: number;
  #lane2: number;
  #lane3: number;
  #lane4: number;
  #length = 0;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(seed = 0) {
    this.#seed = seed | 0;
    this.#lane1 = (seed + PRIME_1 + PRIME_2) | 0;
    this.#lane2 = (seed + PRIME_2) | 0;
    this.#lane3 = seed | 0;
    this.#lane4 = (seed - PRIME_1) | 0;
  }

  update(bytes: Uint8Array): this {
    let from = 0;
    if (this.#rest.length > 0) {
      from = Math.min(bytes.length, STRIPE - this.#rest.length);
      const begun = new Uint8Array(this.#rest.length + from);
      begun.set(this.#rest);
      begun.set(bytes.subarray(0, from), this.#rest.length);
      this.#rest = begun;
      if (begun.length < STRIPE) return this.#counted(bytes);
      this.#stripes(begun, 1);
    }
    const whole = bytes.subarray(from);
    const stripes = Math.floor(whole.length / STRIPE);
    this.#stripes(whole, stripes);
    this.#rest = whole.slice(stripes * STRIPE);
    return this.#counted(bytes);
  }

  /** @returns an unsigned 32-bit integer */
  digest(): number {
    let hash =
      this.#length >= STRIPE
        ? (rotated(this.#lane1, 1) +
            rotated(this.#lane2, 7) +
            rotated(this.#lane3, 12) +
            rotated(this.#lane4, 18)) |
          0
        : (this.#seed + PRIME_5) | 0;
    hash = (hash + this.#length) | 0;
    const rest = this.#rest;
    const view = new DataView(rest.buffer, rest.byteOffset, rest.length);
    let at = 0;
    for (; at + 4 <= rest.length; at += 4) {
      hash = (hash + Math.imul(view.getInt32(at, true), PRIME_3)) | 0;
      hash = Math.imul(rotated(hash, 17), PRIME_4);
    }
    for (; at < rest.length; at++) {
      hash = (hash + Math.imul(rest[at], PRIME_5)) | 0;
      hash = Math.imul(rotated(hash, 11), PRIME_1);
    }
    hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
    hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
    return (hash ^ (hash >>> 16)) >>> 0;
  }

  #counted({ length }: Uint8Array): this {
    this.#length += length;
    return this;
  }

  #stripes(bytes: Uint8Array, stripes: number): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let lane1 = this.#lane1;
    let lane2 = this.#lane2;
    let lane3 = this.#lane3;
    let lane4 = this.#lane4;
    for (let at = 0; at < stripes * STRIPE; at += STRIPE) {
      lane1 = round(lane1, view.getInt32(at, true));
      lane2 = round(lane2, view.getInt32(at + 4, true));
      lane3 = round(lane3, view.getInt32(at + 8, true));
      lane4 = round(lane4, view.getInt32(at + 12, true));
    }
    this.#lane1 = lane1;
    this.#lane2 = lane2;
    this.#lane3 = lane3;
    this.#lane4 = lane4;
  }
}

/**
 * Checksum of the first `length` bytes at once, without allocation, for many short strings.
 *
 * @example
 * xxHash32(new TextEncoder().encode('abc'), 3, 0); // 0x32d153ff
 */
export function xxHash32(bytes: Uint8Array, length: number, seed: number): number {
  let at = 0;
  let hash = (seed + PRIME_5) | 0;
  if (length >= STRIPE) {
    let lane1 = (seed + PRIME_1 + PRIME_2) | 0;
    let lane2 = (seed + PRIME_2) | 0;
    let lane3 = seed | 0;
    let lane4 = (seed - PRIME_1) | 0;
    for (; at + STRIPE <= length; at += STRIPE) {
      lane1 = round(lane1, wordAt(bytes, at));
      lane2 = round(lane2, wordAt(bytes, at + 4));
      lane3 = round(lane3, wordAt(bytes, at + 8));
      lane4 = round(lane4, wordAt(bytes, at + 12));
    }
    hash = rotated(lane1, 1) + rotated(lane2, 7) + rotated(lane3, 12) + rotated(lane4, 18);
  }
  hash = (hash + length) | 0;
  for (; at + 4 <= length; at += 4) {
    hash = (hash + Math.imul(wordAt(bytes, at), PRIME_3)) | 0;
    hash = Math.imul(rotated(hash, 17), PRIME_4);
  }
  for (; at < length; at++) {
    hash = (hash + Math.imul(bytes[at], PRIME_5)) | 0;
    hash = Math.imul(rotated(hash, 11), PRIME_1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function round(lane: number, word: number): number {
  const sum = (lane + Math.imul(word, PRIME_2)) | 0;
  return Math.imul((sum << 13) | (sum >>> 19), PRIME_1);
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
