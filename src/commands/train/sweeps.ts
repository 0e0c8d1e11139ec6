import type { Factors } from './factors.js';
import { groupedBy } from './grouped.js';
import { type Problem, residualsOf } from './objective.js';
import { RidgeRows, type Side } from './ridge-rows.js';

/**
 * Sweeps of alternating least squares over the same ratings: users, items, then the offset.
 *
 * c += Σ w e / Σ w. No step raises the objective of the squared error.
 * Source: as `RidgeRows`; the offset's step is its own optimum, given all else.
 */
export class Sweeps {
  readonly #problem: Problem;
  readonly #byUser: Pick<Side, 'grouped' | 'other'>;
  readonly #byItem: Pick<Side, 'grouped' | 'other'>;

  constructor(problem: Problem) {
    this.#problem = problem;
    const { user, item, users, items } = problem.ratings;
    this.#byUser = { grouped: groupedBy(user, users), other: item };
    this.#byItem = { grouped: groupedBy(item, items), other: user };
  }

  /** @param weight w of each rating, those of the problem unless a round has its own */
  run(factors: Factors, weight = this.#problem.weight): void {
    const { ratings, lambda } = this.#problem;
    const { rating, users, items } = ratings;
    const ridge = lambda * users * items;
    const step = new RidgeRows(factors.size);
    const { user, item, offset } = factors;
    step.solve({ ...this.#byUser, rows: user, others: item }, rating, weight, offset, ridge);
    step.solve({ ...this.#byItem, rows: item, others: user }, rating, weight, offset, ridge);
    factors.offset += weightedMean(residualsOf(factors, ratings), weight);
  }
}

/** Σ w x / Σ w. */
export function weightedMean(values: Float64Array, weight: Float64Array): number {
  let [sum, weights] = [0, 0];
  for (let r = 0; r < values.length; r++) {
    sum += weight[r] * values[r];
    weights += weight[r];
  }
  return sum / weights;
}
