import type { NumberCodec } from '../../state/binary/number-codec.js';

/** Bits of a key's high word that a bin does not tell apart, of many keys and of few. */
const FINE_SHIFT = 9;
const COARSE_SHIFT = 15;
const MANY_KEYS = 1_000_000;

/**
 * Which bin of keys holds the k-th smallest, from a tally of all of them.
 *
 * Positive doubles have the order of their bits, so a histogram of the leading bits (the exponent
 * and 5 or 11 of the mantissa) finds the k smallest of any number of keys without keeping one: a
 * second pass over the keys of one bin, a few in a hundred or in ten thousand, finds the cut itself.
 * Source: radix selection. O(1) a key; 256 KB, or 16 MB above a million keys, whatever k is.
 *
 * @example
 * const tally = new KeyTally(3);
 * for (const key of [0.1, 0.2, 0.4]) tally.add(key);
 * tally.binOf(2).below; // 1
 * tally.binOf(2).bin === tally.bin(0.2);
 */
export class KeyTally {
  readonly #shift: number;
  readonly #counts: Uint32Array;
  readonly #bits = new DataView(new ArrayBuffer(8));
  /** Keys that were added: those of rows that can be drawn. */
  total = 0;

  /** @param expected how many keys there may be, which the fineness follows from. */
  constructor(expected: number) {
    this.#shift = expected > MANY_KEYS ? FINE_SHIFT : COARSE_SHIFT;
    this.#counts = new Uint32Array(2 ** (31 - this.#shift));
  }

  /** @param key above 0; an infinite one is not counted. */
  add(key: number): void {
    if (!(key < Number.POSITIVE_INFINITY)) return;
    this.#counts[this.bin(key)]++;
    this.total++;
  }

  /** Bin of a positive key; in the order of the keys. */
  bin(key: number): number {
    this.#bits.setFloat64(0, key);
    return this.#bits.getInt32(0) >>> this.#shift;
  }

  /** Takes the keys of others. @param others as fine as these. */
  merge(others: KeyTally): void {
    for (let bin = 0; bin < this.#counts.length; bin++) this.#counts[bin] += others.#counts[bin];
    this.total += others.total;
  }

  /** Writes or reads bins with keys. */
  pass(through: NumberCodec): void {
    this.total = through.number(this.total);
    const bins: number[] = [];
    this.#counts.forEach((count, bin) => {
      if (count > 0) bins.push(bin);
    });
    const size = through.number(bins.length);
    for (let n = 0; n < size; n++) {
      const bin = through.number(bins[n]);
      this.#counts[bin] = through.number(this.#counts[bin]);
    }
  }

  /**
   * The bin of the k-th smallest key, and how many keys lie in bins below it.
   *
   * @throws RangeError for a k that is not from 1 to `total`.
   */
  binOf(k: number): { readonly bin: number; readonly below: number } {
    let below = 0;
    for (let bin = 0; bin < this.#counts.length && k >= 1; bin++) {
      if (below + this.#counts[bin] >= k) return { bin, below };
      below += this.#counts[bin];
    }
    throw new RangeError(`k is ${k} of ${this.total} keys`);
  }
}
