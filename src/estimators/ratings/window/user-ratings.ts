import { PREDICTED, type RatingMeasure, ROW_KINDS, rankIn } from './rating-measures.js';
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
  readonly #kinds: readonly number[];
  readonly #models: number;
  readonly #places: number;
  #deltas = new Float64Array(64);

  constructor(measures: readonly RatingMeasure[], models: number, places: number) {
    this.#measures = measures;
    this.#kinds = [...new Set(measures.map(({ rows }) => rows))];
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

  /** Sums the rows of a segment. @param byPlace whether by the place of the rating too. */
  take(weighed: WeighedPart, segment: number, byPlace: boolean): void {
    const { part } = weighed;
    const [from, to] = [part.start[segment], part.start[segment + 1]];
    this.#countAll(weighed, from, to);
    if (this.ratings === 0) {
      this.#clear();
      return;
    }
    if (byPlace) {
      this.plainByPlace.fill(0);
      this.rowsByPlace.fill(0);
    }
    if (to - from > this.#deltas.length) this.#deltas = new Float64Array(2 * (to - from));
    const measures = this.#measures;
    for (let m = 0; m < this.#models; m++) {
      for (const kind of this.#kinds) this.#count(weighed, m, kind, from, to, byPlace);
      for (let j = 0; j < measures.length; j++) {
        const at = m * measures.length + j;
        const { sameAs } = measures[j];
        if (sameAs < j) this.#copy(at, m * measures.length + sameAs, byPlace);
        else {
          measures[j].fill(this.#deltas, weighed, m, from, to);
          this.#sum(weighed, at, from, to, byPlace);
        }
      }
    }
  }

  #countAll({ part: { isRandom }, place }: WeighedPart, from: number, to: number): void {
    const { chosen, random } = this;
    chosen.fill(0);
    random.fill(0);
    let ratings = 0;
    for (let r = from; r < to; r++) {
      if (isRandom[r] === 1) random[place[r]]++;
      else {
        chosen[place[r]]++;
        ratings++;
      }
    }
    this.ratings = ratings;
  }

  #count(
    { part, weight, place }: WeighedPart,
    m: number,
    kind: number,
    from: number,
    to: number,
    byPlace: boolean,
  ): void {
    const at = m * ROW_KINDS + kind;
    const { isRandom } = part;
    const scores = part.scores[m];
    const { rowsByPlace } = this;
    let [rows, weights] = [0, 0];
    for (let r = from; r < to; r++) {
      if (isRandom[r] === 1) continue;
      if (Number.isNaN(kind === PREDICTED ? scores[r] : rankIn(part, m, r))) continue;
      rows++;
      weights += weight[r];
      if (byPlace) rowsByPlace[at * this.#places + place[r]]++;
    }
    this.rows[at] = rows;
    this.weights[at] = weights;
  }

  /** Of the δ that are filled in. */
  #sum(
    { part: { isRandom }, weight, clipped, place }: WeighedPart,
    at: number,
    from: number,
    to: number,
    byPlace: boolean,
  ): void {
    const deltas = this.#deltas;
    const { plainByPlace } = this;
    const first = at * this.#places;
    let [plain, weighted, excess] = [0, 0, 0];
    for (let r = from; r < to; r++) {
      const delta = deltas[r - from];
      if (isRandom[r] === 1 || Number.isNaN(delta)) continue;
      plain += delta;
      weighted += weight[r] * delta;
      if (clipped !== undefined) excess += clipped[r] * delta;
      if (byPlace) plainByPlace[first + place[r]] += delta;
    }
    this.plain[at] = plain;
    this.weighted[at] = weighted;
    this.excess[at] = excess;
  }

  #copy(to: number, from: number, byPlace: boolean): void {
    this.plain[to] = this.plain[from];
    this.weighted[to] = this.weighted[from];
    this.excess[to] = this.excess[from];
    if (!byPlace) return;
    const places = this.#places;
    for (let c = 0; c < places; c++) {
      this.plainByPlace[to * places + c] = this.plainByPlace[from * places + c];
    }
  }

  #clear(): void {
    const { rows, weights, rowsByPlace, plain, weighted, plainByPlace, excess } = this;
    for (const sums of [rows, weights, rowsByPlace, plain, weighted, plainByPlace, excess]) {
      sums.fill(0);
    }
  }
}
