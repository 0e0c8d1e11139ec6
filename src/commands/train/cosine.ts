import type { RatedItems, SparseRows } from './rating-rows.js';

/** The rows most like one, best first. */
export interface Neighbours {
  readonly row: Int32Array;
  readonly similarity: Float64Array;
}

/** Place of a cosine behind which only rounding differs: a tie has to be one on any machine. */
const COSINE_STEP = 1e12;

/**
 * Finds the rows of a sparse matrix with the highest cosine to another, 0 standing for what is missing.
 *
 * cos(a, b) = Σ a b / √(Σ a² · Σ b²), rounded to 1e-12; ties by number of the row. Rows that share no
 * column are left out, since they add nothing. One search is O(Σ rows of the columns it has).
 * Source: Herlocker et al. 1999 (neighbourhood methods), without centring or shrinkage.
 *
 * @example
 * // rows (4, 3) and (0, 5) beside a row (4, 3)
 * const rows = { start: Int32Array.of(0, 2, 3), column: Int32Array.of(0, 1, 1),
 *   value: Float64Array.of(4, 3, 5) };
 * const search = new CosineSearch(rows, transposed(rows, 2));
 * search.nearest({ item: Int32Array.of(0, 1), rating: Float64Array.of(4, 3) }, -1, 2).similarity; // [1, 0.6]
 */
export class CosineSearch {
  readonly #columns: SparseRows;
  readonly #norms: Float64Array;
  readonly #products: Float64Array;
  readonly #isTouched: Uint8Array;

  /** @param columns the rows, transposed */
  constructor({ start, value }: SparseRows, columns: SparseRows) {
    this.#columns = columns;
    const rows = start.length - 1;
    this.#norms = Float64Array.from({ length: rows }, (_, row) =>
      Math.sqrt(squares(value, start[row], start[row + 1])),
    );
    this.#products = new Float64Array(rows);
    this.#isTouched = new Uint8Array(rows);
  }

  /** @param but a row that is left out, such as the asking one; −1 for none. @param most k. */
  nearest({ item, rating }: RatedItems, but: number, most: number): Neighbours {
    const touched = this.#multiply(item, rating);
    const norm = Math.sqrt(squares(rating, 0, rating.length));
    const products = this.#products;
    const found: { readonly row: number; readonly similarity: number }[] = [];
    for (const row of touched) {
      const cosine = products[row] / (norm * this.#norms[row]);
      products[row] = 0;
      this.#isTouched[row] = 0;
      const similarity = Math.round(cosine * COSINE_STEP) / COSINE_STEP;
      if (row !== but && similarity > 0) found.push({ row, similarity });
    }
    found.sort((a, b) => b.similarity - a.similarity || a.row - b.row);
    const kept = found.slice(0, most);
    return {
      row: Int32Array.from(kept, ({ row }) => row),
      similarity: Float64Array.from(kept, ({ similarity }) => similarity),
    };
  }

  /** Adds up the products with every row; @returns the rows that share a column. */
  #multiply(item: Int32Array, rating: Float64Array): number[] {
    const { start, column, value } = this.#columns;
    const touched: number[] = [];
    for (let n = 0; n < item.length; n++) {
      for (let at = start[item[n]]; at < start[item[n] + 1]; at++) {
        const row = column[at];
        this.#products[row] += rating[n] * value[at];
        if (this.#isTouched[row] === 0) touched.push(row);
        this.#isTouched[row] = 1;
      }
    }
    return touched;
  }
}

function squares(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += values[at] ** 2;
  return sum;
}
