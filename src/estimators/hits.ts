import { aucGain } from '../gains/auc.js';
import { LIST_LENGTH_MASK, NOT_IN_LIST, UNRANKED } from '../state/window-part.js';
import type { Selection } from './selection.js';

/** The rows of a selection that a metric gives a gain, as columns. */
export class Hits {
  size = 0;
  /** Row and user of the selection. */
  row = new Int32Array(0);
  user = new Int32Array(0);
  gain = new Float64Array(0);
  /** Extremes of the gain over the hits. */
  least = Number.POSITIVE_INFINITY;
  most = 0;

  reserve(rows: number): void {
    if (rows <= this.row.length) return;
    this.row = new Int32Array(rows);
    this.user = new Int32Array(rows);
    this.gain = new Float64Array(rows);
  }

  /** Gains that depend on the rank alone. */
  takeByRank(selection: Selection, ranks: Uint16Array, table: Float64Array): void {
    this.reserve(selection.rows);
    const { row, start } = selection;
    const limit = table.length;
    let size = 0;
    for (let u = 0; u < selection.users; u++) {
      for (let i = start[u]; i < start[u + 1]; i++) {
        const rank = ranks[row[i]];
        if (rank >= limit) continue;
        this.row[size] = i;
        this.user[size] = u;
        this.gain[size++] = table[rank];
      }
    }
    this.size = size;
    this.findExtremes();
  }

  /** Gains of auc, which depend on the list's length too. */
  takeByShare(selection: Selection, ranks: Uint16Array, lists: Uint16Array): void {
    this.reserve(selection.rows);
    const { row, start } = selection;
    let size = 0;
    for (let u = 0; u < selection.users; u++) {
      for (let i = start[u]; i < start[u + 1]; i++) {
        const rank = ranks[row[i]];
        if (rank === NOT_IN_LIST || rank === UNRANKED) continue;
        this.row[size] = i;
        this.user[size] = u;
        this.gain[size++] = aucGain(rank, lists[row[i]] & LIST_LENGTH_MASK);
      }
    }
    this.size = size;
    this.findExtremes();
  }

  /** Adds coefficient · gain of each hit to its user's element of `sums`; answers their total. */
  addTo(sums: Float64Array, coefficient: Float64Array): number {
    const { row, user, gain, size } = this;
    let total = 0;
    for (let h = 0; h < size; h++) {
      const share = coefficient[row[h]] * gain[h];
      sums[user[h]] += share;
      total += share;
    }
    return total;
  }

  /** Σ coefficient · gain over the hits. */
  total(coefficient: Float64Array): number {
    const { row, gain, size } = this;
    let total = 0;
    for (let h = 0; h < size; h++) total += coefficient[row[h]] * gain[h];
    return total;
  }

  private findExtremes(): void {
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (let h = 0; h < this.size; h++) {
      const gain = this.gain[h];
      if (gain < least) least = gain;
      if (gain > most) most = gain;
    }
    this.least = least;
    this.most = most;
  }
}
