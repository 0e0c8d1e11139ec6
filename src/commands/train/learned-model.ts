import { ConfidenceRows } from './confidence-rows.js';
import { absoluteWeights, type Loss } from './factors.js';
import { ItemKnn, UserKnn } from './item-knn.js';
import type { Propensities } from './propensities.js';
import type { AskedUser, Ranker } from './ranker.js';
import { PopularityRanker } from './ranker.js';
import type { SparseRows } from './rating-rows.js';
import { RidgeRows } from './ridge-rows.js';

/** Ranks items by x_u · y_i (iALS). x_u is computed from the user's positives at ranking time. */
export class ImplicitRanker implements Ranker {
  readonly #positiveFrom: number;
  readonly #alpha: number;
  readonly #users: ConfidenceRows;

  /** @param item y of each item, see `implicitFactors`. @param size d. @param lambda λ of the fit. */
  constructor(
    readonly item: Float64Array,
    readonly size: number,
    lambda: number,
    positive: {
      readonly from: number;
      readonly alpha: number;
    },
  ) {
    this.#positiveFrom = positive.from;
    this.#alpha = positive.alpha;
    this.#users = new ConfidenceRows(item, size, lambda);
  }

  score({ item, rating }: AskedUser, scores: Float64Array): void {
    const liked = item.filter((_, n) => rating[n] >= this.#positiveFrom);
    const user = this.#users.solve(liked, new Float64Array(liked.length).fill(this.#alpha));
    for (let i = 0; i < scores.length; i++) {
      let sum = 0;
      for (let k = 0; k < this.size; k++) {
        sum += user[k] * this.item[i * this.size + k];
      }
      scores[i] = sum;
    }
  }
}

/**
 * Items of a trained factorisation. Factors of users are not stored; they are computed from
 * ratings.
 */
export interface ItemFactors {
  /** d, number of factors per item. */
  readonly size: number;
  /** [W_i, b_i] for each item: d factors and an offset per row. */
  readonly item: Float64Array;
  /** c, the offset of all ratings. */
  readonly offset: number;
  /** ρ = λ · U · I of the fit, in units of 1 / P. */
  readonly ridge: number;
  /**
   * Loss of the fit, which is also used to compute the factors of users; by default squared error.
   */
  readonly loss?: Loss | undefined;
}

/** Number of rounds of reweighted least squares for a user, with absolute error. */
const ROUNDS = 100;

/**
 * Predicts the ratings of a user from fitted item factors: Ŷ_i = c + b_i + a + V · W_i.
 *
 * V and a are fitted to the user's ratings as in training: by a ridge step, or by reweighted rounds
 * for the absolute error. So users who were not in the training data are scored like those who
 * were. A user without ratings has Ŷ_i = c + b_i.
 */
export class FactorRanker implements Ranker {
  readonly #step: RidgeRows;
  readonly #user: Float64Array;

  constructor(readonly factors: ItemFactors) {
    this.#step = new RidgeRows(factors.size);
    this.#user = new Float64Array(factors.size + 1);
  }

  score({ item, rating, weight }: AskedUser, scores: Float64Array): void {
    const { item: items, offset, ridge, loss } = this.factors;
    const grouped = {
      start: Int32Array.of(0, item.length),
      order: Int32Array.from(item.keys()),
    };
    const side = {
      rows: this.#user,
      others: items,
      grouped,
      other: item,
    };
    this.#step.solve(side, rating, weight, offset, ridge);
    for (let round = 0; loss === 'absolute' && round < ROUNDS; round++) {
      const errors = Float64Array.from(rating, (own, r) => own - this.#predicted(item[r]));
      this.#step.solve(side, rating, absoluteWeights(weight, errors), offset, ridge);
    }
    for (let i = 0; i < scores.length; i++) {
      scores[i] = this.#predicted(i);
    }
  }

  #predicted(i: number): number {
    const { size, item: items, offset } = this.factors;
    const at = i * (size + 1);
    let sum = offset + this.#user[size] + items[at + size];
    for (let k = 0; k < size; k++) {
      sum += this.#user[k] * items[at + k];
    }
    return sum;
  }
}

/** Trained parameters, by kind of model. Items are numbered in the order of their ids. */
export type Learned =
  | {
      readonly kind: 'popularity';
      readonly counts: Float64Array;
    }
  | {
      readonly kind: 'user-knn';
      readonly neighbours: number;
      readonly users: readonly string[];
      readonly rows: SparseRows;
    }
  | {
      readonly kind: 'item-knn';
      readonly nearest: SparseRows;
    }
  | {
      readonly kind: 'ials';
      readonly item: Float64Array;
      readonly size: number;
      readonly lambda: number;
      readonly alpha: number;
      readonly positiveFrom: number;
    }
  | {
      readonly kind: 'mf' | 'mf-ips';
      readonly factors: ItemFactors;
      readonly propensities: Propensities;
    };

/** A trained model that can be stored and used to rank. */
export interface LearnedModel {
  readonly items: readonly string[];
  readonly learned: Learned;
  /** Event time of the newest event in the training data, ms; undefined in older files. */
  readonly learnedTo?: number | undefined;
}

export function rankerOf({ items, learned }: LearnedModel): Ranker {
  switch (learned.kind) {
    case 'popularity':
      return new PopularityRanker(learned.counts);
    case 'user-knn':
      return new UserKnn(learned.rows, items.length, learned.neighbours);
    case 'item-knn':
      return new ItemKnn(learned.nearest);
    case 'ials': {
      const { item, size, lambda, alpha, positiveFrom } = learned;
      return new ImplicitRanker(item, size, lambda, {
        from: positiveFrom,
        alpha,
      });
    }
    default:
      return new FactorRanker(learned.factors);
  }
}
