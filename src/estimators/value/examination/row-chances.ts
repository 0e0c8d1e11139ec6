import { drawnRanks } from '../arms/drawn-ranks.js';
import type { ServedLog } from '../arms/served-log.js';
import type { ShareStrata } from '../arms/share-strata.js';

/** The chance of each rank that a row of the items may be shown at. */
export class RowChances {
  /** How many keys there are; Infinity where rows have none: lists drawn at random, or too many. */
  readonly keys: number;
  readonly #log: ServedLog;
  readonly #share: Float64Array;
  readonly #chances: Float64Array;
  readonly #stratum: ArrayLike<number>;
  /** By arm. */
  readonly #ranks: readonly ArrayLike<number>[];

  constructor(log: ServedLog, strata: ShareStrata, ranks: number) {
    this.#log = log;
    this.#share = strata.share;
    this.#stratum = log.requests.stratum;
    this.#ranks = log.arms.map(({ list }) => log.items.ranks[list]);
    this.#chances = new Float64Array(ranks);
    const { arms, shares } = log;
    const keys = shares.length * (ranks + 1) ** arms.length;
    const isDrawn = arms.some(({ isUniform }) => isUniform === true);
    this.keys = isDrawn || keys > Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : keys;
  }

  /** The same for rows of one stratum that stand at the same ranks of all arms. */
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

  /** Of rows with a key; written over by the next. */
  ofKey(key: number): Float64Array {
    const arms = this.#log.arms.length;
    const { length } = this.#chances;
    const chances = this.#chances.fill(0);
    let unit = (length + 1) ** arms;
    const first = Math.floor(key / unit) * arms;
    for (let a = 0; a < arms; a++) {
      unit /= length + 1;
      const rank = Math.floor(key / unit) % (length + 1);
      if (rank < length) chances[rank] += this.#share[first + a];
    }
    return chances;
  }

  /** Of any row; written over by the next. */
  of(row: number): Float64Array {
    const { requests, items, arms } = this.#log;
    const chances = this.#chances.fill(0);
    const q = items.request[row];
    for (let a = 0; a < arms.length; a++) {
      const share = this.#share[requests.stratum[q] * arms.length + a];
      const rank = items.ranks[arms[a].list][row];
      if (arms[a].isUniform === true) {
        const { start, end } = drawnRanks(requests, q, chances.length);
        for (let k = start; k < end; k++) chances[k] += share / requests.candidates![q];
      } else if (rank < chances.length) chances[rank] += share;
    }
    return chances;
  }
}
