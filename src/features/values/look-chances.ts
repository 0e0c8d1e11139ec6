import { drawnRanks } from './arms/drawn-ranks.js';
import type { ServedLog } from './arms/served-log.js';
import type { ShareStrata } from './arms/share-strata.js';

/** Binary digits to which shares of requests are rounded, see `RowChances`. */
const DIGITS = 7;

/**
 * Probabilities of the ranks at which an item row could be shown.
 *
 * Examination depends only on their ratios. If each request has its own shares, they are taken
 * relative to the largest one and rounded to 2^−8 of their size; otherwise each click would be a
 * separate pattern.
 */
export class RowChances {
  /** Number of keys; Infinity if rows have none: randomised lists, own shares, or too many keys. */
  readonly keys: number;
  readonly #log: ServedLog;
  readonly #share: ArrayLike<number>;
  readonly #isByRequest: boolean;
  readonly #chances: Float64Array;
  readonly #stratum: ArrayLike<number>;
  /** By arm: the rank of each item row. */
  readonly #ranks: readonly ArrayLike<number>[];

  constructor(log: ServedLog, strata: ShareStrata, ranks: number) {
    this.#log = log;
    this.#share = strata.share;
    this.#isByRequest = strata.isByRequest;
    this.#stratum = log.requests.stratum;
    this.#ranks = log.arms.map(({ list }) => log.items.ranks[list]);
    this.#chances = new Float64Array(ranks);
    const { arms, shares } = log;
    const keys = shares.length * (ranks + 1) ** arms.length;
    const isDrawn = arms.some(({ isUniform }) => isUniform === true);
    const hasKeys = !isDrawn && !strata.isByRequest && keys <= Number.MAX_SAFE_INTEGER;
    this.keys = hasKeys ? keys : Number.POSITIVE_INFINITY;
  }

  /** Key of a row: rows of one stratum with equal ranks in all arms share a key. */
  keyOf(row: number, request: number): number {
    const { length } = this.#chances;
    const ranks = this.#ranks;
    let key = this.#stratum[request];
    for (let a = 0; a < ranks.length; a++) {
      const rank = ranks[a][row];
      key = key * (length + 1) + (rank < length ? rank : length);
    }
    return key;
  }

  /** Probabilities of rows with a key; the next call overwrites the result. */
  ofKey(key: number): Float64Array {
    const arms = this.#log.arms.length;
    const { length } = this.#chances;
    const chances = this.#chances.fill(0);
    let unit = (length + 1) ** arms;
    const first = Math.floor(key / unit) * arms;
    for (let a = 0; a < arms; a++) {
      unit /= length + 1;
      const rank = Math.floor(key / unit) % (length + 1);
      if (rank < length) {
        chances[rank] += this.#share[first + a];
      }
    }
    return chances;
  }

  /** Probabilities of any row; the next call overwrites the result. */
  of(row: number): Float64Array {
    const { requests, items, arms } = this.#log;
    const chances = this.#chances.fill(0);
    const q = items.request[row];
    const of = (this.#isByRequest ? q : requests.stratum[q]) * arms.length;
    for (let a = 0; a < arms.length; a++) {
      const share = this.#share[of + a];
      const rank = items.ranks[arms[a].list][row];
      if (arms[a].isUniform === true) {
        const { start, end } = drawnRanks(requests, q, chances.length);
        for (let k = start; k < end; k++) {
          chances[k] += share / requests.candidates![q];
        }
      } else if (rank < chances.length) {
        chances[rank] += share;
      }
    }
    if (this.#isByRequest) {
      roundRatios(chances);
    }
    return chances;
  }
}

/** Round to a number of binary digits, relative to the largest value. */
function roundRatios(chances: Float64Array): void {
  const largest = chances.reduce((most, each) => Math.max(most, each), 0);
  for (let k = 0; k < chances.length; k++) {
    if (chances[k] === 0) continue;
    const ratio = chances[k] / largest;
    const unit = 2 ** (Math.floor(Math.log2(ratio)) - DIGITS);
    chances[k] = unit * Math.round(ratio / unit);
  }
}
