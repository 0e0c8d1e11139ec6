import type { AskedUser, Ranker } from '../rankers/ranker.js';
import { ConfidenceRows } from './confidence-rows.js';

/** Ranks by x_u · y_i, where x_u is solved for from the positives of the user who is asked about. */
export class ImplicitRanker implements Ranker {
  readonly item: Float64Array;
  readonly size: number;
  readonly #positiveFrom: number;
  readonly #alpha: number;
  readonly #users: ConfidenceRows;

  /** @param item y of each item, see `implicitFactors`. @param size d. @param lambda λ of the fit. */
  constructor(
    item: Float64Array,
    size: number,
    lambda: number,
    positive: { readonly from: number; readonly alpha: number },
  ) {
    this.item = item;
    this.size = size;
    this.#positiveFrom = positive.from;
    this.#alpha = positive.alpha;
    this.#users = new ConfidenceRows(item, size, lambda);
  }

  score({ item, rating }: AskedUser, scores: Float64Array): void {
    const liked = item.filter((_, n) => rating[n] >= this.#positiveFrom);
    const user = this.#users.solve(liked, new Float64Array(liked.length).fill(this.#alpha));
    for (let i = 0; i < scores.length; i++) {
      let sum = 0;
      for (let k = 0; k < this.size; k++) sum += user[k] * this.item[i * this.size + k];
      scores[i] = sum;
    }
  }
}
