import { runAtOnce } from '../../stream/sliced.js';
import type { InSteps } from './in-steps.js';
import { type AskedUser, type Ranker, roundedScore } from './ranker.js';
import {
  type RatedItems,
  type Ratings,
  ratedBy,
  rowsByItem,
  rowsByUser,
  type SparseRows,
  transposed,
} from './rating-rows.js';

/** Rows with the highest cosine to a given row, and these cosines, highest first. */
export interface Neighbours {
  readonly row: Int32Array;
  readonly similarity: Float64Array;
}

/**
 * Inverse of the precision that cosines are rounded to. Further digits are rounding errors, which
 * differ between machines and would break ties differently.
 */
const COSINE_STEP = 1e12;

/**
 * Finds the rows of a sparse matrix that have the highest cosine to a given row; missing values
 * count as 0.
 *
 * cos(a, b) = Σ a b / √(Σ a² · Σ b²), rounded to 1e-12. Ties go to the lower row number. Rows that
 * share no column with the given row have cosine 0 and are left out. A search takes O(entries in
 * the columns of the given row).
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
  readonly #norms: Float64Array;
  readonly #products: Float64Array;
  readonly #isTouched: Uint8Array;

  /** @param columns the same matrix, transposed */
  constructor(
    { start, value }: SparseRows,
    private readonly columns: SparseRows,
  ) {
    const rows = start.length - 1;
    this.#norms = Float64Array.from({ length: rows }, (_, row) =>
      Math.sqrt(squares(value, start[row], start[row + 1])),
    );
    this.#products = new Float64Array(rows);
    this.#isTouched = new Uint8Array(rows);
  }

  /**
   * Find the most similar rows. @param but number of a row to leave out, such as the given one; −1
   * for none. @param most k, how many rows to find.
   */
  nearest({ item, rating }: RatedItems, but: number, most: number): Neighbours {
    const touched = this.#multiply(item, rating);
    const norm = Math.sqrt(squares(rating, 0, rating.length));
    const products = this.#products;
    const found: {
      readonly row: number;
      readonly similarity: number;
    }[] = [];
    for (const row of touched) {
      const cosine = products[row] / (norm * this.#norms[row]);
      products[row] = 0;
      this.#isTouched[row] = 0;
      const similarity = Math.round(cosine * COSINE_STEP) / COSINE_STEP;
      if (row !== but && similarity > 0) {
        found.push({ row, similarity });
      }
    }
    found.sort((a, b) => b.similarity - a.similarity || a.row - b.row);
    const kept = found.slice(0, most);
    return {
      row: Int32Array.from(kept, ({ row }) => row),
      similarity: Float64Array.from(kept, ({ similarity }) => similarity),
    };
  }

  /**
   * Compute the dot product of the given row with every row of the matrix, in `#products`. @returns
   * the rows that share a column with the given one
   */
  #multiply(item: Int32Array, rating: Float64Array): number[] {
    const { start, column, value } = this.columns;
    const touched: number[] = [];
    for (let n = 0; n < item.length; n++) {
      for (let at = start[item[n]]; at < start[item[n] + 1]; at++) {
        const row = column[at];
        this.#products[row] += rating[n] * value[at];
        if (this.#isTouched[row] === 0) {
          touched.push(row);
        }
        this.#isTouched[row] = 1;
      }
    }
    return touched;
  }
}

function squares(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) {
    sum += values[at] ** 2;
  }
  return sum;
}

/**
 * Scores items by what the users with the most similar ratings rated.
 *
 * score(u, i) = Σ_{v ∈ N(u)} cos(u, v) · Y_vi, rounded to 1e-9; N(u) are the k users nearest to u,
 * without u, and Y_vi is the rating of item i by user v. Source: UserKNN as Carraro & Bridge 2020
 * and Yang et al. 2018 evaluate it. Learning only stores the rows; scoring a user takes O(Σ raters
 * of the user's items).
 */
export class UserKnn implements Ranker {
  readonly #search: CosineSearch;

  /** @param rows ratings of each user. @param items I, number of items. @param neighbours k. */
  constructor(
    readonly rows: SparseRows,
    items: number,
    readonly neighbours: number,
  ) {
    this.#search = new CosineSearch(rows, transposed(rows, items));
  }

  score(user: AskedUser, scores: Float64Array): void {
    const { row, similarity } = this.#search.nearest(user, user.known, this.neighbours);
    const { start, column, value } = this.rows;
    scores.fill(0);
    for (let n = 0; n < row.length; n++) {
      for (let at = start[row[n]]; at < start[row[n] + 1]; at++) {
        scores[column[at]] += similarity[n] * value[at];
      }
    }
    for (let i = 0; i < scores.length; i++) {
      scores[i] = roundedScore(scores[i]);
    }
  }
}

/**
 * Find the k nearest items of each item, by the cosine of their ratings, without the item itself.
 *
 * @returns sparse matrix: row j has the items of N(j), best first, and their cosines.
 */
export function itemNeighbours(ratings: Ratings, neighbours: number): SparseRows {
  return runAtOnce(neighboursInSteps(ratings, neighbours));
}

/** Like `itemNeighbours`, as a generator that yields after a few items. */
export function* neighboursInSteps(ratings: Ratings, neighbours: number): InSteps<SparseRows> {
  const rows = rowsByItem(ratings);
  const search = new CosineSearch(rows, rowsByUser(ratings));
  const nearest: Neighbours[] = [];
  for (let item = 0; item < ratings.items; item++) {
    nearest.push(search.nearest(ratedBy(rows, item), item, neighbours));
    yield {
      done: item + 1,
      most: ratings.items,
    };
  }
  const start = new Int32Array(ratings.items + 1);
  nearest.forEach(({ row }, item) => {
    start[item + 1] = start[item] + row.length;
  });
  const column = new Int32Array(start[ratings.items]);
  const value = new Float64Array(column.length);
  nearest.forEach(({ row, similarity }, item) => {
    column.set(row, start[item]);
    value.set(similarity, start[item]);
  });
  return {
    start,
    column,
    value,
  };
}

/**
 * Scores items by their similarity to the items that the user rated.
 *
 * score(u, i) = Σ_{j rated by u, i ∈ N(j)} cos(j, i) · Y_uj, rounded to 1e-9; N(j) are the k items
 * nearest to the rated item j. Source: Sarwar et al. 2001, who use neighbourhoods of the scored
 * items; those of the rated items perform better on Coat. Learning is O(Σ_u n_u²), scoring O(k ·
 * rated items).
 */
export class ItemKnn implements Ranker {
  /** @param nearest N(j) of each item j, see `itemNeighbours` */
  constructor(readonly nearest: SparseRows) {}

  score({ item, rating }: AskedUser, scores: Float64Array): void {
    const { start, column, value } = this.nearest;
    scores.fill(0);
    for (let n = 0; n < item.length; n++) {
      for (let at = start[item[n]]; at < start[item[n] + 1]; at++) {
        scores[column[at]] += value[at] * rating[n];
      }
    }
    for (let i = 0; i < scores.length; i++) {
      scores[i] = roundedScore(scores[i]);
    }
  }
}
