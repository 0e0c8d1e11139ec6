import { pairHash } from '../sampling/pair-hash.js';
import type { SetIds } from './hashed-ids.js';
import { POSITIVE, RANDOM, Rows, TRAIN } from './rows.js';

/** What was left out of a partition, by reason. */
export interface LeftOut {
  /** The same event once more. */
  duplicate: number;
  /** Another interaction of the same user with the same item. */
  repeated: number;
  /** Of the held-out part, where the pair is in the train part too. */
  inTrain: number;
  /** From randomised traffic: the MAR part, which is not sampled. */
  randomized: number;
}

export interface CanonicalPartition {
  /** One row for each pair, by the pair's hash; the hash stands where the event's id was. */
  readonly rows: Rows;
  /** Pairs of randomised traffic. */
  readonly randomized: Rows;
}

/**
 * Each (user, item) of a partition once, in an order that the ids alone give.
 *
 * Of a pair's interactions the first positive one stays, else the first; ties of time are broken by
 * the event's id. Randomised interactions are kept apart. So the same events give the same rows,
 * whatever order and batches they came in. O(rows).
 *
 * @param raw rows of whole pairs; their order is of no account.
 * @param leftOut is added to.
 */
export function canonicalRows(raw: Rows, ids: SetIds, leftOut: LeftOut): CanonicalPartition {
  const sorted = new SortedPairs(raw, ids);
  const { order, high, low } = sorted;
  const rows = Rows.ofCapacity(raw.length);
  const randomized = Rows.ofCapacity(raw.length);
  for (let from = 0; from < raw.length; ) {
    const first = order[from];
    let to = from + 1;
    while (to < raw.length && sorted.isSamePair(first, order[to])) to++;
    let isTaken = false;
    for (let at = from; at < to; ) {
      const kind = kindOf(raw.flags(order[at]));
      let end = at + 1;
      while (end < to && kindOf(raw.flags(order[end])) === kind) end++;
      const events = distinctIds(raw, order, at, end);
      leftOut.duplicate += end - at - events;
      if (kind === RANDOMIZED_KIND) {
        leftOut.randomized += events;
        randomized.copy(raw, order[at]);
      } else if (isTaken) {
        leftOut.inTrain += events;
      } else {
        leftOut.repeated += events - 1;
        rows.copy(raw, order[at]);
        rows.settle(rows.length - 1, high[first], low[first], raw.flags(order[at]));
        isTaken = true;
      }
      at = end;
    }
    from = to;
  }
  return { rows, randomized };
}

const RANDOMIZED_KIND = 2;

/** Of a pair's rows those of the train part come first, randomised ones last. */
function kindOf(flags: number): number {
  if ((flags & RANDOM) !== 0) return RANDOMIZED_KIND;
  return (flags & TRAIN) !== 0 ? 0 : 1;
}

function distinctIds(raw: Rows, order: Int32Array, from: number, to: number): number {
  if (to - from === 1) return 1;
  const seen = new Set<string>();
  for (let at = from; at < to; at++) seen.add(`${raw.idHigh(order[at])}/${raw.idLow(order[at])}`);
  return seen.size;
}

/** Rows by pair, and of each pair by kind and precedence. */
class SortedPairs {
  readonly high: Int32Array;
  readonly low: Int32Array;
  readonly order: Int32Array;
  readonly #raw: Rows;
  readonly #ids: SetIds;

  constructor(raw: Rows, ids: SetIds) {
    this.#raw = raw;
    this.#ids = ids;
    this.high = new Int32Array(raw.length);
    this.low = new Int32Array(raw.length);
    this.order = new Int32Array(raw.length);
    this.#hashPairs();
    this.#sort();
  }

  isSamePair(a: number, b: number): boolean {
    const raw = this.#raw;
    return raw.user(a) === raw.user(b) && raw.item(a) === raw.item(b);
  }

  #hashPairs(): void {
    const { users, items } = this.#ids;
    const halves = new Int32Array(2);
    for (let r = 0; r < this.#raw.length; r++) {
      const user = this.#raw.user(r);
      const item = this.#raw.item(r);
      pairHash(users.high[user], users.low[user], items.high[item], items.low[item], halves);
      this.high[r] = halves[0];
      this.low[r] = halves[1];
    }
  }

  /** Into buckets by the bits after the partition's, then within each: a few rows, as a rule. */
  #sort(): void {
    const { high, order } = this;
    const length = high.length;
    const bits = Math.max(1, Math.min(18, 32 - Math.clz32(length)));
    const shift = 32 - bits;
    const starts = new Int32Array((1 << bits) + 1);
    for (let r = 0; r < length; r++) starts[((high[r] << 8) >>> shift) + 1]++;
    for (let b = 1; b < starts.length; b++) starts[b] += starts[b - 1];
    const next = starts.slice();
    for (let r = 0; r < length; r++) order[next[(high[r] << 8) >>> shift]++] = r;
    const compare = (a: number, b: number): number => this.#compare(a, b);
    for (let b = 0; b + 1 < starts.length; b++) {
      const size = starts[b + 1] - starts[b];
      if (size === 2) {
        const at = starts[b];
        if (compare(order[at], order[at + 1]) > 0) {
          const first = order[at];
          order[at] = order[at + 1];
          order[at + 1] = first;
        }
      } else if (size > 2) order.subarray(starts[b], starts[b + 1]).sort(compare);
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
    const { users, items } = this.#ids;
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
      this.#ids.actions.compare(raw.action(a), raw.action(b))
    );
  }
}
