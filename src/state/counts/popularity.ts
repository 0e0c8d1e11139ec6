import { markCounted } from '../ids/dictionaries.js';
import {
  countsRandomizedApart,
  isDivided,
  type PopularityRule,
  takesAll,
} from './popularity-rule.js';
import { DenseCounts, Tally } from './sparse-counts.js';

export interface PopularityOptions extends PopularityRule {
  readonly paneMs: number;
  /** Trailing horizon of popularity and posteriors, ms. */
  readonly horizonMs: number;
  /** Trailing period whose exposures a fit of γ is made from; its levels come from before it. */
  readonly gammaPeriodMs: number;
  readonly windowsMs: readonly number[];
}

/** The horizons that are counted over; those of equal length are one. */
export function horizonsOf({ horizonMs, gammaPeriodMs, windowsMs }: PopularityOptions): number[] {
  return [...new Set([horizonMs, gammaPeriodMs, ...windowsMs])];
}

/** Whether popularity over that length is the same as all interactions over the horizon. */
export function isOfInteractions(options: PopularityOptions, horizonMs: number): boolean {
  return takesAll(options) && horizonMs === options.horizonMs;
}

/** Distinct items that are known to exist. */
export interface Catalogue {
  readonly size: number;
  has(item: number): boolean;
}

/**
 * Item counts of all partitions: popularity n_i, interactions of any value (the posteriors' n_i),
 * and exposures N_i of each model, each over the horizons that something is computed from.
 *
 *   n_i = Σ_p n_i(p)
 *
 * Each partition p has a share (`PopularityShare`) that knows when its counts expire; this class
 * keeps the sums. So a partition can arrive with its history and advance by its own time.
 */
export class Popularity {
  readonly options: PopularityOptions;
  /** Scratch that all shares have in common. */
  readonly merger = new Tally();
  /** Any interaction of an item over the horizon. */
  readonly interactions = new DenseCounts();
  /** Those of them that came from randomised traffic. */
  readonly randomized = new DenseCounts();
  /** Positives from randomised traffic, over the horizon; counted only where popularity ignores them. */
  readonly randomizedPositives = new DenseCounts();
  /**
   * All interactions of the kind that counts, over the horizon, whatever led to them: what
   * concentration is measured on. The popularity itself where that leaves nothing out.
   */
  readonly undivided: DenseCounts;
  /** How often an item stood in a list that is not an exposure, over the horizon. */
  readonly listed = new DenseCounts();
  readonly #popularity = new Map<number, DenseCounts>();
  readonly #exposures: Map<number, DenseCounts>[] = [];

  constructor(options: PopularityOptions) {
    this.options = options;
    for (const horizonMs of this.horizons()) {
      const isSame = isOfInteractions(options, horizonMs);
      this.#popularity.set(horizonMs, isSame ? this.interactions : new DenseCounts());
    }
    if (options.of === 'all') {
      this.undivided = this.interactions;
    } else {
      this.undivided = isDivided(options) ? new DenseCounts() : this.popularity();
    }
  }

  /** Whether randomised traffic makes no item popular. */
  get ignoresRandomized(): boolean {
    return countsRandomizedApart(this.options);
  }

  /** Number of models that exposures were counted for; models are dense integers. */
  get models(): number {
    return this.#exposures.length;
  }

  /** n_i over the whole horizon, or over the trailing window, or the fit's period, of that length. */
  popularity(horizonMs = this.options.horizonMs): DenseCounts {
    return this.#popularity.get(horizonMs)!;
  }

  exposures(model: number, horizonMs = this.options.horizonMs): DenseCounts {
    while (this.#exposures.length <= model) {
      this.#exposures.push(
        new Map(this.horizons().map((length) => [length, new DenseCounts()] as const)),
      );
    }
    return this.#exposures[model].get(horizonMs)!;
  }

  /** The horizons that are counted over; those of equal length are one. */
  horizons(): number[] {
    return horizonsOf(this.options);
  }

  /**
   * The items that stood in an interaction or a list of a closed pane within the horizon. One that
   * no traffic has named for this long is no longer in the catalogue: so it does not depend on when
   * the process began. O(items · models).
   */
  catalogue(): Catalogue {
    const counts = [this.interactions, this.listed];
    for (let model = 0; model < this.models; model++) {
      counts.push(this.exposures(model));
    }
    const flags = new Uint8Array(Math.max(...counts.map(({ size }) => size)));
    for (const each of counts) {
      for (let item = 0; item < each.size; item++) {
        if (each.counts[item] > 0) {
          flags[item] = 1;
        }
      }
    }
    let size = 0;
    for (let item = 0; item < flags.length; item++) {
      size += flags[item];
    }
    return {
      size,
      has: (item) => flags[item] === 1,
    };
  }

  /** Whether the item is in the catalogue. */
  isInCatalogue(item: number): boolean {
    if (this.interactions.counts[item] > 0 || this.listed.counts[item] > 0) return true;
    for (let model = 0; model < this.models; model++) {
      if (this.exposures(model).counts[item] > 0) return true;
    }
    return false;
  }

  /** All counts but those of models, each once, in an order that follows from the options. */
  get ofAll(): readonly DenseCounts[] {
    const { interactions, randomized, randomizedPositives, undivided, listed } = this;
    const counts = [interactions, randomized, randomizedPositives, undivided, listed];
    return [...new Set([...counts, ...this.#popularity.values()])];
  }

  /** All counts of a model, by horizon. */
  ofModel(model: number): readonly DenseCounts[] {
    return this.horizons().map((horizonMs) => this.exposures(model, horizonMs));
  }

  /** Sets the flags of the items that have a count. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    for (const each of this.ofAll) {
      yield* markCounted(flags, each);
    }
    for (let model = 0; model < this.models; model++) {
      for (const each of this.ofModel(model)) {
        yield* markCounted(flags, each);
      }
    }
  }
}
