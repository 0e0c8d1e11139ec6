import type { RatingMeasure } from './rating-measures.js';
import type { UserRun } from './user-runs.js';

/** The sums of one δ over the rows of one model. */
export class DeltaSums {
  /** Σδ and Σwδ, by user. */
  readonly plain: Float64Array;
  readonly weighted: Float64Array;
  /** Σδ of what a largest weight takes away. */
  excess = 0;
  /** By place of the rating: Σδ, and Σ_u Σ (δ − R_u) / Σ_u w with R_u = Σ_u wδ / Σ_u w. */
  readonly byPlace: Float64Array;
  readonly apartByPlace: Float64Array;
  readonly #deltas: Float64Array;

  /** @param places C, values that a rating can have. @param longest rows of the longest run. */
  constructor(users: number, places: number, longest: number) {
    this.plain = new Float64Array(users);
    this.weighted = new Float64Array(users);
    this.byPlace = new Float64Array(places);
    this.apartByPlace = new Float64Array(places);
    this.#deltas = new Float64Array(longest);
  }

  /**
   * Of the runs of one part; forgets what was summed of others but by user.
   *
   * @param weights Σw by user, if it is asked how R_u moves with the weights.
   */
  *sum(
    runs: readonly UserRun[],
    measure: RatingMeasure,
    model: number,
    weights: Float64Array | undefined,
  ): Generator<void, void> {
    this.excess = 0;
    this.byPlace.fill(0);
    this.apartByPlace.fill(0);
    for (const run of runs) {
      const { rows, from, to } = run;
      const { start } = rows.part;
      measure.fill(this.#deltas, rows, model, start[from], start[to]);
      this.#add(run);
      if (weights !== undefined) this.#addApart(run, weights);
      if (rows.clipped !== undefined) this.#addExcess(run, rows.clipped);
      yield;
    }
  }

  #add({ rows: { part, weight, place }, from, to, first }: UserRun): void {
    const { start, isRandom } = part;
    const { plain, weighted, byPlace } = this;
    const deltas = this.#deltas;
    const offset = start[from];
    for (let s = from; s < to; s++) {
      let sum = 0;
      let ofWeighted = 0;
      for (let r = start[s]; r < start[s + 1]; r++) {
        const delta = deltas[r - offset];
        if (isRandom[r] === 1 || Number.isNaN(delta)) continue;
        sum += delta;
        ofWeighted += weight[r] * delta;
        byPlace[place[r]] += delta;
      }
      plain[first + s] = sum;
      weighted[first + s] = ofWeighted;
    }
  }

  #addApart({ rows: { part, place }, from, to, first }: UserRun, weights: Float64Array): void {
    const { start, isRandom } = part;
    const { weighted, apartByPlace } = this;
    const deltas = this.#deltas;
    const offset = start[from];
    for (let s = from; s < to; s++) {
      const all = weights[first + s];
      if (!(all > 0)) continue;
      const mean = weighted[first + s] / all;
      const share = 1 / all;
      for (let r = start[s]; r < start[s + 1]; r++) {
        const delta = deltas[r - offset];
        if (isRandom[r] === 1 || Number.isNaN(delta)) continue;
        apartByPlace[place[r]] += (delta - mean) * share;
      }
    }
  }

  #addExcess({ rows: { part }, from, to }: UserRun, clipped: Float64Array): void {
    const { start, isRandom } = part;
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
