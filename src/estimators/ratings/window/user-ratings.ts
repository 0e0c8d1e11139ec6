import { lookedAt, type RatingMeasure, ROW_KINDS } from './rating-measures.js';
import type { WeighedPart } from './weighed-part.js';

/**
 * One user's sums, by model m and measure j at m · J + j, or by model and kind of row at m · 2 + kind;
 * by place c of the rating at the same index times C, plus c.
 */
export class UserRatings {
  /** Σδ and Σwδ. */
  readonly plain: Float64Array;
  readonly weighted: Float64Array;
  /** Σδ of what a largest weight takes away. */
  readonly excess: Float64Array;
  /** Rows and Σw. */
  readonly rows: Float64Array;
  readonly weights: Float64Array;
  readonly plainByPlace: Float64Array;
  readonly rowsByPlace: Float64Array;
  /** Ratings by place, of all rows: those that the user chose to give, and random ones. */
  readonly chosen: Float64Array;
  readonly random: Float64Array;
  /** Ratings that the user chose to give. */
  ratings = 0;
  readonly #measures: readonly RatingMeasure[];
  readonly #kinds: ReadonlySet<number>;
  readonly #models: number;
  readonly #places: number;

  constructor(measures: readonly RatingMeasure[], models: number, places: number) {
    this.#measures = measures;
    this.#kinds = new Set(measures.map(({ rows }) => rows));
    this.#models = models;
    this.#places = places;
    const numbers = models * measures.length;
    this.plain = new Float64Array(numbers);
    this.weighted = new Float64Array(numbers);
    this.excess = new Float64Array(numbers);
    this.rows = new Float64Array(models * ROW_KINDS);
    this.weights = new Float64Array(models * ROW_KINDS);
    this.plainByPlace = new Float64Array(numbers * places);
    this.rowsByPlace = new Float64Array(models * ROW_KINDS * places);
    this.chosen = new Float64Array(places);
    this.random = new Float64Array(places);
  }

  /** Sums the rows of a segment. */
  take(weighed: WeighedPart, segment: number): void {
    const { part, place } = weighed;
    const [from, to] = [part.start[segment], part.start[segment + 1]];
    this.#clear();
    for (let r = from; r < to; r++) {
      if (part.isRandom[r] === 1) this.random[place[r]]++;
      else {
        this.chosen[place[r]]++;
        this.ratings++;
      }
    }
    if (this.ratings === 0) return;
    for (let m = 0; m < this.#models; m++) {
      for (let kind = 0; kind < ROW_KINDS; kind++) {
        if (this.#kinds.has(kind)) this.#count(weighed, m, kind, from, to);
      }
      this.#measures.forEach((measure, j) => {
        this.#sum(weighed, measure, m, m * this.#measures.length + j, from, to);
      });
    }
  }

  #count({ part, weight, place }: WeighedPart, m: number, kind: number, from: number, to: number) {
    const at = m * ROW_KINDS + kind;
    for (let r = from; r < to; r++) {
      if (part.isRandom[r] === 1 || Number.isNaN(lookedAt(part, m, r, kind))) continue;
      this.rows[at]++;
      this.weights[at] += weight[r];
      this.rowsByPlace[at * this.#places + place[r]]++;
    }
  }

  #sum(
    { part, weight, clipped, place }: WeighedPart,
    measure: RatingMeasure,
    m: number,
    at: number,
    from: number,
    to: number,
  ): void {
    let [plain, weighted] = [0, 0];
    for (let r = from; r < to; r++) {
      if (part.isRandom[r] === 1) continue;
      const of = lookedAt(part, m, r, measure.rows);
      if (Number.isNaN(of)) continue;
      const delta = measure.delta(part.rating[r], of);
      plain += delta;
      weighted += weight[r] * delta;
      if (clipped !== undefined) this.excess[at] += clipped[r] * delta;
      this.plainByPlace[at * this.#places + place[r]] += delta;
    }
    this.plain[at] = plain;
    this.weighted[at] = weighted;
  }

  #clear(): void {
    const { rows, weights, rowsByPlace, plain, weighted, plainByPlace, chosen, random } = this;
    for (const sums of [rows, weights, rowsByPlace, plain, weighted, plainByPlace]) sums.fill(0);
    this.excess.fill(0);
    chosen.fill(0);
    random.fill(0);
    this.ratings = 0;
  }
}
