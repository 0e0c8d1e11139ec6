import { DamagedNumbers } from '../../errors.js';
import type { PartitionSums } from '../../estimators/partitions/rounds.js';
import { NumberReader, NumberWriter } from '../../state/binary/numbers.js';

const SHAPE = 0x7061_7474;
const MOST_BYTES = 1 << 28;

/**
 * Clicks by the ranks at which chance might have put their item: what examination is fitted to.
 * Adds up over disjoint clicks.
 */
export class RankPatterns implements PartitionSums<RankPatterns> {
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

  encode(): Uint8Array {
    const to = new NumberWriter();
    to.number(this.chances.length);
    for (const chances of this.chances) to.numbers(chances);
    to.number(this.clicksOf.size);
    for (const pair of this.clicksOf) for (const number of pair) to.number(number);
    return to.seal(SHAPE + this.ranks);
  }

  decode(bytes: Uint8Array): RankPatterns {
    const { ranks, clusters } = this;
    const patterns = this.ofOthers();
    const from = new NumberReader(bytes, SHAPE + ranks, MOST_BYTES);
    for (let left = from.number(0); left > 0; left--) {
      const chances = new Float64Array(ranks);
      from.numbers(chances);
      patterns.#patternOf(chances);
    }
    for (let left = from.number(0); left > 0; left--) {
      const [key, count] = [from.number(0), from.number(0)];
      const cell = Math.floor(key / ranks);
      const pattern = Math.floor(cell / clusters);
      if (!(pattern < patterns.chances.length)) throw new DamagedNumbers('clicks of no pattern');
      patterns.count(pattern, key % ranks, cell % clusters, count);
    }
    from.finish();
    return patterns;
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
