import { DamagedNumbers } from '../../errors.js';
import { NumberedSums } from '../../estimators/partitions/rounds.js';
import type { NumberCodec } from '../../state/binary/numbers.js';

const SHAPE = 0x7061_7474;

/**
 * Clicks by the ranks at which chance might have put their item: what examination is fitted to.
 * Adds up over disjoint clicks.
 */
export class RankPatterns extends NumberedSums<RankPatterns> {
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
    super(SHAPE + ranks);
    this.ranks = ranks;
    this.clusters = clusters;
  }

  /** Counts clicks at a rank on items with these chances; one that could stand nowhere else, too. */
  add(chances: ArrayLike<number>, rank: number, cluster: number, count = 1): void {
    this.count(this.#patternOf(chances), rank, cluster, count);
  }

  /**
   * The same of what may have been declared never to be shown there: that says nothing.
   *
   * @returns number of the pattern; undefined if nothing was counted.
   */
  addPossible(
    chances: ArrayLike<number>,
    rank: number,
    cluster: number,
    count = 1,
  ): number | undefined {
    if (!(chances[rank] > 0)) return undefined;
    const pattern = this.#patternOf(chances);
    this.count(pattern, rank, cluster, count);
    return pattern;
  }

  ofOthers(): RankPatterns {
    return new RankPatterns(this.ranks, this.clusters);
  }

  /** Adds what was counted of other clicks, with as many ranks and clusters. */
  merge(other: RankPatterns): void {
    const { ranks, clusters } = this;
    const places = other.chances.map((chances) => this.#patternOf(chances));
    for (const [key, count] of other.clicksOf) {
      const cell = Math.floor(key / ranks);
      this.count(places[Math.floor(cell / clusters)], key % ranks, cell % clusters, count);
    }
  }

  pass(through: NumberCodec): void {
    const { ranks, clusters, chances } = this;
    const patterns = through.number(chances.length);
    for (let p = 0; p < patterns; p++) {
      const own = chances[p] ?? new Float64Array(ranks);
      through.numbers(own);
      this.#patternOf(own);
    }
    const counted = [...this.clicksOf];
    const size = through.number(counted.length);
    for (let n = 0; n < size; n++) {
      const [key, count] = (counted[n] ?? [0, 0]).map((number) => through.number(number));
      if (!through.reads) continue;
      const cell = Math.floor(key / ranks);
      const pattern = Math.floor(cell / clusters);
      if (!(pattern < patterns)) throw new DamagedNumbers('clicks of no pattern');
      this.count(pattern, key % ranks, cell % clusters, count);
    }
  }

  /** The same of a pattern by its number. */
  count(pattern: number, rank: number, cluster: number, count = 1): void {
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
