import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';
import type { PaneCounts } from '../panes/pane-content.js';
import {
  horizonsOf,
  isOfInteractions,
  type Popularity,
  type PopularityOptions,
} from './popularity.js';
import { isDivided } from './popularity-rule.js';
import { RollingCounts, readBuckets, type StoredBuckets } from './rolling-counts.js';
import {
  type DenseCounts,
  type SparseCounts,
  SparseCountsTable,
  without,
} from './sparse-counts.js';

/**
 * One partition's share of the item counts: counts of each pane, in buckets, until they leave the
 * longest horizon.
 */
export class PopularityShare {
  readonly #whole: Popularity;
  readonly #interactions: RollingCounts;
  readonly #randomized: RollingCounts;
  /** Positives from randomised traffic; undefined if they are not counted separately. */
  readonly #randomizedPositives: RollingCounts | undefined;
  /**
   * Interactions of the counted kind, including those that the rule excludes. Undefined if another
   * counter has the same counts.
   */
  readonly #undivided: RollingCounts | undefined;
  /** Items in lists that are not exposures. These items belong to the catalogue too. */
  readonly #listed: RollingCounts;
  readonly #popularity: RollingCounts[] = [];
  /** Exposures by model, then by horizon. */
  readonly #exposures: RollingCounts[][] = [];

  constructor(whole: Popularity) {
    this.#whole = whole;
    this.#interactions = this.#counter(whole.options.horizonMs, whole.interactions);
    this.#randomized = this.#counter(whole.options.horizonMs, whole.randomized);
    if (whole.ignoresRandomized) {
      const { horizonMs } = whole.options;
      this.#randomizedPositives = this.#counter(horizonMs, whole.randomizedPositives);
    }
    if (whole.options.of !== 'all' && isDivided(whole.options)) {
      this.#undivided = this.#counter(whole.options.horizonMs, whole.undivided);
    }
    this.#listed = this.#counter(whole.options.horizonMs, whole.listed);
    for (const horizonMs of whole.horizons()) {
      if (isOfInteractions(whole.options, horizonMs)) continue;
      this.#popularity.push(this.#counter(horizonMs, whole.popularity(horizonMs)));
    }
  }

  /** Start of the oldest bucket of interactions, event time in ms; Infinity if there is none. */
  get since(): number {
    return this.#interactions.since;
  }

  addInteractions(counts: PaneCounts, paneEnd: number): void {
    this.#interactions.add(counts.interactions, paneEnd);
    this.#randomized.add(counts.randomized, paneEnd);
    this.#randomizedPositives?.add(counts.randomizedPositives, paneEnd);
    this.#undivided?.add(counts.positives, paneEnd);
    const popularity = this.#popular(counts);
    for (const counter of this.#popularity) {
      counter.add(popularity, paneEnd);
    }
  }

  addExposures(counts: PaneCounts, paneEnd: number): void {
    this.#listed.add(counts.listed, paneEnd);
    counts.exposures.forEach((exposures, model) => {
      for (const counter of this.#exposuresOf(model)) {
        counter.add(exposures, paneEnd);
      }
    });
  }

  /** Drop the exposures of models that are not tracked any more. */
  keepModels(models: { has(model: number): boolean }): void {
    for (const [model, counters] of this.#exposures.entries()) {
      if (!models.has(model)) {
        for (const counter of counters) {
          counter.clear();
        }
      }
    }
  }

  /** Add the items of a closed pane to the catalogue only. */
  addCatalogue(counts: PaneCounts, paneEnd: number): void {
    this.#listed.add(counts.interactions, paneEnd);
    this.#listed.add(counts.listed, paneEnd);
    for (const exposures of counts.exposures) {
      this.#listed.add(exposures, paneEnd);
    }
  }

  /** Advance every horizon, after the counts of the pane were added. */
  advance(paneEnd: number): void {
    for (const counter of this.#counters()) {
      counter.advance(paneEnd);
    }
  }

  /** Subtract all counts of this partition from the totals. */
  clear(): void {
    for (const counter of this.#counters()) {
      counter.clear();
    }
  }

  *write(to: BinaryWriter, { items, models }: Dictionaries): Generator<void, void> {
    const table = new SparseCountsTable();
    for (const counter of this.#counters()) {
      counter.collect(table);
    }
    yield* table.write(to, items);
    this.#interactions.writeBuckets(to, table);
    this.#randomized.writeBuckets(to, table);
    this.#listed.writeBuckets(to, table);
    this.#randomizedPositives?.writeBuckets(to, table);
    this.#undivided?.writeBuckets(to, table);
    for (const counter of this.#popularity) {
      counter.writeBuckets(to, table);
    }
    const counted = [...this.#exposures.entries()].filter(
      ([, counters]) => !counters.every(({ isEmpty }) => isEmpty),
    );
    to.column(Int32Array.from(counted, ([model]) => models.place(model)));
    for (const [, counters] of counted) {
      for (const counter of counters) {
        counter.writeBuckets(to, table);
      }
    }
  }

  /**
   * Read stored counts, before anything is added.
   *
   * @param written options at the time of writing. Their horizons may differ from the current ones;
   * their popularity rule must not.
   * @param paneEnd end of the partition's newest pane, event time in ms.
   */
  *read(
    from: BinaryReader,
    { items, models }: Places,
    written: PopularityOptions,
    paneEnd: number,
  ): Generator<void, void> {
    const table = yield* SparseCountsTable.read(from, items);
    const next = () => readBuckets(from, table);
    const interactions = next();
    this.#interactions.adopt(interactions, paneEnd);
    for (const counter of [this.#randomized, this.#listed]) {
      counter.adopt(next(), paneEnd);
    }
    this.#randomizedPositives?.adopt(next(), paneEnd);
    this.#undivided?.adopt(next(), paneEnd);
    yield;
    const popularity = new Map<number, StoredBuckets>();
    for (const horizonMs of horizonsOf(written)) {
      const isSame = isOfInteractions(written, horizonMs);
      popularity.set(horizonMs, isSame ? interactions : next());
    }
    const own = this.#whole.horizons().filter((ms) => !isOfInteractions(this.#whole.options, ms));
    for (const [n, horizonMs] of own.entries()) {
      this.#popularity[n].adopt(nearest(popularity, horizonMs), paneEnd);
      yield;
    }
    for (const place of from.int32()) {
      const exposures = new Map(horizonsOf(written).map((ms) => [ms, next()] as const));
      for (const [n, counter] of this.#exposuresOf(models.id(place)).entries()) {
        counter.adopt(nearest(exposures, this.#whole.horizons()[n]), paneEnd);
        yield;
      }
    }
  }

  /**
   * Counts of the interactions that count by the popularity rule. No interaction is in both
   * `leftOut` and the counts of randomised traffic that are subtracted here.
   */
  #popular(counts: PaneCounts): SparseCounts {
    const { of } = this.#whole.options;
    const all = without(of === 'all' ? counts.interactions : counts.positives, counts.leftOut);
    if (!this.#whole.ignoresRandomized) return all;
    return without(all, of === 'all' ? counts.randomized : counts.randomizedPositives);
  }

  *#counters(): Generator<RollingCounts, void> {
    yield this.#interactions;
    yield this.#randomized;
    if (this.#randomizedPositives !== undefined) {
      yield this.#randomizedPositives;
    }
    if (this.#undivided !== undefined) {
      yield this.#undivided;
    }
    yield this.#listed;
    yield* this.#popularity;
    for (const counters of this.#exposures) {
      yield* counters;
    }
  }

  #exposuresOf(model: number): readonly RollingCounts[] {
    while (this.#exposures.length <= model) {
      const next = this.#exposures.length;
      this.#exposures.push(
        this.#whole
          .horizons()
          .map((horizonMs) => this.#counter(horizonMs, this.#whole.exposures(next, horizonMs))),
      );
    }
    return this.#exposures[model];
  }

  #counter(horizonMs: number, total: DenseCounts): RollingCounts {
    const { options, merger } = this.#whole;
    return new RollingCounts(horizonMs, options.paneMs, merger, total);
  }
}

/**
 * Stored buckets of the shortest horizon that is at least `horizonMs`; if there is none, those of
 * the longest horizon.
 */
function nearest(written: ReadonlyMap<number, StoredBuckets>, horizonMs: number): StoredBuckets {
  const lengths = [...written.keys()].sort((a, b) => a - b);
  return written.get(lengths.find((length) => length >= horizonMs) ?? lengths.at(-1)!)!;
}
