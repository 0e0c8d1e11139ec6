import { CosineSearch } from './cosine.js';
import { type AskedUser, type Ranker, roundedScore } from './ranker.js';
import { type SparseRows, transposed } from './rating-rows.js';

/**
 * Scores items by what the users with the most similar ratings rated.
 *
 * score(u, i) = Σ_{v ∈ N(u)} cos(u, v) · Y_vi, N(u) the k users nearest to u, u itself left out;
 * rounded to 1e-9. Source: UserKNN as Carraro & Bridge 2020 and Yang et al. 2018 evaluate it. Learning
 * is keeping the rows; a score is O(Σ raters of the user's items).
 */
export class UserKnn implements Ranker {
  readonly rows: SparseRows;
  readonly neighbours: number;
  readonly #search: CosineSearch;

  /** @param rows what each user has rated. @param items I. @param neighbours k. */
  constructor(rows: SparseRows, items: number, neighbours: number) {
    this.rows = rows;
    this.neighbours = neighbours;
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
    for (let i = 0; i < scores.length; i++) scores[i] = roundedScore(scores[i]);
  }
}
