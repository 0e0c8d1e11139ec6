import type { RatingMeasure } from './rating-measures.js';
import { longestOf, type UserRun } from './user-runs.js';
import type { WeighedRatings } from './weighed-ratings.js';

/**
 * Sums of δ, a model's error (or gain) on each rated pair, over the rows of one model. w is the
 * weight of a row, P its propensity.
 */
export class DeltaSums {
  /** Σδ by user, with the error (or gain) δ of each rated pair. */
  readonly plain: Float64Array;
  /** Σwδ by user, with the weight w and the error (or gain) δ of each rated pair. */
  readonly weighted: Float64Array;
  /** Σ (1 / P − w) δ: the part of the weighted sum that clipping of weights removes. */
  excess = 0;
  /** Σδ by rating value. */
  readonly byPlace: Float64Array;
  /**
   * By rating value: Σ (δ − R_u) / W_u over the rows with this value, u the user of a row. W_u is
   * Σw over all rows of u, and R_u = Σwδ / W_u.
   */
  readonly apartByPlace: Float64Array;
  readonly #ratings: WeighedRatings;
  readonly #runs: readonly UserRun[];
  /** δ of the rows of the current run of users. */
  readonly #deltas: Float64Array;

  /**
   * Allocate the sums.
   *
   * @param places C, number of possible rating values.
   */
  constructor(ratings: WeighedRatings, runs: readonly UserRun[], places: number) {
    const { users } = ratings.rated;
    this.plain = new Float64Array(users);
    this.weighted = new Float64Array(users);
    this.byPlace = new Float64Array(places);
    this.apartByPlace = new Float64Array(places);
    this.#ratings = ratings;
    this.#runs = runs;
    this.#deltas = new Float64Array(longestOf(runs, ratings.rated));
  }

  /**
   * Sum δ of a measure and model over all rows, replacing the previous sums.
   *
   * @param weights Σw by user, if `apartByPlace` is needed; undefined leaves it at 0.
   */
  sum(measure: RatingMeasure, model: number, weights: Float64Array | undefined): void {
    this.excess = 0;
    this.byPlace.fill(0);
    this.apartByPlace.fill(0);
    const { start } = this.#ratings.rated;
    const { clipped } = this.#ratings;
    for (const run of this.#runs) {
      const rows = {
        from: start[run.from],
        to: start[run.to],
      };
      measure.fill(this.#deltas, this.#ratings, model, rows);
      this.#add(run);
      if (weights !== undefined) {
        this.#addApart(run, weights);
      }
      if (clipped !== undefined) {
        this.#addExcess(run, clipped);
      }
    }
  }

  #add({ from, to }: UserRun): void {
    const { rated, weight, place } = this.#ratings;
    const { start, isRandom } = rated;
    const { plain, weighted, byPlace } = this;
    const deltas = this.#deltas;
    const offset = start[from];
    for (let u = from; u < to; u++) {
      let sum = 0;
      let ofWeighted = 0;
      for (let r = start[u]; r < start[u + 1]; r++) {
        const delta = deltas[r - offset];
        if (isRandom[r] === 1 || Number.isNaN(delta)) continue;
        sum += delta;
        ofWeighted += weight[r] * delta;
        byPlace[place[r]] += delta;
      }
      plain[u] = sum;
      weighted[u] = ofWeighted;
    }
  }

  #addApart({ from, to }: UserRun, weights: Float64Array): void {
    const { rated, place } = this.#ratings;
    const { start, isRandom } = rated;
    const { weighted, apartByPlace } = this;
    const deltas = this.#deltas;
    const offset = start[from];
    for (let u = from; u < to; u++) {
      const all = weights[u];
      if (!(all > 0)) continue;
      const mean = weighted[u] / all;
      const share = 1 / all;
      for (let r = start[u]; r < start[u + 1]; r++) {
        const delta = deltas[r - offset];
        if (isRandom[r] === 1 || Number.isNaN(delta)) continue;
        apartByPlace[place[r]] += (delta - mean) * share;
      }
    }
  }

  #addExcess({ from, to }: UserRun, clipped: Float64Array): void {
    const { start, isRandom } = this.#ratings.rated;
    const deltas = this.#deltas;
    const offset = start[from];
    let excess = 0;
    for (let r = offset; r < start[to]; r++) {
      const delta = deltas[r - offset];
      if (isRandom[r] === 1 || Number.isNaN(delta)) continue;
      excess += clipped[r] * delta;
    }
    this.excess += excess;
  }
}
