import { LIST_LENGTH_MASK } from '../../state/panes/window-part.js';
import type { ListMetric } from '../metrics/metric.js';
import type { Coefficients } from '../rules/coefficients.js';
import type { Selection } from './selection.js';

/**
 * Contribution of each item to the numerators of one metric of a lane, by estimator.
 *
 * N_i = Σ c_r λ_r over the hits r of item i, with c the coefficients of one aggregation. Every
 * estimator is linear in the gain, so Σ_i N_i is the numerator. Summed over users. O(items ·
 * estimators) memory.
 */
export class ItemSums {
  /** Index of the metric in the lane. */
  readonly metric: number;
  /** N_i by estimator, then by item. */
  readonly numerators: readonly Float64Array[];
  /** Number of rows with a gain, by item. */
  readonly hits: Float64Array;
  readonly #aggregation: 0 | 1;

  constructor(items: number, estimators: number, metric: number, aggregation: 0 | 1) {
    this.metric = metric;
    this.#aggregation = aggregation;
    this.numerators = Array.from({ length: estimators }, () => new Float64Array(items));
    this.hits = new Float64Array(items);
  }

  /** Add the hits of a chunk under the e-th estimator. */
  add(e: number, { row, gain, size }: Hits, { item }: Selection, of: Coefficients): void {
    const numerators = this.numerators[e];
    const weights = this.#aggregation === 0 ? of.user : of.pooled;
    for (let h = 0; h < size; h++) {
      const i = row[h];
      numerators[item[i]] += weights[i] * gain[h];
      if (e === 0) {
        this.hits[item[i]]++;
      }
    }
  }
}

/** Rows of a selection that a model ranks high enough for some metric, as columns. */
export class RankedRows {
  size = 0;
  /** Index of each row in the selection. */
  row = new Int32Array(0);
  /** Index of each row's user in the selection. */
  user = new Int32Array(0);
  /** 0-based rank of each row, below the limit. */
  rank = new Uint16Array(0);
  /** The users of these rows, each once, in ascending order. */
  users = new Int32Array(0);
  #users = new Int32Array(0);

  take(selection: Selection, ranks: Uint16Array, limit: number): void {
    this.#reserve(selection.rows);
    const { row, start, users } = selection;
    const { row: rows, user: segments, rank: found } = this;
    let size = 0;
    for (let u = 0; u < users; u++) {
      for (let i = start[u]; i < start[u + 1]; i++) {
        const rank = ranks[row[i]];
        // No branch, because which rows are ranked high enough cannot be predicted.
        rows[size] = i;
        segments[size] = u;
        found[size] = rank;
        size += (rank - limit) >>> 31;
      }
    }
    this.size = size;
    this.#findUsers();
  }

  /** Take the rows of `from` with a rank below a smaller limit. */
  narrow(from: RankedRows, limit: number): void {
    this.#reserve(from.size);
    const { row: rows, user: segments, rank: found } = this;
    let size = 0;
    for (let h = 0; h < from.size; h++) {
      const rank = from.rank[h];
      rows[size] = from.row[h];
      segments[size] = from.user[h];
      found[size] = rank;
      size += (rank - limit) >>> 31;
    }
    this.size = size;
    this.#findUsers();
  }

  #reserve(rows: number): void {
    if (rows <= this.row.length) return;
    this.row = new Int32Array(rows);
    this.user = new Int32Array(rows);
    this.rank = new Uint16Array(rows);
    this.#users = new Int32Array(rows);
  }

  #findUsers(): void {
    const { size, user } = this;
    let users = 0;
    let latest = -1;
    for (let h = 0; h < size; h++) {
      if (user[h] === latest) continue;
      latest = user[h];
      this.#users[users++] = latest;
    }
    this.users = this.#users.subarray(0, users);
  }
}

/** The selected rows that have a gain under a metric, as columns. */
export class Hits {
  /** Ranked rows that contain the hits, shared by all metrics with the same rank limit. */
  rows = new RankedRows();
  gain = new Float64Array(0);
  /** Smallest gain of the hits. */
  least = Number.POSITIVE_INFINITY;
  /** Largest gain of the hits. */
  most = 0;
  /** Σ a_i λ_i (user form) as left by the last `addTo`, or its slope as left by `addSlopes`. */
  userTotal = 0;
  /** The same total in the pooled form, with b_i. */
  pooledTotal = 0;
  /** Σ a_i λ_i² (user form), as left by the last `addWithSquares`. */
  userSquares = 0;
  /** Σ b_i λ_i² (pooled form), as left by the last `addWithSquares`. */
  pooledSquares = 0;

  get size(): number {
    return this.rows.size;
  }

  /** Index of each row in the selection. */
  get row(): Int32Array {
    return this.rows.row;
  }

  /** Index of each row's user in the selection. */
  get user(): Int32Array {
    return this.rows.user;
  }

  /**
   * Take the hits of a metric whose gain depends on the rank alone, from the rows whose rank is
   * within the metric's table.
   */
  takeByRank(ranked: RankedRows, table: Float64Array): void {
    this.#begin(ranked);
    const { gain } = this;
    const { rank, size } = ranked;
    for (let h = 0; h < size; h++) {
      gain[h] = table[rank[h]];
    }
    this.#findExtremes();
  }

  /**
   * Take the hits of a metric whose gain depends on the list's length too. `ranked` must contain
   * every row in a list.
   */
  takeByShare(
    ranked: RankedRows,
    selection: Selection,
    lists: Uint16Array,
    metric: ListMetric,
  ): void {
    this.#begin(ranked);
    const { row, rank, size } = ranked;
    for (let h = 0; h < size; h++) {
      this.gain[h] = metric.gain(rank[h], lists[selection.row[row[h]]] & LIST_LENGTH_MASK);
    }
    this.#findExtremes();
  }

  /**
   * Add a_i λ_i and b_i λ_i of each hit to its user's elements of the sums, which must be 0 before,
   * and store their totals in `userTotal` and `pooledTotal`.
   */
  addTo(userSums: Float64Array, pooledSums: Float64Array, coefficients: Coefficients): void {
    const { row, user, gain, size } = this;
    const { user: a, pooled: b } = coefficients;
    let userTotal = 0;
    let pooledTotal = 0;
    for (let h = 0; h < size; h++) {
      const i = row[h];
      const own = user[h];
      const userShare = a[i] * gain[h];
      const pooledShare = b[i] * gain[h];
      userSums[own] += userShare;
      pooledSums[own] += pooledShare;
      userTotal += userShare;
      pooledTotal += pooledShare;
    }
    this.userTotal = userTotal;
    this.pooledTotal = pooledTotal;
  }

  /** Like `addTo`, and stores Σ a_i λ_i² and Σ b_i λ_i² in `userSquares` and `pooledSquares`. */
  addWithSquares(
    userSums: Float64Array,
    pooledSums: Float64Array,
    coefficients: Coefficients,
  ): void {
    if (this.least === 1 && this.most === 1) {
      this.addTo(userSums, pooledSums, coefficients);
      this.userSquares = this.userTotal;
      this.pooledSquares = this.pooledTotal;
      return;
    }
    const { user: a, pooled: b } = coefficients;
    const { row, user, gain, size } = this;
    let userTotal = 0;
    let pooledTotal = 0;
    let userSquares = 0;
    let pooledSquares = 0;
    for (let h = 0; h < size; h++) {
      const i = row[h];
      const own = user[h];
      const squared = gain[h] * gain[h];
      const userShare = a[i] * gain[h];
      const pooledShare = b[i] * gain[h];
      userSums[own] += userShare;
      pooledSums[own] += pooledShare;
      userTotal += userShare;
      pooledTotal += pooledShare;
      userSquares += a[i] * squared;
      pooledSquares += b[i] * squared;
    }
    this.userTotal = userTotal;
    this.pooledTotal = pooledTotal;
    this.userSquares = userSquares;
    this.pooledSquares = pooledSquares;
  }

  /** Store Σ λ ∂a/∂γ and Σ λ ∂b/∂γ over the hits in `userTotal` and `pooledTotal`. */
  addSlopes({ userSlope, pooledSlope }: Coefficients): void {
    const { row, gain, size } = this;
    let userTotal = 0;
    let pooledTotal = 0;
    for (let h = 0; h < size; h++) {
      const i = row[h];
      userTotal += userSlope[i] * gain[h];
      pooledTotal += pooledSlope[i] * gain[h];
    }
    this.userTotal = userTotal;
    this.pooledTotal = pooledTotal;
  }

  #begin(ranked: RankedRows): void {
    this.rows = ranked;
    if (ranked.size > this.gain.length) {
      this.gain = new Float64Array(ranked.row.length);
    }
  }

  #findExtremes(): void {
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (let h = 0; h < this.size; h++) {
      const gain = this.gain[h];
      if (gain < least) {
        least = gain;
      }
      if (gain > most) {
        most = gain;
      }
    }
    this.least = least;
    this.most = most;
  }
}
