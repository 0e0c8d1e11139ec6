import type { ListMetric, SetMetric } from '../metrics/metric.js';
import type { Metric } from '../metrics/registry.js';
import type { Hits } from './hits.js';
import type { Selection } from './selection.js';

/** Columns of one user's relevant rows in the first K positions. */
class OwnHits {
  size = 0;
  rank = new Int32Array(16);
  chance = new Float64Array(16);

  add(rank: number, chance: number): void {
    if (this.size === this.rank.length) {
      this.rank = grown(this.rank, new Int32Array(2 * this.size));
      this.chance = grown(this.chance, new Float64Array(2 * this.size));
    }
    this.rank[this.size] = rank;
    this.chance[this.size++] = chance;
  }
}

/**
 * Expected value of a set metric over the test sets that can be drawn, computed without drawing
 * one.
 *
 * Rows are in the sample independently with probabilities π. With S the user's sampled rows and
 * c(m) the metric's divisor, E = Σ_i π_i s_i E[1 / c(1 + X_i)], where s_i is the contribution of a
 * hit and X_i the number of other rows in S. For map@K, where a hit's contribution depends on the
 * hits above it, Σ_i π_i / (z_i + 1) · (E[1 / c(1 + X_i)] + Σ_{j: z_j < z_i} π_j E[1 / c(2 +
 * X_ij)]).
 * X is Poisson-binomial and is computed up to K, beyond which c is constant. With π = 1 the result
 * is the metric of the rows themselves.
 * Source: own; precision, ndcg with binary gains and average precision as in trec_eval, the latter
 * over min(K, n).
 *
 * Each row has its rank in the list of its own time. A user with several lists in a window can have
 * more hits than a list has positions; the value is then capped at 1.
 * O(rows · K + hits² · K) per user, for map hits³ · K.
 */
export class ExpectedSet {
  /** Bounds of the metric's values. */
  readonly bounds: SetMetric['bounds'];
  /**
   * Contribution of a hit by its 0-based rank; null if the contribution is the precision at that
   * rank.
   */
  readonly #share: ((rank: number) => number) | null;
  /** 1 / c(n) by number of rows n, up to K, with c the metric's divisor; 0 for n = 0. */
  readonly #norm: Float64Array;
  readonly #k: number;
  #others = new Float64Array(0);
  #work = new Float64Array(0);
  #workOfTwo = new Float64Array(0);
  readonly #hits = new OwnHits();

  /** @param k K ≥ 1. */
  constructor(metric: SetMetric, k: number) {
    this.#share = metric.share === 'precision' ? null : metric.share;
    this.bounds = metric.bounds;
    this.#k = k;
    const norm = metric.norm(k);
    this.#norm = Float64Array.from({ length: k + 1 }, (_, n) => (n === 0 ? 0 : norm(n)));
  }

  /**
   * Write to `sums` each user's expected value times the probability that the sample has a row of
   * the user.
   *
   * @param hits rows in the first K positions, with gains 1 + rank, in the order of the users.
   * @param chances π by row of the selection; null if all rows are in. @param present by user: the
   * probability that the sample has a row of the user; the written value is at most this. @returns
   * the sum over users.
   */
  addTo(
    sums: Float64Array,
    { start }: Selection,
    hits: Hits,
    chances: Float64Array | null,
    present: Float64Array,
  ): number {
    let total = 0;
    for (let h = 0; h < hits.size; ) {
      const user = hits.user[h];
      const from = start[user];
      const to = start[user + 1];
      let next = h;
      while (next < hits.size && hits.user[next] === user) {
        next++;
      }
      const value =
        chances === null
          ? this.#complete(hits, h, next, to - from)
          : this.#expected(hits, h, next, from, to, chances);
      sums[user] = Math.min(value, present[user]);
      total += sums[user];
      h = next;
    }
    return total;
  }

  /** Value of the metric for one user if all rows of the user are in the set. */
  #complete({ gain }: Hits, first: number, end: number, rows: number): number {
    const share = this.#share;
    let sum = 0;
    for (let h = first; h < end; h++) {
      if (share !== null) {
        sum += share(gain[h] - 1);
        continue;
      }
      let above = 0;
      for (let j = first; j < end; j++) {
        if (gain[j] < gain[h]) {
          above++;
        }
      }
      sum += (1 + above) / gain[h];
    }
    return sum * this.#norm[Math.min(rows, this.#k)];
  }

  #expected(
    { row, gain }: Hits,
    first: number,
    end: number,
    from: number,
    to: number,
    chances: Float64Array,
  ): number {
    const cap = Math.min(this.#k, to - from);
    this.#reserve(cap + 1);
    const own = this.#hits;
    own.size = 0;
    const others = this.#others.fill(0, 0, cap + 1);
    others[0] = 1;
    for (let i = from, h = first; i < to; i++) {
      if (h < end && row[h] === i) {
        own.add(gain[h++] - 1, chances[i]);
      } else {
        include(others, cap, chances[i]);
      }
    }
    return this.#share === null ? this.#averagePrecision(cap) : this.#additive(cap, this.#share);
  }

  #additive(cap: number, share: (rank: number) => number): number {
    const { size, rank, chance } = this.#hits;
    let sum = 0;
    for (let i = 0; i < size; i++) {
      if (chance[i] === 0) continue;
      const norm = this.#meanNorm(this.#without(i, -1, cap, this.#work), cap, 1);
      sum += chance[i] * share(rank[i]) * norm;
    }
    return sum;
  }

  #averagePrecision(cap: number): number {
    const { size, rank, chance } = this.#hits;
    let sum = 0;
    for (let i = 0; i < size; i++) {
      if (chance[i] === 0) continue;
      let own = this.#meanNorm(this.#without(i, -1, cap, this.#work), cap, 1);
      for (let j = 0; j < size; j++) {
        if (rank[j] >= rank[i] || chance[j] === 0) continue;
        own += chance[j] * this.#meanNorm(this.#without(i, j, cap, this.#workOfTwo), cap, 2);
      }
      sum += (chance[i] / (rank[i] + 1)) * own;
    }
    return sum;
  }

  /** Distribution of the number of rows drawn other than hits i and j, up to `cap`. */
  #without(i: number, j: number, cap: number, into: Float64Array): Float64Array {
    const { size, chance } = this.#hits;
    for (let m = 0; m <= cap; m++) {
      into[m] = this.#others[m];
    }
    for (let h = 0; h < size; h++) {
      if (h !== i && h !== j) {
        include(into, cap, chance[h]);
      }
    }
    return into;
  }

  /** E[1 / c(certain + X)], with c the metric's divisor and X distributed as given. */
  #meanNorm(distribution: Float64Array, cap: number, certain: number): number {
    let mean = 0;
    for (let m = 0; m <= cap; m++) {
      mean += distribution[m] * this.#norm[Math.min(this.#k, m + certain)];
    }
    return mean;
  }

  #reserve(size: number): void {
    if (size <= this.#others.length) return;
    this.#others = new Float64Array(size);
    this.#work = new Float64Array(size);
    this.#workOfTwo = new Float64Array(size);
  }
}

/**
 * Add a Bernoulli trial with probability `chance` to the distribution of a count; counts of `cap`
 * and above are merged.
 */
function include(distribution: Float64Array, cap: number, chance: number): void {
  distribution[cap] += distribution[cap - 1] * chance;
  for (let m = cap - 1; m > 0; m--) {
    distribution[m] += (distribution[m - 1] - distribution[m]) * chance;
  }
  distribution[0] *= 1 - chance;
}

function grown<Column extends Int32Array | Float64Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}

/** One metric at one cut-off, with the range of its gains so far. */
export interface MeasuredHits {
  readonly metric: Metric;
  readonly k: number | null;
  /**
   * Gain by 0-based rank; for a set metric 1 + rank, up to the cut-off; null if the gain depends on
   * the list's length too.
   */
  readonly table: Float64Array | null;
  /** Gain by rank and length of the list, if it depends on both; otherwise null. */
  readonly ofList: ListMetric | null;
  /** Evaluator of a user's whole set of rows; null if the metric is a mean of gains. */
  readonly set: ExpectedSet | null;
  /** Rows with a gain in the latest chunk. */
  readonly hits: Hits;
  least: number;
  most: number;
}
