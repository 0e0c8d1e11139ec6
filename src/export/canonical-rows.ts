import { pairHash } from '../estimators/interventions/pair-hash.js';
import type { SetIds } from './hashed-ids.js';
import { POSITIVE, RANDOM, Rows, TRAIN } from './rows.js';

/** Numbers of events left out of a partition, by reason. */
export interface LeftOut {
  /** Repeated events with the same id. */
  duplicate: number;
  /** Further interactions of a user with the same item. */
  repeated: number;
  /** Events of the held-out part whose (user, item) pair is also in the train part. */
  inTrain: number;
  /** Events of randomised traffic (the MAR part), which is not sampled. */
  randomized: number;
}

/**
 * Finds each (user, item) pair of a partition once, in an order that depends only on the ids.
 *
 * Of the interactions of a pair, the first positive one is kept; if none is positive, the first
 * one. Ties in time are broken by event id. Randomised interactions form rows of their own. So the
 * same events give the same rows in any order and batches. O(rows). Each call overwrites the
 * previous result, because new memory for each of the many partitions would cost more than sorting.
 */
export class CanonicalRows {
  /** Numbers of events left out of all partitions so far. */
  readonly leftOut: LeftOut = {
    duplicate: 0,
    repeated: 0,
    inTrain: 0,
    randomized: 0,
  };
  /** One row per pair, ordered by the pair's hash, which replaces the event id. */
  rows = Rows.ofCapacity(0);
  /** One row per pair of randomised traffic. */
  randomized = Rows.ofCapacity(0);
  readonly #sorted: SortedPairs;

  constructor(ids: SetIds) {
    this.#sorted = new SortedPairs(ids);
  }

  /** Find the rows of a partition. @param raw all rows of the partition, in any order. */
  find(raw: Rows): void {
    const sorted = this.#sorted;
    sorted.sort(raw);
    const { order } = sorted;
    this.rows = Rows.emptied(this.rows, raw.length);
    this.randomized = Rows.emptied(this.randomized, sorted.randomized);
    for (let from = 0; from < raw.length; ) {
      let to = from + 1;
      while (to < raw.length && sorted.isSamePair(order[from], order[to])) {
        to++;
      }
      if (to - from === 1 && kindOf(raw.flags(order[from])) !== RANDOMIZED_KIND) {
        this.#keep(raw, order[from]);
      } else {
        this.#pair(raw, from, to);
      }
      from = to;
    }
  }

  /** Process the rows of one pair, if there are several or they are randomised. */
  #pair(raw: Rows, from: number, to: number): void {
    const { order } = this.#sorted;
    const { leftOut } = this;
    let isTaken = false;
    for (let at = from; at < to; ) {
      const kind = kindOf(raw.flags(order[at]));
      let end = at + 1;
      while (end < to && kindOf(raw.flags(order[end])) === kind) {
        end++;
      }
      const events = distinctIds(raw, order, at, end);
      leftOut.duplicate += end - at - events;
      if (kind === RANDOMIZED_KIND) {
        leftOut.randomized += events;
        this.randomized.copy(raw, order[at]);
      } else if (isTaken) {
        leftOut.inTrain += events;
      } else {
        leftOut.repeated += events - 1;
        this.#keep(raw, order[at]);
        isTaken = true;
      }
      at = end;
    }
  }

  #keep(raw: Rows, row: number): void {
    const { high, low } = this.#sorted;
    this.rows.copy(raw, row);
    this.rows.settle(this.rows.length - 1, high[row], low[row], raw.flags(row));
  }
}

const RANDOMIZED_KIND = 2;

/**
 * Kind of a row, by which the rows of a pair are ordered: 0 train part, 1 held-out part, 2
 * randomised.
 */
function kindOf(flags: number): number {
  if ((flags & RANDOM) !== 0) return RANDOMIZED_KIND;
  return (flags & TRAIN) !== 0 ? 0 : 1;
}

function distinctIds(raw: Rows, order: Int32Array, from: number, to: number): number {
  if (to - from === 1) return 1;
  const seen = new Set<string>();
  for (let at = from; at < to; at++) {
    seen.add(`${raw.idHigh(order[at])}/${raw.idLow(order[at])}`);
  }
  return seen.size;
}

/**
 * Rows of a partition, sorted by pair. The rows of one pair are sorted by kind (`kindOf`), then
 * positive ones first, then by time.
 */
class SortedPairs {
  high = new Int32Array(0);
  low = new Int32Array(0);
  /** Row numbers in sorted order. */
  order = new Int32Array(0);
  /** Number of randomised rows. */
  randomized = 0;
  #starts = new Int32Array(0);
  #raw = Rows.ofCapacity(0);

  constructor(private readonly ids: SetIds) {}

  sort(raw: Rows): void {
    this.#raw = raw;
    if (this.order.length < raw.length) {
      const capacity = Math.ceil(raw.length * 1.25);
      this.high = new Int32Array(capacity);
      this.low = new Int32Array(capacity);
      this.order = new Int32Array(capacity);
    }
    this.#hashPairs();
    this.#sort();
  }

  isSamePair(a: number, b: number): boolean {
    const raw = this.#raw;
    return raw.user(a) === raw.user(b) && raw.item(a) === raw.item(b);
  }

  #hashPairs(): void {
    const { users, items } = this.ids;
    const halves = new Int32Array(2);
    const { high, low } = this;
    const raw = this.#raw;
    this.randomized = 0;
    for (let r = 0; r < raw.length; r++) {
      const user = raw.user(r);
      const item = raw.item(r);
      pairHash(users.high[user], users.low[user], items.high[item], items.low[item], halves);
      high[r] = halves[0];
      low[r] = halves[1];
      if ((raw.flags(r) & RANDOM) !== 0) {
        this.randomized++;
      }
    }
  }

  /**
   * Sort rows into buckets by the bits of the hash after the partition's, then within each bucket,
   * which usually has a few rows.
   */
  #sort(): void {
    const { high, order } = this;
    const length = this.#raw.length;
    const bits = Math.max(1, Math.min(18, 32 - Math.clz32(length)));
    const shift = 32 - bits;
    const buckets = 1 << bits;
    if (this.#starts.length < buckets + 2) {
      this.#starts = new Int32Array(buckets + 2);
    }
    const starts = this.#starts.fill(0);
    // Counts are shifted by two, so that placing the rows leaves the start of each bucket in its
    // place.
    for (let r = 0; r < length; r++) {
      starts[((high[r] << 8) >>> shift) + 2]++;
    }
    for (let b = 2; b < buckets + 2; b++) {
      starts[b] += starts[b - 1];
    }
    for (let r = 0; r < length; r++) {
      order[starts[((high[r] << 8) >>> shift) + 1]++] = r;
    }
    const compare = (a: number, b: number): number => this.#compare(a, b);
    for (let b = 0; b < buckets; b++) {
      const size = starts[b + 1] - starts[b];
      if (size === 2) {
        const at = starts[b];
        if (compare(order[at], order[at + 1]) > 0) {
          const first = order[at];
          order[at] = order[at + 1];
          order[at + 1] = first;
        }
      } else if (size > 2) {
        order.subarray(starts[b], starts[b + 1]).sort(compare);
      }
    }
  }

  #compare(a: number, b: number): number {
    const byHash = (this.high[a] >>> 0) - (this.high[b] >>> 0);
    if (byHash !== 0) return byHash;
    const byLow = (this.low[a] >>> 0) - (this.low[b] >>> 0);
    if (byLow !== 0) return byLow;
    return this.#comparePairs(a, b) || this.#precedence(a, b);
  }

  #comparePairs(a: number, b: number): number {
    const { users, items } = this.ids;
    const raw = this.#raw;
    if (this.isSamePair(a, b)) return 0;
    return (
      users.ids.compare(raw.user(a), raw.user(b)) || items.ids.compare(raw.item(a), raw.item(b))
    );
  }

  #precedence(a: number, b: number): number {
    const raw = this.#raw;
    return (
      kindOf(raw.flags(a)) - kindOf(raw.flags(b)) ||
      (raw.flags(b) & POSITIVE) - (raw.flags(a) & POSITIVE) ||
      raw.ts(a) - raw.ts(b) ||
      raw.idHigh(a) - raw.idHigh(b) ||
      raw.idLow(a) - raw.idLow(b) ||
      raw.value(b) - raw.value(a) ||
      this.ids.actions.compare(raw.action(a), raw.action(b))
    );
  }
}
