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
 * One partition's share of the item counts: what each of its panes added, by bucket, until it
 * leaves the longest horizon. Panes arrive as `PaneCounts`.
 */
export class PopularityShare {
  readonly #whole: Popularity;
  readonly #interactions: RollingCounts;
  readonly #randomized: RollingCounts;
  /** Undefined where they are not counted apart. */
  readonly #randomizedPositives: RollingCounts | undefined;
  /** Undefined where another count is the same. */
  readonly #undivided: RollingCounts | undefined;
  /** Items of the lists that are not exposures: they are in the catalogue too. */
  readonly #listed: RollingCounts;
  readonly #popularity: RollingCounts[] = [];
  /** By model, one for each horizon. */
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

  /** Event time, ms, where its interactions begin, to a bucket; Infinity if it holds none. */
  get since(): number {
    return this.#interactions.since;
  }

  /** Adds the counts of the interactions of a closed pane. */
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

  /** Adds the counts of the lists of a closed pane. */
  addExposures(counts: PaneCounts, paneEnd: number): void {
    this.#listed.add(counts.listed, paneEnd);
    counts.exposures.forEach((exposures, model) => {
      for (const counter of this.#exposuresOf(model)) {
        counter.add(exposures, paneEnd);
      }
    });
  }

  /** Drops the exposures of models that have no place any more. */
  keepModels(models: { has(model: number): boolean }): void {
    for (const [model, counters] of this.#exposures.entries()) {
      if (!models.has(model)) {
        for (const counter of counters) {
          counter.clear();
        }
      }
    }
  }

  /** Enters the items of a closed pane into the catalogue, and into no count that is used. */
  addCatalogue(counts: PaneCounts, paneEnd: number): void {
    this.#listed.add(counts.interactions, paneEnd);
    this.#listed.add(counts.listed, paneEnd);
    for (const exposures of counts.exposures) {
      this.#listed.add(exposures, paneEnd);
    }
  }

  /** Moves every horizon on, once the counts of the pane are in. */
  advance(paneEnd: number): void {
    for (const counter of this.#counters()) {
      counter.advance(paneEnd);
    }
  }

  /** Takes all that it holds out of the counts. */
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
   * Takes back what was written; to be called before anything is added.
   *
   * @param written how it was counted; horizons may be others, and what makes items popular may not.
   * @param paneEnd of the newest pane that is in it.
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

  /** Randomised interactions and those that are left out have none in common. */
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

/** What holds all of a horizon, and no more than it has to; else what holds the most of it. */
function nearest(written: ReadonlyMap<number, StoredBuckets>, horizonMs: number): StoredBuckets {
  const lengths = [...written.keys()].sort((a, b) => a - b);
  return written.get(lengths.find((length) => length >= horizonMs) ?? lengths.at(-1)!)!;
}
