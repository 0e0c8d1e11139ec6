/** Clicks by the possible ranks of their item, to which examination is fitted. */
export class RankPatterns {
  readonly ranks: number;
  readonly clusters: number;
  /** chances[pattern][k]: p_k, the chance that the item stands at rank k, up to a factor. */
  readonly chances: Float64Array[] = [];
  /** By pattern and rank: clicks, `[pattern][k]`. */
  readonly clicks: Float64Array[] = [];
  /** Sparse: by (pattern · clusters + cluster) · ranks + k. */
  readonly clicksOf = new Map<number, number>();
  readonly #places = new Map<string, number>();

  /** @param ranks that are looked at. @param clusters users, or hash groups of users. */
  constructor(ranks: number, clusters: number) {
    this.ranks = ranks;
    this.clusters = clusters;
  }

  /**
   * Counts clicks at a rank on items with these chances; not of what may have been declared never to be
   * shown there: that says nothing.
   *
   * @returns number of the pattern; undefined if nothing was counted.
   */
  add(chances: ArrayLike<number>, rank: number, cluster: number, count = 1): number | undefined {
    if (!(chances[rank] > 0)) return undefined;
    const pattern = this.#patternOf(chances);
    this.count(pattern, rank, cluster, count);
    return pattern;
  }

  /** The same of a pattern by its number. */
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
