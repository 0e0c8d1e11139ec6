import { enlarged } from '../../events/column-table.js';
import type { DrawSums, DrawWeights } from './expected-inclusion.js';

/**
 * Number of low bits that a bin ignores in the upper 32 bits of a weight; sign, exponent and 3 bits
 * of the mantissa remain.
 */
const DROPPED_BITS = 17;
/** Number of moments S_k = Σ t^k that a bin stores, from k = 0. */
const POWERS = 12;
/** x = c τ from which all rows of a bin count as sampled, since e^(−x) · x^11 is negligible. */
const ALL_KEPT = 800;

/**
 * Moments of rows binned by weight, from which the expected sample follows for any time τ.
 *
 * A bin covers an eighth of an octave of weights around its centre c, and stores S_k = Σ t^k over
 * its rows with t = (w − c) / c, k < 12. Then Σ e^(−wτ) = e^(−cτ) Σ_k (−cτ)^k / k! · S_k. As |t| ≤
 * 1/17, the truncation error is at most e^(−x) (x / 17)^12 / 12! per row, x = cτ: below 1e-15 for
 * every x.
 * Source: the exponential series. O(1) per row, O(bins) for each τ; a few hundred bins.
 *
 * @example
 * const bins = new WeightBins();
 * bins.add(1, 2);
 * samplingTimeOf(bins, 1); // Math.log(2)
 */
export class WeightBins implements DrawWeights {
  largest = 0;
  readonly #places = new Map<number, number>();
  readonly #bits = new DataView(new ArrayBuffer(8));
  #sums: Float64Array = new Float64Array(64 * POWERS);

  /** Add rows of one weight. @param weight w > 0, finite. @param rows number of these rows. */
  add(weight: number, rows: number): void {
    this.#bits.setFloat64(0, weight);
    const key = this.#bits.getInt32(0) >>> DROPPED_BITS;
    const at = this.#placeOf(key);
    const center = this.#center(key);
    const t = (weight - center) / center;
    const sums = this.#sums;
    let power = rows;
    for (let k = at; k < at + POWERS; k++) {
      sums[k] += power;
      power *= t;
    }
    if (weight > this.largest) {
      this.largest = weight;
    }
  }

  get rows(): number {
    return this.#total((_, at) => this.#sums[at]);
  }

  get weight(): number {
    return this.#total((center, at) => center * (this.#sums[at] + this.#sums[at + 1]));
  }

  /** Σ w². */
  get squares(): number {
    const sums = this.#sums;
    return this.#total((center, at) => center ** 2 * (sums[at] + 2 * sums[at + 1] + sums[at + 2]));
  }

  addKept(time: number, into: DrawSums): void {
    for (const key of this.#ascending()) {
      const at = this.#placeOf(key);
      const rows = this.#sums[at];
      const center = this.#center(key);
      const x = center * time;
      if (!(x < ALL_KEPT)) {
        into.kept += rows;
        continue;
      }
      let term = 1;
      let rest = 0;
      let slope = rows + this.#sums[at + 1];
      for (let k = 1; k < POWERS; k++) {
        term *= -x / k;
        const own = this.#sums[at + k];
        rest += term * own;
        slope += term * (own + (k + 1 < POWERS ? this.#sums[at + k + 1] : 0));
      }
      const left = Math.exp(-x);
      into.kept -= Math.expm1(-x) * rows + left * rest;
      into.slope += center * left * slope;
    }
  }

  #total(of: (center: number, at: number) => number): number {
    let total = 0;
    for (const key of this.#ascending()) {
      total += of(this.#center(key), this.#placeOf(key));
    }
    return total;
  }

  #ascending(): number[] {
    return [...this.#places.keys()].sort((a, b) => a - b);
  }

  #center(key: number): number {
    this.#bits.setInt32(0, (key << DROPPED_BITS) | (1 << (DROPPED_BITS - 1)));
    this.#bits.setInt32(4, 0);
    return this.#bits.getFloat64(0);
  }

  #placeOf(key: number): number {
    let at = this.#places.get(key);
    if (at !== undefined) return at;
    at = this.#places.size * POWERS;
    this.#places.set(key, at);
    if (at === this.#sums.length) {
      this.#sums = enlarged(this.#sums, 2 * at);
    }
    return at;
  }
}
