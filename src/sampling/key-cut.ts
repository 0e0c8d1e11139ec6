/** Bins of the tally: the exponent of a key and the first 11 bits of its mantissa. */
const BIN_SHIFT = 9;
const BINS = 1 << 22;

/**
 * Which bin of keys holds the k-th smallest, from a tally of all of them.
 *
 * Positive doubles have the order of their bits, so a histogram of the leading bits finds the k
 * smallest of any number of keys without keeping one: a second pass over the keys of one bin, about
 * one in 2,000, finds the cut itself.
 * Source: radix selection. O(1) a key, 16 MB whatever k is.
 *
 * @example
 * const tally = new KeyTally();
 * for (const key of [0.1, 0.2, 0.4]) tally.add(key);
 * tally.binOf(2); // { bin: KeyTally.bin(0.2), below: 1 }
 */
export class KeyTally {
  readonly #counts = new Uint32Array(BINS);
  /** Keys that were added: those of rows that can be drawn. */
  total = 0;

  /** @param key above 0; an infinite one is not counted. */
  add(key: number): void {
    if (!(key < Number.POSITIVE_INFINITY)) return;
    this.#counts[binOfKey(key)]++;
    this.total++;
  }

  /** The bin of the k-th smallest key, and how many keys lie in bins below it; k from 1 to `total`. */
  binOf(k: number): { readonly bin: number; readonly below: number } {
    let below = 0;
    for (let bin = 0; bin < BINS; bin++) {
      if (below + this.#counts[bin] >= k) return { bin, below };
      below += this.#counts[bin];
    }
    throw new RangeError(`k is ${k} of ${this.total} keys`);
  }
}

const bits = new DataView(new ArrayBuffer(8));

/** Bin of a positive key; in the order of the keys. */
export function binOfKey(key: number): number {
  bits.setFloat64(0, key);
  return bits.getInt32(0) >>> BIN_SHIFT;
}
