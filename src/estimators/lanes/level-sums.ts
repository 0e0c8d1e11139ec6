import type { NumberCodec } from '../../state/binary/number-codec.js';
import type { MeasuredHits } from './measured-hits.js';
import type { Selection } from './selection.js';

/**
 * Rows and gains of a lane by level of popularity: pooled snips follows from them at any γ.
 *
 * C_n = rows at level n, A_n = Σλ over them, by metric. Sums over users. Source: Yang et al. 2018,
 * eq. 10.
 */
export class LevelSums {
  readonly rows: Float64Array;
  /** By metric; measures of whole sets add up to nothing, and stay at 0. */
  readonly gains: readonly Float64Array[];

  constructor(levels: number, metrics: number) {
    this.rows = new Float64Array(levels);
    this.gains = Array.from({ length: metrics }, () => new Float64Array(levels));
  }

  /** Of other users, by the same levels. */
  ofOthers(): LevelSums {
    return new LevelSums(this.rows.length, this.gains.length);
  }

  /** Takes the sums of other users. */
  merge(other: LevelSums): void {
    for (let level = 0; level < this.rows.length; level++) this.rows[level] += other.rows[level];
    for (let m = 0; m < this.gains.length; m++) {
      const [own, others] = [this.gains[m], other.gains[m]];
      for (let level = 0; level < own.length; level++) own[level] += others[level];
    }
  }

  /** Writes or reads the sums. */
  pass(through: NumberCodec): void {
    through.numbers(this.rows);
    for (const gains of this.gains) through.numbers(gains);
  }

  /** Takes a chunk. @param levelOf by item; none of the selection's rows is without a level. */
  add(levelOf: Int32Array, selection: Selection, metrics: readonly MeasuredHits[]): void {
    const { item, rows: size } = selection;
    const { rows } = this;
    for (let i = 0; i < size; i++) rows[levelOf[item[i]]]++;
    for (let m = 0; m < metrics.length; m++) {
      const { hits, set } = metrics[m];
      if (set !== null) continue;
      const own = this.gains[m];
      const { row, gain } = hits;
      for (let h = 0; h < hits.size; h++) own[levelOf[item[row[h]]]] += gain[h];
    }
  }
}
