const BLOCK_BYTES = 64;
const DIGEST_WORDS = 8;

const PRIMES: number[] = [];
for (let n = 2; PRIMES.length < 64; n++) {
  if (PRIMES.every((prime) => n % prime !== 0)) {
    PRIMES.push(n);
  }
}
/** Round constants: the first 32 fractional bits of the cube roots of the first 64 primes. */
const ROUNDS = Int32Array.from(PRIMES, (prime) => (Math.cbrt(prime) % 1) * 2 ** 32);
/** Initial state: the first 32 fractional bits of the square roots of the first 8 primes. */
const FIRST = Int32Array.from(PRIMES.slice(0, DIGEST_WORDS), (p) => (Math.sqrt(p) % 1) * 2 ** 32);

/**
 * HMAC-SHA-256 under one key, for many short byte ranges: the part that depends on the key alone is
 * computed once.
 *
 *   HMAC(m) = H(key ⊕ opad ‖ H(key ⊕ ipad ‖ m))
 *
 * **Source**: FIPS 180-4, section 6.2; RFC 2104.
 *
 * @example
 * const hmac = new Hmac(new TextEncoder().encode('key'));
 * hmac.of(new TextEncoder().encode('user'), 0, 4).length; // 8
 */
export class Hmac {
  readonly #inner: Int32Array;
  readonly #outer: Int32Array;
  readonly #state = new Int32Array(DIGEST_WORDS);
  readonly #block = new Uint8Array(BLOCK_BYTES);
  readonly #view = new DataView(this.#block.buffer);
  readonly #words = new Int32Array(BLOCK_BYTES);

  constructor(key: Uint8Array) {
    const short = key.length > BLOCK_BYTES ? this.#digest(key) : key;
    this.#inner = this.#begun(short, 0x36);
    this.#outer = this.#begun(short, 0x5c);
  }

  /** HMAC of bytes start ≤ i < end. @returns its eight words, until the next call */
  of(bytes: Uint8Array, start: number, end: number): Int32Array {
    const state = this.#state;
    state.set(this.#inner);
    this.#absorb(bytes, start, end, BLOCK_BYTES);
    this.#block.fill(0);
    for (let w = 0; w < DIGEST_WORDS; w++) {
      this.#view.setInt32(4 * w, state[w]);
    }
    state.set(this.#outer);
    this.#block[4 * DIGEST_WORDS] = 0x80;
    this.#view.setUint32(BLOCK_BYTES - 4, 8 * (BLOCK_BYTES + 4 * DIGEST_WORDS));
    this.#compress();
    return state;
  }

  #digest(bytes: Uint8Array): Uint8Array {
    this.#state.set(FIRST);
    this.#absorb(bytes, 0, bytes.length, 0);
    const digest = new Uint8Array(4 * DIGEST_WORDS);
    const view = new DataView(digest.buffer);
    this.#state.forEach((word, w) => {
      view.setInt32(4 * w, word);
    });
    return digest;
  }

  #begun(key: Uint8Array, pad: number): Int32Array {
    this.#state.set(FIRST);
    this.#block.fill(pad);
    for (let i = 0; i < key.length; i++) {
      this.#block[i] = key[i] ^ pad;
    }
    this.#compress();
    return this.#state.slice();
  }

  /**
   * Hash the last bytes of a message, and its padding.
   *
   * @param before  number of bytes hashed before these, in whole blocks
   */
  #absorb(bytes: Uint8Array, start: number, end: number, before: number): void {
    const block = this.#block;
    let at = start;
    for (; end - at >= BLOCK_BYTES; at += BLOCK_BYTES) {
      block.set(bytes.subarray(at, at + BLOCK_BYTES));
      this.#compress();
    }
    block.fill(0);
    for (let i = at; i < end; i++) {
      block[i - at] = bytes[i];
    }
    block[end - at] = 0x80;
    if (end - at >= BLOCK_BYTES - 8) {
      this.#compress();
      block.fill(0);
    }
    this.#view.setUint32(BLOCK_BYTES - 4, 8 * (before + end - start));
    this.#compress();
  }

  #compress(): void {
    const words = this.#words;
    for (let t = 0; t < 16; t++) {
      words[t] = this.#view.getInt32(4 * t);
    }
    for (let t = 16; t < 64; t++) {
      const x = words[t - 15];
      const y = words[t - 2];
      const low = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
      const high = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
      words[t] = (words[t - 16] + low + words[t - 7] + high) | 0;
    }
    const state = this.#state;
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    let e = state[4];
    let f = state[5];
    let g = state[6];
    let h = state[7];
    for (let t = 0; t < 64; t++) {
      const choice = (e & f) ^ (~e & g);
      const first = (h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice) | 0;
      const added = (first + ROUNDS[t] + words[t]) | 0;
      const majority = (a & b) ^ (a & c) ^ (b & c);
      const second = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + added) | 0;
      d = c;
      c = b;
      b = a;
      a = (added + second) | 0;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
