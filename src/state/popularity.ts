import type { PaneCounts } from './partition.js';
import { RollingCounts } from './rolling-counts.js';
import { type SparseCounts, Tally } from './sparse-counts.js';

export interface PopularityOptions {
  readonly paneMs: number;
  /** Trailing horizon of popularity and posteriors. */
  readonly horizonMs: number;
  /** Trailing period whose exposures a fit of γ is made from; its levels come from before it. */
  readonly gammaPeriodMs: number;
  readonly windowsMs: readonly number[];
  /** Which interactions make an item popular. */
  readonly of: 'positive' | 'all';
}

/**
 * Item counts of all partitions, as sums of their panes' counts: popularity n_i, interactions of
 * any value (the posteriors' n_i), and exposures N_i of each model, each over the horizons that
 * something is computed from. Counters of equal horizons are one.
 */
export class Popularity {
  readonly #options: PopularityOptions;
  readonly #merger = new Tally();
  readonly #interactions: RollingCounts;
  readonly #randomized: RollingCounts;
  readonly #popularity = new Map<number, RollingCounts>();
  readonly #exposures: Map<number, RollingCounts>[] = [];
  #inCatalogue = new Uint8Array(1024);
  #catalogueSize = 0;

  constructor(options: PopularityOptions) {
    this.#options = options;
    this.#interactions = this.#counter(options.horizonMs);
    this.#randomized = this.#counter(options.horizonMs);
    for (const horizonMs of this.#horizons()) {
      const same = options.of === 'all' && horizonMs === options.horizonMs;
      this.#popularity.set(horizonMs, same ? this.#interactions : this.#counter(horizonMs));
    }
  }

  /** Distinct items that stood in an interaction or a list, in closed panes. */
  get catalogueSize(): number {
    return this.#catalogueSize;
  }

  /** Number of models that exposures were counted for; models are dense integers. */
  get models(): number {
    return this.#exposures.length;
  }

  /** Adds one partition's counts of the interactions of a closed pane. */
  addInteractions(counts: PaneCounts, paneEnd: number): void {
    this.#interactions.add(counts.interactions, paneEnd);
    this.#randomized.add(counts.randomized, paneEnd);
    this.addCatalogue(counts);
    const popularity = this.#options.of === 'all' ? counts.interactions : counts.positives;
    for (const counter of this.#popularity.values()) {
      if (counter !== this.#interactions) counter.add(popularity, paneEnd);
    }
  }

  /** Adds one partition's counts of the lists of a closed pane. */
  addExposures(counts: PaneCounts, paneEnd: number): void {
    while (this.#exposures.length < counts.exposures.length) {
      this.#exposures.push(
        new Map(this.#horizons().map((horizonMs) => [horizonMs, this.#counter(horizonMs)])),
      );
    }
    this.addCatalogue(counts);
    counts.exposures.forEach((exposures, model) => {
      for (const counter of this.#exposures[model].values()) counter.add(exposures, paneEnd);
    });
  }

  /** Enters the items of a closed pane into the catalogue, without counting anything. */
  addCatalogue(counts: PaneCounts): void {
    this.#enlist(counts.interactions);
    this.#enlist(counts.listed);
    for (const exposures of counts.exposures) this.#enlist(exposures);
  }

  /** Moves every horizon on, once all partitions' counts of the pane are in. */
  advance(paneEnd: number): void {
    this.#interactions.advance(paneEnd);
    this.#randomized.advance(paneEnd);
    for (const counter of this.#popularity.values()) {
      if (counter !== this.#interactions) counter.advance(paneEnd);
    }
    for (const counters of this.#exposures) {
      for (const counter of counters.values()) counter.advance(paneEnd);
    }
  }

  /** Any interaction of an item over the horizon. */
  get interactions(): RollingCounts {
    return this.#interactions;
  }

  /** Those of them that came from randomised traffic. */
  get randomized(): RollingCounts {
    return this.#randomized;
  }

  /** Whether the item stood in an interaction or a list of a closed pane. */
  isInCatalogue(item: number): boolean {
    return this.#inCatalogue[item] === 1;
  }

  /** n_i over the whole horizon, or over the trailing window, or the fit's period, of that length. */
  popularity(horizonMs = this.#options.horizonMs): RollingCounts {
    return this.#popularity.get(horizonMs)!;
  }

  exposures(model: number, horizonMs = this.#options.horizonMs): RollingCounts {
    return this.#exposures[model].get(horizonMs)!;
  }

  #enlist(counts: SparseCounts): void {
    for (const id of counts.ids) {
      if (id >= this.#inCatalogue.length) {
        const larger = new Uint8Array(Math.max(id + 1, this.#inCatalogue.length * 2));
        larger.set(this.#inCatalogue);
        this.#inCatalogue = larger;
      }
      this.#catalogueSize += 1 - this.#inCatalogue[id];
      this.#inCatalogue[id] = 1;
    }
  }

  #horizons(): number[] {
    const { horizonMs, gammaPeriodMs, windowsMs } = this.#options;
    return [...new Set([horizonMs, gammaPeriodMs, ...windowsMs])];
  }

  #counter(horizonMs: number): RollingCounts {
    return new RollingCounts(horizonMs, this.#options.paneMs, this.#merger);
  }
}
