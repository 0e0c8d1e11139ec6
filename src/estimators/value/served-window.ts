import {
  DRAWN_LIST,
  SERVED_MODEL,
  type ServedLists,
} from '../../state/panes/served/served-lists.js';

/** A bucket of time is no shorter, ms, */
const SHORTEST_BUCKET_MS = 60_000;
/** and there are no more of them in a window. */
const MOST_BUCKETS = 1440;

/** A window whose lists are valued. */
export interface ServedWindow {
  readonly from: number;
  readonly to: number;
}

/**
 * The lists that were shown in a window and their rewards, by bucket of time and model. Buckets of
 * a minute, or of 1/1440 of the window where that is longer.
 */
export class ServedCounts {
  readonly buckets: number;
  /** Lists of all models, by bucket. */
  readonly all: Float64Array;
  /** By bucket and model, model by model. */
  readonly lists: Float64Array;
  readonly reward: Float64Array;
  /** By model, whether it has lists that were not drawn at random: then it is valued by those. */
  readonly #hasOwn: Uint8Array;
  readonly #models: number;
  readonly #from: number;
  readonly #to: number;
  readonly #bucketMs: number;

  constructor(models: number, { from, to }: ServedWindow) {
    const span = Math.max(1, to - from);
    this.#bucketMs = Math.max(SHORTEST_BUCKET_MS, span / MOST_BUCKETS);
    this.buckets = Math.ceil(span / this.#bucketMs);
    this.all = new Float64Array(this.buckets);
    this.lists = new Float64Array(this.buckets * models);
    this.reward = new Float64Array(this.buckets * models);
    this.#hasOwn = new Uint8Array(models);
    this.#models = models;
    this.#from = from;
    this.#to = to;
  }

  /** To be given all rows before any is added. */
  look({ length, model, lists, shownAt }: ServedLists): void {
    for (let r = 0; r < length; r++) {
      if (lists[r] === 0 || (model[r] & DRAWN_LIST) !== 0) continue;
      if (shownAt[r] >= this.#from && shownAt[r] < this.#to) this.#hasOwn[model[r]] = 1;
    }
  }

  add(served: ServedLists): void {
    const { length, lists, reward } = served;
    for (let r = 0; r < length; r++) {
      const cell = this.cellOf(served, r);
      if (cell < 0) continue;
      this.all[cell % this.buckets] += lists[r];
      this.lists[cell] += lists[r];
      this.reward[cell] += reward[r];
    }
  }

  /** model · buckets + bucket; −1 for what is of no model here, or of no list of the window. */
  cellOf({ model, shownAt }: ServedLists, r: number): number {
    const own = model[r] & SERVED_MODEL;
    const at = shownAt[r];
    if (own >= this.#models || at < this.#from || at >= this.#to) return -1;
    if ((model[r] & DRAWN_LIST) !== 0 && this.#hasOwn[own] === 1) return -1;
    return own * this.buckets + Math.floor((at - this.#from) / this.#bucketMs);
  }
}
