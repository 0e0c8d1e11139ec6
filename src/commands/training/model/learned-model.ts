import { FactorRanker, type ItemFactors } from '../../../learning/factors/factor-ranker.js';
import { ImplicitRanker } from '../../../learning/implicit/implicit-ranker.js';
import { ItemKnn } from '../../../learning/neighbours/item-knn.js';
import { UserKnn } from '../../../learning/neighbours/user-knn.js';
import { PopularityRanker } from '../../../learning/rankers/popularity.js';
import type { Ranker } from '../../../learning/rankers/ranker.js';
import type { SparseRows } from '../../../learning/ratings/rating-rows.js';
import type { Propensities } from '../propensities.js';

/** What was learned, by kind; items are numbers in the order of their ids. */
export type Learned =
  | { readonly kind: 'popularity'; readonly counts: Float64Array }
  | {
      readonly kind: 'user-knn';
      readonly neighbours: number;
      readonly users: readonly string[];
      readonly rows: SparseRows;
    }
  | { readonly kind: 'item-knn'; readonly nearest: SparseRows }
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

/** A model as it is stored, and asked. */
export interface LearnedModel {
  readonly items: readonly string[];
  readonly learned: Learned;
  /** Event time of the newest event that it learned from, ms; files of before do not say it. */
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
      return new ImplicitRanker(item, size, lambda, { from: positiveFrom, alpha });
    }
    default:
      return new FactorRanker(learned.factors);
  }
}
