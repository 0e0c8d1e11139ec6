/** Clicks grouped by the possible ranks of their item, the data from which examination is fitted. */
export class RankPatterns {
  readonly ranks: number;
  readonly clusters: number;
  /** chances[pattern][k]: p_k, the probability that the item is at rank k, up to a factor. */
  readonly chances: Float64Array[] = [];
  /** Clicks by pattern and rank: `[pattern][k]`. */
  readonly clicks: Float64Array[] = [];
  /** Clicks by (pattern · clusters + cluster) · ranks + k, sparse. */
  readonly clicksOf = new Map<number, number>();
  readonly #places = new Map<string, number>();

  /** @param ranks number of examined ranks. @param clusters number of users, or hash groups of users. */
  constructor(ranks: number, clusters: number) {
    this.ranks = ranks;
    this.clusters = clusters;
  }

  /**
   * Count clicks at a rank on items with these probabilities. Clicks at a rank with probability 0
   * are ignored.
   *
   * @returns index of the pattern; undefined if nothing was counted.
   */
  add(chances: ArrayLike<number>, rank: number, cluster: number, count = 1): number | undefined {
    if (!(chances[rank] > 0)) return undefined;
    const pattern = this.#patternOf(chances);
    this.count(pattern, rank, cluster, count);
    return pattern;
  }

  /** Count clicks of a pattern by its index. */
  count(pattern: number, rank: number, cluster: number, count: number): void {
    this.clicks[pattern][rank] += count;
    const key = (pattern * this.clusters + cluster) * this.ranks + rank;
    this.clicksOf.set(key, (this.clicksOf.get(key) ?? 0) + count);
  }

  #patternOf(chances: ArrayLike<number>): number {
    const key = Array.from(chances).join(' ');
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.chances.length);
    this.chances.push(Float64Array.from(chances));
    return this.clicks.push(new Float64Array(this.ranks)) - 1;
  }
}
