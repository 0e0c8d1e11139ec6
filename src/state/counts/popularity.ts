import { markCounted } from '../ids/dictionaries.js';
import {
  countsRandomizedApart,
  isDivided,
  type PopularityRule,
  takesAll,
} from './popularity-rule.js';
import { DenseCounts, Tally } from './sparse-counts.js';

/** Which interactions count towards popularity, and over which horizons. */
export interface PopularityOptions extends PopularityRule {
  readonly paneMs: number;
  /** Trailing horizon of popularity and of counts for interventions, ms. */
  readonly horizonMs: number;
  /**
   * Length of the trailing period whose exposures the fit of γ uses, ms. The item counts with which
   * the fit compares them are from before this period.
   */
  readonly gammaPeriodMs: number;
  readonly windowsMs: readonly number[];
}

/** The distinct horizons of the counts. */
export function horizonsOf({ horizonMs, gammaPeriodMs, windowsMs }: PopularityOptions): number[] {
  return [...new Set([horizonMs, gammaPeriodMs, ...windowsMs])];
}

/** Whether popularity over this horizon equals the count of all interactions over it. */
export function isOfInteractions(options: PopularityOptions, horizonMs: number): boolean {
  return takesAll(options) && horizonMs === options.horizonMs;
}

/** Distinct known items. */
export interface Catalogue {
  readonly size: number;
  has(item: number): boolean;
}

/**
 * Item counts of all partitions: popularity n_i and exposures N_i of each model, both over each
 * horizon in use; and interactions of any value over `horizonMs` (n_i of interventions).
 *
 *   n_i = Σ_p n_i(p)
 *
 * Each partition p has a share (`PopularityShare`), which expires the partition's counts; this
 * class keeps the sums. So a partition can be added with its history and advance by its own time.
 */
export class Popularity {
  readonly options: PopularityOptions;
  /** Buffer shared by all shares. */
  readonly merger = new Tally();
  /** Interactions of any value per item over the horizon. */
  readonly interactions = new DenseCounts();
  /** Interactions from randomised traffic over the horizon. */
  readonly randomized = new DenseCounts();
  /** Positives from randomised traffic over the horizon, if popularity excludes them. */
  readonly randomizedPositives = new DenseCounts();
  /**
   * All interactions of the counted kind over the horizon, including those that the rule excludes.
   * Concentration is computed from these counts. If the rule excludes nothing, this is the same
   * object as the popularity counts.
   */
  readonly undivided: DenseCounts;
  /** Number of occurrences of an item in lists that are not exposures, over the horizon. */
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

  /** Whether popularity excludes randomised traffic. */
  get ignoresRandomized(): boolean {
    return countsRandomizedApart(this.options);
  }

  /** Number of models with counted exposures; models are dense integers. */
  get models(): number {
    return this.#exposures.length;
  }

  /**
   * Popularity n_i over `horizonMs`: by default the whole horizon, otherwise a trailing window or
   * the period of the γ fit.
   */
  popularity(horizonMs = this.options.horizonMs): DenseCounts {
    return this.#popularity.get(horizonMs)!;
  }

  /** Exposures N_i of a model, over the same horizons as `popularity`. */
  exposures(model: number, horizonMs = this.options.horizonMs): DenseCounts {
    while (this.#exposures.length <= model) {
      this.#exposures.push(
        new Map(this.horizons().map((length) => [length, new DenseCounts()] as const)),
      );
    }
    return this.#exposures[model].get(horizonMs)!;
  }

  /** The distinct horizons of the counts. */
  horizons(): number[] {
    return horizonsOf(this.options);
  }

  /**
   * Items with an interaction or a list in a closed pane within the horizon. Items without traffic
   * for this long are removed, so the catalogue does not depend on when the process started.
   * O(items · models).
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

  /** All counts except those by model, each once, in an order determined by the options. */
  get ofAll(): readonly DenseCounts[] {
    const { interactions, randomized, randomizedPositives, undivided, listed } = this;
    const counts = [interactions, randomized, randomizedPositives, undivided, listed];
    return [...new Set([...counts, ...this.#popularity.values()])];
  }

  /** All counts of a model, by horizon. */
  ofModel(model: number): readonly DenseCounts[] {
    return this.horizons().map((horizonMs) => this.exposures(model, horizonMs));
  }

  /** Set the flags of items with a count. */
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
