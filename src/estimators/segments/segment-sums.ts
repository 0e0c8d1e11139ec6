import type { MeasuredHits } from '../lanes/expected-set.js';
import type { Selection } from '../lanes/selection.js';
import type { Coefficients } from '../rules/coefficients.js';
import type { CellWeights, FormWeights, SegmentCells } from './segment-cells.js';

/**
 * Sums of the denominators D over the cells of each segment value: Σ D, Σ D², the number of users,
 * and the sum of squared parts of D by row; see `FormWeights`.
 */
export class PlaceWeights {
  readonly weight: Float64Array;
  readonly squares: Float64Array;
  readonly users: Float64Array;
  readonly rowSquares: Float64Array;
  /** Σ D D′, with D′ the reference model’s denominator of the same cell. */
  readonly paired: Float64Array;

  constructor(places: number) {
    this.weight = new Float64Array(places);
    this.squares = new Float64Array(places);
    this.users = new Float64Array(places);
    this.rowSquares = new Float64Array(places);
    this.paired = new Float64Array(places);
  }

  /** Add a chunk. @param other the reference model's weights, if it has rows in the chunk. */
  add(own: FormWeights, other: FormWeights | undefined, { size, place }: SegmentCells): void {
    addTo(this.weight, own.weight);
    addTo(this.squares, own.squares);
    addTo(this.users, own.users);
    addTo(this.rowSquares, own.rowSquares);
    if (other === undefined) return;
    if (other === own) {
      addTo(this.paired, own.squares);
      return;
    }
    for (let c = 0; c < size; c++) {
      this.paired[place[c]] += own.ofCell[c] * other.ofCell[c];
    }
  }
}

function addTo(sums: Float64Array, more: Float64Array): void {
  for (let at = 0; at < sums.length; at++) {
    sums[at] += more[at];
  }
}

/** Sums over the cells of each segment value: Σ N, Σ N D and Σ N², N the cell's weighted gain. */
export class PlaceGains {
  readonly gain: Float64Array;
  readonly weighted: Float64Array;
  readonly squares: Float64Array;
  /** Σ N N′, Σ N D′ and Σ D N′, with N′ and D′ of the reference model. */
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

/** Cells that contain the hits of one metric in a chunk. */
interface HitCells {
  /** Cell of each hit, by dimension, then by hit. */
  cells: Int32Array;
  /** The same cells without repetition; the first `size` are in use. */
  touched: Int32Array;
  size: number;
}

/**
 * A lane's sums by segment. For each estimator and form (user 0, pooled 1), by segment value s:
 *
 *   W_s = Σ_u D_us,   B_s = Σ_u N_us, and their squares and products over users
 *
 * with N_us = Σ c_i λ_i over the user's rows with the value, c_i the row's coefficient and λ_i its
 * gain. D_us is the part of the user's D that these rows have by their weights, so that Σ_s N_us =
 * N_u and Σ_s D_us = D_u. Source: own; the sums of moments.ts by segment.
 */
export class SegmentSums {
  readonly #estimators: number;
  readonly #metrics: number;
  /** Sums of denominators by segment value, an entry for each estimator and form. */
  readonly weights: readonly PlaceWeights[];
  /** Sums of gains by segment value, an entry for each metric, estimator and form. */
  readonly gains: readonly PlaceGains[];
  /** Sums of the reference model's lane, needed for differences; null if there is no such lane. */
  reference: SegmentSums | null = null;
  /** By metric: cells of its hits in the current chunk. */
  readonly #hits: HitCells[];
  /** By metric, estimator and form: weighted gain N of each cell; 0 for cells without hits. */
  readonly #cellGains: Float64Array[];
  readonly #cellWeights: (CellWeights | undefined)[];
  #isMarked = new Uint8Array(0);

  constructor(places: number, estimators: number, metrics: number) {
    this.#estimators = estimators;
    this.#metrics = metrics;
    const numbers = 2 * estimators * metrics;
    this.weights = Array.from({ length: 2 * estimators }, () => new PlaceWeights(places));
    this.gains = Array.from({ length: numbers }, () => new PlaceGains(places));
    this.#hits = Array.from({ length: metrics }, () => ({
      cells: new Int32Array(0),
      touched: new Int32Array(0),
      size: 0,
    }));
    this.#cellGains = this.gains.map(() => new Float64Array(0));
    this.#cellWeights = Array.from({ length: estimators }, () => undefined);
  }

  gainsOf(metric: number, estimator: number, form: 0 | 1): PlaceGains {
    return this.gains[(metric * this.#estimators + estimator) * 2 + form];
  }

  /** Start a chunk and clear the sums by cell of the previous one. */
  begin({ size }: SegmentCells): void {
    this.#cellWeights.fill(undefined);
    for (let m = 0; m < this.#metrics; m++) {
      const { touched, size: used } = this.#hits[m];
      for (let n = 2 * m * this.#estimators; n < 2 * (m + 1) * this.#estimators; n++) {
        const gains = this.#cellGains[n];
        if (size > gains.length) {
          this.#cellGains[n] = new Float64Array(2 * size);
        } else {
          for (let t = 0; t < used; t++) {
            gains[touched[t]] = 0;
          }
        }
      }
      this.#hits[m].size = 0;
    }
    if (size > this.#isMarked.length) {
      this.#isMarked = new Uint8Array(2 * size);
    }
  }

  /** Find the cells of each metric's hits in the lane's rows. */
  takeHits(cells: SegmentCells, { row }: Selection, metrics: readonly MeasuredHits[]): void {
    const { dimensions, ofRow, firstRow } = cells;
    for (let m = 0; m < metrics.length; m++) {
      const { hits, set } = metrics[m];
      if (set !== null) continue;
      const own = this.#hits[m];
      const room = hits.size * dimensions;
      if (room > own.cells.length) {
        own.cells = new Int32Array(2 * room);
        own.touched = new Int32Array(2 * room);
      }
      let size = 0;
      for (let d = 0; d < dimensions; d++) {
        const cellOf = ofRow[d];
        for (let h = 0; h < hits.size; h++) {
          const cell = cellOf[row[hits.row[h]] - firstRow];
          own.cells[d * hits.size + h] = cell;
          if (this.#isMarked[cell] === 1) continue;
          this.#isMarked[cell] = 1;
          own.touched[size++] = cell;
        }
      }
      for (let t = 0; t < size; t++) {
        this.#isMarked[own.touched[t]] = 0;
      }
      own.size = size;
    }
  }

  /** Add an estimator's weights and gains of a chunk, after `takeHits`. */
  add(
    estimator: number,
    cells: SegmentCells,
    made: CellWeights,
    metrics: readonly MeasuredHits[],
    { user, pooled }: Coefficients,
  ): void {
    this.#cellWeights[estimator] = made;
    const other = this.reference?.cellWeights(estimator);
    for (const form of [0, 1] as const) {
      this.weights[2 * estimator + form].add(made[form], other?.[form], cells);
    }
    for (let m = 0; m < metrics.length; m++) {
      const { hits, set } = metrics[m];
      if (set !== null || hits.size === 0) continue;
      const n = (m * this.#estimators + estimator) * 2;
      const own = this.#hits[m].cells;
      const byUser = this.#cellGains[n];
      const byRow = this.#cellGains[n + 1];
      const { row, gain, size } = hits;
      for (let h = 0; h < size; h++) {
        const ofUser = user[row[h]] * gain[h];
        const ofRow = pooled[row[h]] * gain[h];
        for (let j = h; j < cells.dimensions * size; j += size) {
          byUser[own[j]] += ofUser;
          byRow[own[j]] += ofRow;
        }
      }
      for (const form of [0, 1] as const) {
        this.#settle(m, n + form, made[form], cells);
      }
    }
    if (this.reference !== null) {
      this.#pair(estimator, cells, made);
    }
  }

  cellWeights(estimator: number): CellWeights | undefined {
    return this.#cellWeights[estimator];
  }

  #settle(m: number, n: number, { ofCell }: FormWeights, { place }: SegmentCells): void {
    const { gain, weighted, squares } = this.gains[n];
    const { touched, size } = this.#hits[m];
    const gains = this.#cellGains[n];
    for (let t = 0; t < size; t++) {
      const cell = touched[t];
      const at = place[cell];
      const b = gains[cell];
      gain[at] += b;
      weighted[at] += b * ofCell[cell];
      squares[at] += b * b;
    }
  }

  /**
   * Add the products of this lane's N and D with those of the reference model in the same cells.
   */
  #pair(estimator: number, { place }: SegmentCells, made: CellWeights): void {
    const other = this.reference!;
    const theirs = other.cellWeights(estimator);
    if (theirs === undefined) return;
    for (let n = 0; n < this.gains.length; n++) {
      if (Math.floor(n / 2) % this.#estimators !== estimator) continue;
      const m = Math.floor(n / (2 * this.#estimators));
      const own = this.#hits[m];
      const them = other.#hits[m];
      const gains = this.#cellGains[n];
      const otherGains = other.#cellGains[n];
      const { ofCell } = made[n % 2];
      const otherWeights = theirs[n % 2].ofCell;
      const { paired, ownPaired, otherPaired } = this.gains[n];
      for (let t = 0; t < own.size; t++) {
        const cell = own.touched[t];
        const at = place[cell];
        paired[at] += gains[cell] * otherGains[cell];
        ownPaired[at] += gains[cell] * otherWeights[cell];
      }
      for (let t = 0; t < them.size; t++) {
        const cell = them.touched[t];
        otherPaired[place[cell]] += ofCell[cell] * otherGains[cell];
      }
    }
  }
}
