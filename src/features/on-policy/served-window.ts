import { DRAWN_LIST, SERVED_MODEL, type ServedLists } from '../../state/panes/served-lists.js';

/** Shortest time bucket, ms. */
const SHORTEST_BUCKET_MS = 60_000;
/** Largest number of time buckets per window. */
const MOST_BUCKETS = 1440;

/** A window of time, from ≤ t < to, event time, ms. */
export interface ServedWindow {
  readonly from: number;
  readonly to: number;
}

/**
 * Numbers of served lists and their rewards, by model and time bucket. Buckets are one minute long,
 * or 1/1440 of the window if that is longer.
 */
export class ServedBuckets {
  readonly count: number;
  readonly #window: ServedWindow;
  readonly #bucketMs: number;
  /**
   * Number of lists that were not randomised, by model. If a model has such lists, its randomised
   * lists do not count.
   */
  readonly #chosen: Float64Array;
  /** Number of lists of all models, by bucket. */
  readonly #all: Float64Array;
  /** Number of lists, by cell: model · buckets + bucket. */
  readonly #lists: Float64Array;
  /** Sum of rewards, by cell: model · buckets + bucket. */
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

  /** Count all lists and rewards. */
  fill(served: readonly ServedLists[]): void {
    for (const lists of served) {
      this.#countChosen(lists);
    }
    for (const lists of served) {
      this.#add(lists);
    }
  }

  /** Lists and rewards of a model by bucket, and the lists of all models. */
  of(model: number) {
    const from = model * this.count;
    const to = from + this.count;
    return {
      all: this.#all,
      lists: this.#lists.subarray(from, to),
      reward: this.#reward.subarray(from, to),
    };
  }

  /**
   * Index of the time bucket of a row's list. −1 if the list was served outside of the window, if
   * its model is unknown, or if it is randomised and the model has other lists.
   */
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
