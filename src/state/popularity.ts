import { PopularityShare } from './popularity-share.js';
import { DenseCounts, type SparseCounts, Tally } from './sparse-counts.js';

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
 * Item counts of all partitions: popularity n_i, interactions of any value (the posteriors' n_i),
 * and exposures N_i of each model, each over the horizons that something is computed from.
 *
 *   n_i = Σ_p n_i(p)
 *
 * Each partition p has a share (`PopularityShare`) that knows when its counts expire; here stand
 * the sums. So a partition may come with its history, and each moves on in its own time.
 */
export class Popularity {
  readonly options: PopularityOptions;
  /** Scratch that all shares have in common. */
  readonly merger = new Tally();
  /** Any interaction of an item over the horizon. */
  readonly interactions = new DenseCounts();
  /** Those of them that came from randomised traffic. */
  readonly randomized = new DenseCounts();
  readonly #popularity = new Map<number, DenseCounts>();
  readonly #exposures: Map<number, DenseCounts>[] = [];
  #inCatalogue = new Uint8Array(1024);
  #catalogueSize = 0;

  constructor(options: PopularityOptions) {
    this.options = options;
    for (const horizonMs of this.horizons()) {
      const same = options.of === 'all' && horizonMs === options.horizonMs;
      this.#popularity.set(horizonMs, same ? this.interactions : new DenseCounts());
    }
  }

  /** A new partition's share, empty. */
  share(): PopularityShare {
    return new PopularityShare(this);
  }

  /** Distinct items that stood in an interaction or a list, in closed panes. */
  get catalogueSize(): number {
    return this.#catalogueSize;
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
    const { horizonMs, gammaPeriodMs, windowsMs } = this.options;
    return [...new Set([horizonMs, gammaPeriodMs, ...windowsMs])];
  }

  /** Whether the item stood in an interaction or a list of a closed pane. */
  isInCatalogue(item: number): boolean {
    return this.#inCatalogue[item] === 1;
  }

  /** Enters items into the catalogue. */
  enlist({ ids }: Pick<SparseCounts, 'ids'>): void {
    for (const id of ids) {
      if (id >= this.#inCatalogue.length) this.#inCatalogue = widened(this.#inCatalogue, id);
      this.#catalogueSize += 1 - this.#inCatalogue[id];
      this.#inCatalogue[id] = 1;
    }
  }
}

function widened(flags: Uint8Array<ArrayBuffer>, id: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(id + 1, flags.length * 2));
  larger.set(flags);
  return larger;
}
