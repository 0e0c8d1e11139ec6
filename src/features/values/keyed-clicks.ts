import type { RowChances } from './look-chances.js';
import type { RankPatterns } from './rank-patterns.js';

/** Largest size of the table of counts by key, cluster and rank: 16 MiB. */
const MOST_CELLS = 2 ** 22;

/**
 * Collects clicks by the key of their row before they are added to `RankPatterns`. Rows with the
 * same key have the same probabilities, which are looked up once per key instead of once per click.
 */
export class KeyedClicks {
  readonly #chances: RowChances;
  readonly #patterns: RankPatterns;
  readonly #counts: Int32Array;
  /** Pattern of each key that has been counted. */
  readonly #known = new Map<number, number>();

  constructor(chances: RowChances, patterns: RankPatterns) {
    this.#chances = chances;
    this.#patterns = patterns;
    const cells = chances.keys * patterns.clusters * patterns.ranks;
    this.#counts = new Int32Array(cells <= MOST_CELLS ? cells : 0);
  }

  add(key: number, rank: number, cluster: number): void {
    const { clusters, ranks } = this.#patterns;
    if (this.#counts.length > 0) {
      this.#counts[(key * clusters + cluster) * ranks + rank]++;
    } else {
      this.#count(key, rank, cluster, 1);
    }
  }

  /** Move all collected clicks to the patterns. */
  drain(): void {
    const { clusters, ranks } = this.#patterns;
    for (let cell = 0; cell < this.#counts.length; cell++) {
      if (this.#counts[cell] === 0) continue;
      const keyAndCluster = Math.floor(cell / ranks);
      const key = Math.floor(keyAndCluster / clusters);
      this.#count(key, cell % ranks, keyAndCluster % clusters, this.#counts[cell]);
    }
  }

  #count(key: number, rank: number, cluster: number, clicks: number): void {
    const known = this.#known.get(key);
    if (known === undefined) {
      const pattern = this.#patterns.add(this.#chances.ofKey(key), rank, cluster, clicks);
      if (pattern !== undefined) {
        this.#known.set(key, pattern);
      }
    } else if (this.#patterns.chances[known][rank] > 0) {
      this.#patterns.count(known, rank, cluster, clicks);
    }
  }
}
