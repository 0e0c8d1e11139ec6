import { runToEnd } from '../../estimators/slices.js';
import { CosineSearch, type Neighbours } from './cosine.js';
import { type AskedUser, type Ranker, roundedScore } from './ranker.js';
import { ratedBy, rowsByItem, rowsByUser, type SparseRows } from './rating-rows.js';
import type { Ratings } from './ratings.js';
import type { InSteps } from './steps.js';

/**
 * The k items nearest to each, by the cosine of the ratings that they have; an item is not its own.
 *
 * @returns row j: the items of N(j), best first, and their cosines.
 */
export function itemNeighbours(ratings: Ratings, neighbours: number): SparseRows {
  return runToEnd(neighboursInSteps(ratings, neighbours));
}

/** The same, some items at a time. */
export function* neighboursInSteps(ratings: Ratings, neighbours: number): InSteps<SparseRows> {
  const rows = rowsByItem(ratings);
  const search = new CosineSearch(rows, rowsByUser(ratings));
  const nearest: Neighbours[] = [];
  for (let item = 0; item < ratings.items; item++) {
    nearest.push(search.nearest(ratedBy(rows, item), item, neighbours));
    yield { done: item + 1, most: ratings.items };
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
  return { start, column, value };
}

/**
 * Scores items by the rated items that they are near to.
 *
 * score(u, i) = Σ_{j rated by u, i ∈ N(j)} cos(j, i) · Y_uj, rounded to 1e-9: each rated item names its
 * k neighbours. Source: Sarwar et al. 2001, with neighbourhoods of the rated items, which on Coat do
 * better than those of the scored ones. Learning is O(Σ_u n_u²), a score O(k · rated items).
 */
export class ItemKnn implements Ranker {
  readonly nearest: SparseRows;

  /** @param nearest see `itemNeighbours` */
  constructor(nearest: SparseRows) {
    this.nearest = nearest;
  }

  score({ item, rating }: AskedUser, scores: Float64Array): void {
    const { start, column, value } = this.nearest;
    scores.fill(0);
    for (let n = 0; n < item.length; n++) {
      for (let at = start[item[n]]; at < start[item[n] + 1]; at++) {
        scores[column[at]] += value[at] * rating[n];
      }
    }
    for (let i = 0; i < scores.length; i++) scores[i] = roundedScore(scores[i]);
  }
}
