import type { WindowPart } from '../../state/panes/window-part.js';
import type { Coefficients } from '../registry/coefficients.js';
import type { WeightingRule } from '../registry/weighting-rule.js';
import type { SegmentAxes } from '../results/segment-report.js';
import type { Selection } from '../rows/selection.js';
import { segmentOffsets } from './segment-axes.js';

/**
 * Cells of a chunk: a user and a value of one dimension, with the user's rows of that value. A row is
 * in one cell of each dimension. All lanes share them, so that their sums can be paired.
 */
export class SegmentCells {
  readonly dimensions: number;
  /** How many there are, of all dimensions. */
  size = 0;
  /** By cell: the place of its value among those of all dimensions. */
  place = new Int32Array(1024);
  /** By dimension and row of the chunk. */
  readonly ofRow: Int32Array[];
  /** Row of the part that the chunk begins with. */
  firstRow = 0;
  readonly #offsets: readonly number[];
  /** By place: the user whose cell it was last, and that cell. */
  readonly #user: Int32Array;
  readonly #cell: Int32Array;

  constructor(axes: Pick<SegmentAxes, 'names'>) {
    this.dimensions = axes.names.length;
    this.ofRow = axes.names.map(() => new Int32Array(0));
    this.#offsets = segmentOffsets(axes);
    const places = this.#offsets[this.dimensions];
    this.#user = new Int32Array(places);
    this.#cell = new Int32Array(places);
  }

  /** Starts a chunk: users from .. to − 1 of the part. */
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
      if (rows > this.ofRow[d].length) this.ofRow[d] = new Int32Array(2 * rows);
      const [cells, codes, offset] = [this.ofRow[d], segments?.codes[d], this.#offsets[d]];
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

/** What one rule's weights come to in the cells of a chunk, for the rows of some lanes. */
export class CellWeights {
  /** D of each cell, by user form and pooled: those of a user add up to the user's. */
  readonly ofCell: Float64Array[] = [new Float64Array(0), new Float64Array(0)];
  /** Σ over the cell's rows of their shares of D, squared; by user form and pooled. */
  readonly rowSquares: Float64Array[] = [new Float64Array(0), new Float64Array(0)];

  take(
    cells: SegmentCells,
    { users, start, row }: Selection,
    { pooled, pooledDenominator, userDenominator }: Coefficients,
    { denominator }: WeightingRule,
  ): void {
    this.#reserve(cells.size);
    const [byUser, byRow] = this.ofCell;
    const [userSquares, rowSquares] = this.rowSquares;
    userSquares.fill(0, 0, cells.size);
    rowSquares.fill(0, 0, cells.size);
    byUser.fill(0, 0, cells.size);
    byRow.fill(0, 0, cells.size);
    for (let u = 0; u < users; u++) {
      const [from, to] = [start[u], start[u + 1]];
      let total = 0;
      if (denominator === undefined) total = pooledDenominator.values[u];
      else for (let i = from; i < to; i++) total += pooled[i];
      const scale = total > 0 ? userDenominator.values[u] / total : 0;
      // Where the denominator is the same for each user, rows share it alike.
      const share = denominator === undefined ? 0 : denominator / (to - from);
      for (let d = 0; d < cells.dimensions; d++) {
        const cellOf = cells.ofRow[d];
        for (let i = from; i < to; i++) {
          const cell = cellOf[row[i] - cells.firstRow];
          const ofUser = pooled[i] * scale;
          const ofRow = denominator === undefined ? pooled[i] : share;
          byUser[cell] += ofUser;
          byRow[cell] += ofRow;
          userSquares[cell] += ofUser * ofUser;
          rowSquares[cell] += ofRow * ofRow;
        }
      }
    }
  }

  #reserve(cells: number): void {
    if (cells <= this.ofCell[0].length) return;
    this.ofCell[0] = new Float64Array(2 * cells);
    this.ofCell[1] = new Float64Array(2 * cells);
    this.rowSquares[0] = new Float64Array(2 * cells);
    this.rowSquares[1] = new Float64Array(2 * cells);
  }
}
