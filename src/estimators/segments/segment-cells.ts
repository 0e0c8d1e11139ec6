import type { WindowPart } from '../../state/panes/window-part.js';
import type { Selection } from '../lanes/selection.js';
import type { SegmentAxes } from '../results/segment-report.js';
import type { Coefficients } from '../rules/coefficients.js';
import type { WeightingRule } from '../rules/weighting-rule.js';
import { segmentOffsets } from './segment-axes.js';

/**
 * Cells of a chunk of users. A cell is the rows of one user with one value of a segment dimension;
 * a row is in one cell of each dimension. All lanes share the cells, so that their sums can be
 * paired.
 */
export class SegmentCells {
  readonly dimensions: number;
  /** Number of segment values over all dimensions. */
  readonly places: number;
  /** Number of cells of the chunk over all dimensions. */
  size = 0;
  /** By cell: index of its segment value among the values of all dimensions. */
  place = new Int32Array(1024);
  /** By dimension, then by row of the chunk: the row's cell. */
  readonly ofRow: Int32Array[];
  /** Index in the part of the chunk's first row. */
  firstRow = 0;
  readonly #offsets: readonly number[];
  /**
   * By segment value: the user of its latest cell (`#user`), and the index of that cell (`#cell`).
   */
  readonly #user: Int32Array;
  readonly #cell: Int32Array;

  constructor(axes: Pick<SegmentAxes, 'names'>) {
    this.dimensions = axes.names.length;
    this.ofRow = axes.names.map(() => new Int32Array(0));
    this.#offsets = segmentOffsets(axes);
    const places = this.#offsets[this.dimensions];
    this.places = places;
    this.#user = new Int32Array(places);
    this.#cell = new Int32Array(places);
  }

  /** Find the cells of a new chunk: users from .. to − 1 of the part. */
  begin(part: WindowPart, from: number, to: number): void {
    const { userStart, segments } = part;
    const firstRow = userStart[from];
    const rows = userStart[to] - firstRow;
    this.firstRow = firstRow;
    this.size = 0;
    this.#user.fill(-1);
    if (rows * this.dimensions > this.place.length) {
      this.place = new Int32Array(2 * rows * this.dimensions);
    }
    for (let d = 0; d < this.dimensions; d++) {
      if (rows > this.ofRow[d].length) {
        this.ofRow[d] = new Int32Array(2 * rows);
      }
      const cells = this.ofRow[d];
      const codes = segments?.codes[d];
      const offset = this.#offsets[d];
      for (let s = from; s < to; s++) {
        for (let r = userStart[s]; r < userStart[s + 1]; r++) {
          const place = offset + (codes === undefined ? 0 : codes[r]);
          if (this.#user[place] !== s) {
            this.#user[place] = s;
            this.#cell[place] = this.size;
            this.place[this.size++] = place;
          }
          cells[r - firstRow] = this.#cell[place];
        }
      }
    }
  }
}

/**
 * Denominators D of the cells for one aggregation (see `WeightingRule`), and their sums by segment
 * value.
 */
export interface FormWeights {
  ofCell: Float64Array;
  /**
   * By segment value, over its cells: Σ D (`weight`), Σ D² (`squares`), the number of cells with
   * weight (`users`), and the sum over rows of their squared parts of D (`rowSquares`).
   */
  readonly weight: Float64Array;
  readonly squares: Float64Array;
  readonly users: Float64Array;
  readonly rowSquares: Float64Array;
}

/**
 * Weights of one rule in the cells of a chunk, in user form and pooled form, for the lanes with the
 * same rows. In each dimension, the D of a user's cells sum to the user's D. Valid until the chunk
 * ends.
 */
export type CellWeights = readonly [FormWeights, FormWeights];

/** Computes the weights of the cells for each rule, once for all lanes with the same rows. */
export class CellWeigher {
  readonly #cells: SegmentCells;
  readonly #places: number;
  readonly #made: CellWeights[] = [];
  #used = 0;

  constructor(cells: SegmentCells) {
    this.#cells = cells;
    this.#places = cells.places;
  }

  /** Start a chunk; buffers of the previous one are reused. */
  begin(): void {
    this.#used = 0;
  }

  weigh(selection: Selection, coefficients: Coefficients, rule: WeightingRule): CellWeights {
    this.#made[this.#used] ??= [formWeights(this.#places), formWeights(this.#places)];
    const made = this.#made[this.#used++];
    for (const form of made) {
      this.#clear(form);
    }
    this.#fill(made, selection, coefficients, rule);
    for (const form of made) {
      this.#sum(form);
    }
    return made;
  }

  #clear(form: FormWeights): void {
    const { size } = this.#cells;
    if (size > form.ofCell.length) {
      form.ofCell = new Float64Array(2 * size);
    } else {
      form.ofCell.fill(0, 0, size);
    }
    for (const sums of [form.weight, form.squares, form.users, form.rowSquares]) {
      sums.fill(0);
    }
  }

  #fill(
    [byUser, byRow]: CellWeights,
    { users, start, row }: Selection,
    { pooled, pooledDenominator, userDenominator }: Coefficients,
    { denominator }: WeightingRule,
  ): void {
    const { dimensions, ofRow, firstRow, place } = this.#cells;
    const ofUsers = byUser.ofCell;
    const ofRows = byRow.ofCell;
    const userSquares = byUser.rowSquares;
    const rowSquares = byRow.rowSquares;
    for (let u = 0; u < users; u++) {
      const from = start[u];
      const to = start[u + 1];
      let total = 0;
      if (denominator === undefined) {
        total = pooledDenominator.values[u];
      } else {
        for (let i = from; i < to; i++) {
          total += pooled[i];
        }
      }
      const scale = total > 0 ? userDenominator.values[u] / total : 0;
      // A constant denominator per user is divided equally among the user's rows.
      const share = denominator === undefined ? 0 : denominator / (to - from);
      for (let d = 0; d < dimensions; d++) {
        const cellOf = ofRow[d];
        for (let i = from; i < to; i++) {
          const cell = cellOf[row[i] - firstRow];
          const at = place[cell];
          const inUser = pooled[i] * scale;
          const inRows = denominator === undefined ? pooled[i] : share;
          ofUsers[cell] += inUser;
          ofRows[cell] += inRows;
          userSquares[at] += inUser * inUser;
          rowSquares[at] += inRows * inRows;
        }
      }
    }
  }

  #sum({ ofCell, weight, squares, users }: FormWeights): void {
    const { size, place } = this.#cells;
    for (let c = 0; c < size; c++) {
      const d = ofCell[c];
      if (d === 0) continue;
      const at = place[c];
      weight[at] += d;
      squares[at] += d * d;
      users[at]++;
    }
  }
}

function formWeights(places: number): FormWeights {
  const sums = () => new Float64Array(places);
  return {
    ofCell: new Float64Array(0),
    weight: sums(),
    squares: sums(),
    users: sums(),
    rowSquares: sums(),
  };
}
