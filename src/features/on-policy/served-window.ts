import { DRAWN_LIST, SERVED_MODEL, type ServedLists } from '../../state/panes/served-lists.js';

/** Shortest bucket of time, ms, */
const SHORTEST_BUCKET_MS = 60_000;
/** and there are no more of them in a window. */
const MOST_BUCKETS = 1440;

/** A window whose lists are valued. */
export interface ServedWindow {
  readonly from: number;
  readonly to: number;
}

/**
 * Lists and rewards by model and bucket of time. Buckets of a minute, or of 1/1440 of the window where
 * that is longer.
 */
export class ServedBuckets {
  readonly count: number;
  readonly #window: ServedWindow;
  readonly #bucketMs: number;
  /** By model, its lists that were not drawn at random: where it has some, it is valued by those. */
  readonly #chosen: Float64Array;
  /** Lists of all models by bucket. */
  readonly #all: Float64Array;
  /** Lists and rewards by cell: model · buckets + bucket. */
  readonly #lists: Float64Array;
  readonly #reward: Float64Array;

  constructor(models: number, window: ServedWindow) {
    const span = Math.max(1, window.to - window.from);
    this.#bucketMs = Math.max(SHORTEST_BUCKET_MS, span / MOST_BUCKETS);
    this.count = Math.ceil(span / this.#bucketMs);
    this.#window = window;
    this.#chosen = new Float64Array(models);
    this.#all = new Float64Array(this.count);
    this.#lists = new Float64Array(models * this.count);
    this.#reward = new Float64Array(models * this.count);
  }

  /** Fills the buckets. */
  fill(served: readonly ServedLists[]): void {
    for (const lists of served) {
      this.#countChosen(lists);
    }
    for (const lists of served) {
      this.#add(lists);
    }
  }

  /** Of a model, by bucket; beside the lists of all models. */
  of(model: number) {
    const from = model * this.count;
    const to = from + this.count;
    return {
      all: this.#all,
      lists: this.#lists.subarray(from, to),
      reward: this.#reward.subarray(from, to),
    };
  }

  /** The bucket of a row; −1 for what is of no list of the window, or not what its model is valued by. */
  bucketOf({ model, shownAt }: ServedLists, row: number): number {
    const { from, to } = this.#window;
    const own = model[row] & SERVED_MODEL;
    const at = shownAt[row];
    if (own >= this.#chosen.length || at < from || at >= to) return -1;
    if ((model[row] & DRAWN_LIST) !== 0 && this.#chosen[own] > 0) return -1;
    return Math.floor((at - from) / this.#bucketMs);
  }

  #countChosen({ length, model, lists, shownAt }: ServedLists): void {
    const { from, to } = this.#window;
    for (let r = 0; r < length; r++) {
      if (lists[r] === 0 || (model[r] & DRAWN_LIST) !== 0) continue;
      if (shownAt[r] >= from && shownAt[r] < to) {
        this.#chosen[model[r]]++;
      }
    }
  }

  #add(served: ServedLists): void {
    const { length, model, lists, reward } = served;
    for (let r = 0; r < length; r++) {
      const bucket = this.bucketOf(served, r);
      if (bucket < 0) continue;
      const cell = (model[r] & SERVED_MODEL) * this.count + bucket;
      this.#all[bucket] += lists[r];
      this.#lists[cell] += lists[r];
      this.#reward[cell] += reward[r];
    }
  }
}
