import type { WeightCells } from './expected-inclusion.js';

/**
 * Number of low bits that a cell ignores in the upper 32 bits of a weight; sign, exponent and 16
 * bits of the mantissa remain.
 */
const DROPPED_BITS = 4;

/**
 * Rows by weight in bounded memory: weights within 1.6e-5 of each other share a cell.
 *
 * A cell stores its number of rows and Σw, so that sums of weights are exact and other functions of
 * the weight have a relative error of about 1e-10. At most 65,536 cells for each factor of two
 * between the smallest and the largest weight.
 * O(1) per row; the same rows in the same order give the same cells.
 *
 * @example
 * const tally = new WeightTally();
 * tally.add(0.5);
 * tally.add(0.5);
 * tally.cells().rows; // [2]
 */
export class WeightTally {
  readonly #index = new Map<number, number>();
  readonly #bits = new DataView(new ArrayBuffer(8));
  #sum: Float64Array = new Float64Array(1024);
  #rows: Float64Array = new Float64Array(1024);
  /** Rows of weight 0, which cannot be drawn and are in no cell. */
  zeros = 0;

  /** Add a row. @param weight w ≥ 0, finite. */
  add(weight: number): void {
    if (weight === 0) {
      this.zeros++;
      return;
    }
    this.#bits.setFloat64(0, weight);
    const key = this.#bits.getInt32(0) >>> DROPPED_BITS;
    let cell = this.#index.get(key);
    if (cell === undefined) {
      cell = this.#index.size;
      this.#index.set(key, cell);
      if (cell === this.#sum.length) {
        this.#grow();
      }
    }
    this.#sum[cell] += weight;
    this.#rows[cell]++;
  }

  /** The cells in ascending order of weight. */
  cells(): WeightCells {
    const keys = Int32Array.from(this.#index.keys()).sort();
    const weight = new Float64Array(keys.length);
    const rows = new Float64Array(keys.length);
    keys.forEach((key, c) => {
      const cell = this.#index.get(key)!;
      rows[c] = this.#rows[cell];
      weight[c] = this.#sum[cell] / rows[c];
    });
    return {
      cells: keys.length,
      weight,
      rows,
    };
  }

  #grow(): void {
    const sum = new Float64Array(this.#sum.length * 2);
    const rows = new Float64Array(this.#rows.length * 2);
    sum.set(this.#sum);
    rows.set(this.#rows);
    this.#sum = sum;
    this.#rows = rows;
  }
}
