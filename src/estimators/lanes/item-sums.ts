import type { Coefficients } from '../rules/coefficients.js';
import type { Hits } from './hits.js';
import type { Selection } from './selection.js';

/**
 * What each item adds to the numerators of one metric of a lane, by estimator.
 *
 * N_i = Σ c_r λ_r over the hits r of item i, c the coefficients of one aggregation: every estimator
 * is linear in the gain, so Σ_i N_i is the numerator. Sums over users. O(items · estimators) memory.
 */
export class ItemSums {
  /** Which metric of the lane. */
  readonly metric: number;
  /** By estimator, by item. */
  readonly numerators: readonly Float64Array[];
  /** Rows with a gain, by item. */
  readonly hits: Float64Array;
  readonly #aggregation: 0 | 1;

  constructor(items: number, estimators: number, metric: number, aggregation: 0 | 1) {
    this.metric = metric;
    this.#aggregation = aggregation;
    this.numerators = Array.from({ length: estimators }, () => new Float64Array(items));
    this.hits = new Float64Array(items);
  }

  /** Takes the hits of a chunk under the e-th estimator. */
  add(e: number, { row, gain, size }: Hits, { item }: Selection, of: Coefficients): void {
    const numerators = this.numerators[e];
    const weights = this.#aggregation === 0 ? of.user : of.pooled;
    for (let h = 0; h < size; h++) {
      const i = row[h];
      numerators[item[i]] += weights[i] * gain[h];
      if (e === 0) this.hits[item[i]]++;
    }
  }
}
