import type { AskedUser, Ranker } from '../rankers/ranker.js';
import { RidgeRows } from './ridge-rows.js';

/** What a factorisation knows of items; users are solved for from what they rated. */
export interface ItemFactors {
  /** d. */
  readonly size: number;
  /** [W_i, b_i] for each item, row by row. */
  readonly item: Float64Array;
  /** c. */
  readonly offset: number;
  /** ρ = λ · U · I of the fit, in units of 1 / P. */
  readonly ridge: number;
}

/**
 * Predicts the ratings of a user by the ridge step of the fit, given the items: Ŷ = c + b_i + a + V · W_i.
 *
 * So users who came after the fit are scored like those it knew; a user without ratings has Ŷ = c + b_i.
 */
export class FactorRanker implements Ranker {
  readonly factors: ItemFactors;
  readonly #step: RidgeRows;
  readonly #user: Float64Array;

  constructor(factors: ItemFactors) {
    this.factors = factors;
    this.#step = new RidgeRows(factors.size);
    this.#user = new Float64Array(factors.size + 1);
  }

  score({ item, rating, weight }: AskedUser, scores: Float64Array): void {
    const { size, item: items, offset, ridge } = this.factors;
    const grouped = {
      start: Int32Array.of(0, item.length),
      order: Int32Array.from(item.keys()),
    };
    const side = { rows: this.#user, others: items, grouped, other: item };
    this.#step.solve(side, rating, weight, offset, ridge);
    const width = size + 1;
    for (let i = 0; i < scores.length; i++) {
      let sum = offset + this.#user[size] + items[i * width + size];
      for (let k = 0; k < size; k++) sum += this.#user[k] * items[i * width + k];
      scores[i] = sum;
    }
  }
}
