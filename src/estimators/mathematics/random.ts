/**
 * A small seeded generator of pseudo-random numbers (sfc32: four 32-bit words of state, chaotic
 * with a counter, period ≥ 2^32). The same seed and stream give the same numbers everywhere.
 *
 * Source: C. Doty-Humphrey, PractRand, `sfc32`; the state is filled by a 32-bit finaliser
 * (MurmurHash3 `fmix32`) and warmed up by 15 rounds.
 *
 * @example
 * const random = new Random(7, 'world');
 * random.next() === new Random(7, 'world').next(); // true
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /**
   * @param stream name of a sequence; sequences of one seed with different names are independent.
   */
  constructor(seed: number, stream: string) {
    let hash = fmix32(Math.floor(seed / 0x1_0000_0000) ^ 0x2545f491);
    for (let i = 0; i < stream.length; i++) {
      hash = fmix32(hash ^ stream.charCodeAt(i));
    }
    this.#a = fmix32(hash ^ seed);
    this.#b = fmix32(this.#a + 0x9e3779b9);
    this.#c = fmix32(this.#b + 0x9e3779b9);
    for (let i = 0; i < 15; i++) {
      this.uint32();
    }
  }

  /** Uniform integer in [0, 2^32). */
  uint32(): number {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result >>> 0;
  }

  /** Uniform in [0, 1), on a grid of 2^-32. */
  next(): number {
    return this.uint32() / 0x1_0000_0000;
  }

  /** Uniform integer in [0, bound), bound ≥ 1. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Standard normal variate (Box–Muller; the second variate of each pair is not used). */
  normal(): number {
    // 1 − next() lies in (0, 1], so the logarithm is finite.
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  /** Shuffle the values uniformly, in place. */
  shuffle(values: Int32Array): void {
    for (let i = values.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const kept = values[i];
      values[i] = values[j];
      values[j] = kept;
    }
  }
}

function fmix32(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) | 0;
}
