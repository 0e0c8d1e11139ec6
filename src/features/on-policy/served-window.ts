import { DRAWN_LIST, SERVED_MODEL, type ServedLists } from '../../state/panes/served-lists.js';

/** A bucket of time is no shorter, ms, */
const SHORTEST_BUCKET_MS = 60_000;
/** and there are no more of them in a window. */
const MOST_BUCKETS = 1440;

/** A window whose lists are valued. */
export interface ServedWindow {
  readonly from: number;
  readonly to: number;
}

/** Counts a part's lists that were not drawn at random, by model. */
export function countOwnLists(
  { length, model, lists, shownAt }: ServedLists,
  { from, to }: ServedWindow,
  into: Float64Array,
): void {
  for (let r = 0; r < length; r++) {
    if (lists[r] === 0 || (model[r] & DRAWN_LIST) !== 0) continue;
    if (shownAt[r] >= from && shownAt[r] < to) into[model[r]]++;
  }
}

/**
 * Which bucket of time each list of a window falls into, and what is summed by bucket. Buckets of a
 * minute, or of 1/1440 of the window where that is longer.
 */
export class ServedBuckets {
  readonly buckets: number;
  /** By model, its lists that were not drawn at random: where it has some, it is valued by those. */
  readonly #own: ArrayLike<number>;
  readonly #from: number;
  readonly #to: number;
  readonly #bucketMs: number;

  /** @param own by model, see `countOwnLists`; of all parts of the window. */
  constructor(own: ArrayLike<number>, { from, to }: ServedWindow) {
    const span = Math.max(1, to - from);
    this.#bucketMs = Math.max(SHORTEST_BUCKET_MS, span / MOST_BUCKETS);
    this.buckets = Math.ceil(span / this.#bucketMs);
    this.#own = own;
    this.#from = from;
    this.#to = to;
  }

  /** Numbers that are summed: lists of all models by bucket, then lists and rewards by cell. */
  get size(): number {
    return this.buckets * (1 + 2 * this.#own.length);
  }

  /** Adds lists and rewards to such numbers. */
  add(served: ServedLists, into: Float64Array): void {
    const { length, lists, reward } = served;
    const { buckets } = this;
    const cells = buckets * this.#own.length;
    for (let r = 0; r < length; r++) {
      const cell = this.cellOf(served, r);
      if (cell < 0) continue;
      into[cell % buckets] += lists[r];
      into[buckets + cell] += lists[r];
      into[buckets + cells + cell] += reward[r];
    }
  }

  /** Of such numbers those of a model, by bucket. */
  of(model: number, sums: Float64Array) {
    const { buckets } = this;
    const column = (n: number) => sums.subarray(buckets * n, buckets * (n + 1));
    return {
      all: column(0),
      lists: column(1 + model),
      reward: column(1 + this.#own.length + model),
    };
  }

  /** model · buckets + bucket; −1 for what is of no model here, or of no list of the window. */
  cellOf({ model, shownAt }: ServedLists, r: number): number {
    const own = model[r] & SERVED_MODEL;
    const at = shownAt[r];
    if (own >= this.#own.length || at < this.#from || at >= this.#to) return -1;
    if ((model[r] & DRAWN_LIST) !== 0 && this.#own[own] > 0) return -1;
    return own * this.buckets + Math.floor((at - this.#from) / this.#bucketMs);
  }
}
