import { NumberedSums } from '../../estimators/partitions/rounds.js';
import type { NumberCodec } from '../../state/binary/numbers.js';
import type { RunningSums } from './running-sums.js';

const SHAPE = 0x726f_7773;

/**
 * What rows of a pane add to running sums, row by row: those are then of the same bits wherever rows
 * were taken, since each row is added to all that came before it.
 */
export class AddedRows extends NumberedSums<AddedRows> {
  readonly #points: number;
  /** Of each row its group, the number of models, their places and gains, and its weights. */
  readonly #rows: number[] = [];

  /** @param points weights of a row */
  constructor(points: number) {
    super(SHAPE + points);
    this.#points = points;
  }

  /** Takes a row as `RunningSums.add` does. */
  add(
    group: number,
    weights: Float64Array,
    places: Int32Array,
    gains: Float64Array,
    count: number,
  ): void {
    this.#rows.push(group, count);
    for (let m = 0; m < count; m++) this.#rows.push(places[m], gains[m]);
    for (let p = 0; p < this.#points; p++) this.#rows.push(weights[p]);
  }

  /** Adds all rows, in their order. */
  addTo(sums: RunningSums): void {
    const rows = this.#rows;
    const weights = new Float64Array(this.#points);
    for (let at = 0; at < rows.length; ) {
      const group = rows[at];
      const count = rows[at + 1];
      const places = new Int32Array(count);
      const gains = new Float64Array(count);
      at += 2;
      for (let m = 0; m < count; m++) {
        places[m] = rows[at++];
        gains[m] = rows[at++];
      }
      for (let p = 0; p < this.#points; p++) weights[p] = rows[at++];
      sums.add(group, weights, places, gains, count);
    }
  }

  ofOthers(): AddedRows {
    return new AddedRows(this.#points);
  }

  merge(others: AddedRows): void {
    for (const number of others.#rows) this.#rows.push(number);
  }

  pass(through: NumberCodec): void {
    const size = through.number(this.#rows.length);
    for (let at = 0; at < size; at++) this.#rows[at] = through.number(this.#rows[at]);
  }
}
