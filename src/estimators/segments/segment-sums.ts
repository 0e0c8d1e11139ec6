import type { NumberCodec } from '../../state/binary/number-codec.js';
import type { Coefficients } from '../registry/coefficients.js';
import type { MeasuredHits } from '../rows/measured-hits.js';
import type { Selection } from '../rows/selection.js';
import type { CellWeights, SegmentCells } from './segment-cells.js';

/** Sums over the cells of each value: of D, D², how many have any, and of rows' shares of D, squared. */
export class PlaceWeights {
  readonly weight: Float64Array;
  readonly squares: Float64Array;
  readonly users: Float64Array;
  readonly rowSquares: Float64Array;
  /** Σ D D′ with the reference model’s D′. */
  readonly paired: Float64Array;

  constructor(places: number) {
    this.weight = new Float64Array(places);
    this.squares = new Float64Array(places);
    this.users = new Float64Array(places);
    this.rowSquares = new Float64Array(places);
    this.paired = new Float64Array(places);
  }
}

/** Sums over the cells of each value: of N, N D and N². */
export class PlaceGains {
  readonly gain: Float64Array;
  readonly weighted: Float64Array;
  readonly squares: Float64Array;
  /** Σ N N′, Σ N D′ and Σ D N′ with the reference model’s. */
  readonly paired: Float64Array;
  readonly ownPaired: Float64Array;
  readonly otherPaired: Float64Array;

  constructor(places: number) {
    this.gain = new Float64Array(places);
    this.weighted = new Float64Array(places);
    this.squares = new Float64Array(places);
    this.paired = new Float64Array(places);
    this.ownPaired = new Float64Array(places);
    this.otherPaired = new Float64Array(places);
  }
}

/**
 * A lane's sums by segment. For each estimator and form (user 0, pooled 1), by value:
 *
 *   W_s = Σ_u D_us, B_s = Σ_u N_us and their squares and products over users
 *
 * with N_us = Σ c_i λ_i over the user's rows of the value, and D_us the user's D by the rows' weights, so
 * that Σ_s N_us = N_u and Σ_s D_us = D_u. Sums over users: those of other users are added.
 * Source: own; the sums of moments.ts by segment.
 */
export class SegmentSums {
  readonly #places: number;
  readonly #estimators: number;
  readonly #metrics: number;
  /** By estimator and form. */
  readonly weights: readonly PlaceWeights[];
  /** By metric, estimator and form. */
  readonly gains: readonly PlaceGains[];
  /** Whose sums these are paired with; the lane of the reference model, if it has any. */
  reference: SegmentSums | null = null;
  /** Of the chunk at hand, by the same numbers: N of each cell, and which are not 0. */
  readonly #cellGains: Float64Array[];
  readonly #isTouched: Uint8Array[];
  readonly #touched: Int32Array[];
  readonly #touchedSize: Int32Array;
  /** D of each cell by estimator and form; undefined while the lane has no rows in the chunk. */
  readonly #cellWeights: (Float64Array | undefined)[];

  constructor(places: number, estimators: number, metrics: number) {
    this.#places = places;
    this.#estimators = estimators;
    this.#metrics = metrics;
    const numbers = 2 * estimators * metrics;
    this.weights = Array.from({ length: 2 * estimators }, () => new PlaceWeights(places));
    this.gains = Array.from({ length: numbers }, () => new PlaceGains(places));
    this.#cellGains = Array.from({ length: numbers }, () => new Float64Array(0));
    this.#isTouched = Array.from({ length: numbers }, () => new Uint8Array(0));
    this.#touched = Array.from({ length: numbers }, () => new Int32Array(0));
    this.#touchedSize = new Int32Array(numbers);
    this.#cellWeights = Array.from({ length: 2 * estimators }, () => undefined);
  }

  /** Of other users, by the same values. */
  ofOthers(): SegmentSums {
    return new SegmentSums(this.#places, this.#estimators, this.#metrics);
  }

  gainsOf(metric: number, estimator: number, form: 0 | 1): PlaceGains {
    return this.gains[(metric * this.#estimators + estimator) * 2 + form];
  }

  /** Forgets the cells of the chunk before. */
  begin(cells: SegmentCells): void {
    this.#cellWeights.fill(undefined);
    for (let n = 0; n < this.gains.length; n++) {
      const [gains, touched] = [this.#cellGains[n], this.#touched[n]];
      for (let t = 0; t < this.#touchedSize[n]; t++) {
        gains[touched[t]] = 0;
        this.#isTouched[n][touched[t]] = 0;
      }
      this.#touchedSize[n] = 0;
      if (cells.size <= gains.length) continue;
      this.#cellGains[n] = new Float64Array(2 * cells.size);
      this.#isTouched[n] = new Uint8Array(2 * cells.size);
      this.#touched[n] = new Int32Array(2 * cells.size);
    }
  }

  /** Takes an estimator's weights of a chunk. @param of unchanged until the chunk's last lane. */
  addWeights(estimator: number, cells: SegmentCells, of: CellWeights): void {
    for (const form of [0, 1] as const) {
      const n = 2 * estimator + form;
      const own = of.ofCell[form];
      const ofRows = of.rowSquares[form];
      const other = this.reference?.cellWeights(n);
      this.#cellWeights[n] = this.reference === null ? own.slice(0, cells.size) : own;
      const { weight, squares, users, rowSquares, paired } = this.weights[n];
      for (let c = 0; c < cells.size; c++) {
        const d = own[c];
        if (d === 0) continue;
        const place = cells.place[c];
        weight[place] += d;
        squares[place] += d * d;
        users[place]++;
        rowSquares[place] += ofRows[c];
        if (other !== undefined) paired[place] += d * other[c];
      }
    }
  }

  cellWeights(n: number): Float64Array | undefined {
    return this.#cellWeights[n];
  }

  /** Takes an estimator's hits of a chunk, once its weights are taken. */
  addHits(
    estimator: number,
    cells: SegmentCells,
    selection: Selection,
    metrics: readonly MeasuredHits[],
    { user, pooled }: Coefficients,
  ): void {
    for (let m = 0; m < metrics.length; m++) {
      const { hits, set } = metrics[m];
      if (set !== null) continue;
      const n = (m * this.#estimators + estimator) * 2;
      const { row, gain, size } = hits;
      for (let d = 0; d < cells.dimensions; d++) {
        const cellOf = cells.ofRow[d];
        for (let h = 0; h < size; h++) {
          const i = row[h];
          const cell = cellOf[selection.row[i] - cells.firstRow];
          this.#note(n, cell, user[i] * gain[h]);
          this.#note(n + 1, cell, pooled[i] * gain[h]);
        }
      }
      this.#settle(n, 2 * estimator, cells);
      this.#settle(n + 1, 2 * estimator + 1, cells);
    }
  }

  #note(n: number, cell: number, gain: number): void {
    this.#cellGains[n][cell] += gain;
    if (this.#isTouched[n][cell] === 1) return;
    this.#isTouched[n][cell] = 1;
    this.#touched[n][this.#touchedSize[n]++] = cell;
  }

  #settle(n: number, w: number, { place }: SegmentCells): void {
    const { gain, weighted, squares, paired, ownPaired, otherPaired } = this.gains[n];
    const [gains, touched, size] = [this.#cellGains[n], this.#touched[n], this.#touchedSize[n]];
    const weights = this.#cellWeights[w]!;
    for (let t = 0; t < size; t++) {
      const cell = touched[t];
      const at = place[cell];
      const b = gains[cell];
      gain[at] += b;
      weighted[at] += b * weights[cell];
      squares[at] += b * b;
    }
    const other = this.reference;
    const otherWeights = other?.cellWeights(w);
    if (other === null || otherWeights === undefined) return;
    const [theirs, theirTouched] = [other.#cellGains[n], other.#touched[n]];
    for (let t = 0; t < size; t++) {
      const cell = touched[t];
      const at = place[cell];
      paired[at] += gains[cell] * theirs[cell];
      ownPaired[at] += gains[cell] * otherWeights[cell];
    }
    for (let t = 0; t < other.#touchedSize[n]; t++) {
      const cell = theirTouched[t];
      otherPaired[place[cell]] += weights[cell] * theirs[cell];
    }
  }

  /** Takes the sums of other users. */
  merge(other: SegmentSums): void {
    this.#columns().forEach((own, c) => {
      const theirs = other.#columns()[c];
      for (let at = 0; at < own.length; at++) own[at] += theirs[at];
    });
  }

  /** Writes or reads the sums. */
  pass(through: NumberCodec): void {
    for (const column of this.#columns()) through.numbers(column);
  }

  #columns(): readonly Float64Array[] {
    return [
      ...this.weights.flatMap((own) => [
        ...[own.weight, own.squares, own.users],
        ...[own.rowSquares, own.paired],
      ]),
      ...this.gains.flatMap((own) => [
        ...[own.gain, own.weighted, own.squares],
        ...[own.paired, own.ownPaired, own.otherPaired],
      ]),
    ];
  }
}
