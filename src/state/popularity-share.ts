import type { BinaryReader } from './binary-reader.js';
import type { BinaryWriter } from './binary-writer.js';
import type { Dictionaries, Places } from './dictionaries.js';
import type { PaneCounts } from './pane-content.js';
import type { Popularity } from './popularity.js';
import { RollingCounts } from './rolling-counts.js';
import type { DenseCounts, SparseCounts } from './sparse-counts.js';
import { SparseCountsTable } from './sparse-counts-table.js';

/**
 * One partition's part of the item counts: what each of its panes added, by bucket, for as long as
 * a horizon holds it. All that a pane adds comes in as `PaneCounts`, whoever counted it.
 */
export class PopularityShare {
  readonly #whole: Popularity;
  readonly #interactions: RollingCounts;
  readonly #randomized: RollingCounts;
  readonly #popularity: RollingCounts[] = [];
  /** By model, one for each horizon. */
  readonly #exposures: RollingCounts[][] = [];
  /** Items of this partition's closed panes. */
  #catalogue = new Uint8Array(1024);

  constructor(whole: Popularity) {
    this.#whole = whole;
    this.#interactions = this.#counter(whole.options.horizonMs, whole.interactions);
    this.#randomized = this.#counter(whole.options.horizonMs, whole.randomized);
    for (const horizonMs of whole.horizons()) {
      const total = whole.popularity(horizonMs);
      if (total !== whole.interactions) this.#popularity.push(this.#counter(horizonMs, total));
    }
  }

  /** Adds the counts of the interactions of a closed pane. */
  addInteractions(counts: PaneCounts, paneEnd: number): void {
    this.#interactions.add(counts.interactions, paneEnd);
    this.#randomized.add(counts.randomized, paneEnd);
    this.addCatalogue(counts);
    const { of } = this.#whole.options;
    const popularity = of === 'all' ? counts.interactions : counts.positives;
    for (const counter of this.#popularity) counter.add(popularity, paneEnd);
  }

  /** Adds the counts of the lists of a closed pane. */
  addExposures(counts: PaneCounts, paneEnd: number): void {
    this.addCatalogue(counts);
    counts.exposures.forEach((exposures, model) => {
      for (const counter of this.#exposuresOf(model)) counter.add(exposures, paneEnd);
    });
  }

  /** Enters the items of a closed pane into the catalogue, without counting anything. */
  addCatalogue(counts: PaneCounts): void {
    this.#enlist(counts.interactions);
    this.#enlist(counts.listed);
    for (const exposures of counts.exposures) this.#enlist(exposures);
  }

  /** Moves every horizon on, once the counts of the pane are in. */
  advance(paneEnd: number): void {
    for (const counter of this.#counters()) counter.advance(paneEnd);
  }

  *write(to: BinaryWriter, { items, models }: Dictionaries): Generator<void, void> {
    const table = new SparseCountsTable();
    for (const counter of this.#counters()) counter.collect(table);
    yield* table.write(to, items);
    yield* items.write(to, this.#catalogueIds());
    this.#interactions.writeBuckets(to, table);
    this.#randomized.writeBuckets(to, table);
    for (const counter of this.#popularity) counter.writeBuckets(to, table);
    const counted = [...this.#exposures.keys()];
    to.column(Int32Array.from(counted, (model) => models.place(model)));
    for (const counters of this.#exposures) {
      for (const counter of counters) counter.writeBuckets(to, table);
    }
  }

  /** Takes back what was written; to be called before anything is added. */
  *read(from: BinaryReader, { items, models }: Places): Generator<void, void> {
    const table = yield* SparseCountsTable.read(from, items);
    this.#enlist({ ids: items.column(from) });
    this.#interactions.readBuckets(from, table);
    yield;
    this.#randomized.readBuckets(from, table);
    yield;
    for (const counter of this.#popularity) {
      counter.readBuckets(from, table);
      yield;
    }
    for (const place of from.int32()) {
      for (const counter of this.#exposuresOf(models.id(place))) {
        counter.readBuckets(from, table);
        yield;
      }
    }
  }

  *#counters(): Generator<RollingCounts, void> {
    yield this.#interactions;
    yield this.#randomized;
    yield* this.#popularity;
    for (const counters of this.#exposures) yield* counters;
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

  #enlist(counts: Pick<SparseCounts, 'ids'>): void {
    const { ids } = counts;
    for (let j = 0; j < ids.length; j++) {
      if (ids[j] >= this.#catalogue.length) this.#widen(ids[j]);
      this.#catalogue[ids[j]] = 1;
    }
    this.#whole.enlist(counts);
  }

  #widen(id: number): void {
    const larger = new Uint8Array(Math.max(id + 1, this.#catalogue.length * 2));
    larger.set(this.#catalogue);
    this.#catalogue = larger;
  }

  #catalogueIds(): Int32Array {
    const ids = new Int32Array(this.#catalogue.length);
    let size = 0;
    for (let id = 0; id < ids.length; id++) if (this.#catalogue[id] === 1) ids[size++] = id;
    return ids.subarray(0, size);
  }
}
