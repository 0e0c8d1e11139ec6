import { IdSet, slotOf } from './id-set.js';

/** This many ids at a time are looked up among themselves: their table fits a near cache. */
const BUCKET = 16_384;
const MOST_BUCKET_BITS = 12;

/**
 * Event ids by their 64-bit hashes in the order in which they came, to be asked at the end which of
 * them had come before.
 *
 * A set of millions that is asked after each id waits for memory each time. Here nothing is looked
 * up before the end; then ids are divided by their high bits into buckets, and each bucket is looked
 * through by itself. O(ids); 8 bytes an id, 16 while it is asked.
 *
 * @example
 * const log = new IdLog();
 * log.add(Int32Array.of(1, 5, 1), Int32Array.of(2, 6, 2), 3);
 * log.repeats(); // [0, 0, 1]
 */
export class IdLog {
  private readonly batches: { readonly high: Int32Array; readonly low: Int32Array }[] = [];
  private size = 0;

  /** Adds the first `length` ids. */
  add(high: Int32Array, low: Int32Array, length: number): void {
    if (length === 0) return;
    this.batches.push({ high: high.slice(0, length), low: low.slice(0, length) });
    this.size += length;
  }

  /** 1 for each id that had come before, 0 for the others; undefined where all are distinct. */
  repeats(): Uint8Array | undefined {
    const several = this.several();
    if (several === undefined) return undefined;
    const flags = new Uint8Array(this.size);
    const met = new IdSet();
    let at = 0;
    for (const { high, low } of this.batches) {
      for (let n = 0; n < high.length; n++, at++) {
        if (!several.has(high[n], low[n])) continue;
        if (met.add(high[n], low[n]) === 'repeated') flags[at] = 1;
      }
    }
    return flags;
  }

  /** The ids that came more than once. */
  private several(): IdSet | undefined {
    const { high, low, start } = this.buckets();
    let largest = 0;
    for (let b = 1; b < start.length; b++) largest = Math.max(largest, start[b] - start[b - 1]);
    let slots = 2;
    while (slots < 2 * largest) slots *= 2;
    const table = new Int32Array(slots * 2);
    let found: IdSet | undefined;
    let zeros = 0;
    for (let b = 1; b < start.length; b++) {
      table.fill(0);
      for (let n = start[b - 1]; n < start[b]; n++) {
        // Both halves 0 mark an empty slot.
        const isZero = high[n] === 0 && low[n] === 0;
        const isNew = isZero ? zeros++ === 0 : put(table, high[n], low[n]);
        if (isNew) continue;
        found ??= new IdSet();
        found.add(high[n], low[n]);
      }
    }
    return found;
  }

  /** All ids by the high bits of their hashes: those of bucket b are start[b] .. start[b + 1] − 1. */
  private buckets(): { high: Int32Array; low: Int32Array; start: Int32Array } {
    let bits = 1;
    while (bits < MOST_BUCKET_BITS && this.size >>> bits > BUCKET) bits++;
    const shift = 32 - bits;
    const start = new Int32Array((1 << bits) + 1);
    for (const batch of this.batches) {
      for (let n = 0; n < batch.high.length; n++) start[(batch.high[n] >>> shift) + 1]++;
    }
    for (let b = 1; b < start.length; b++) start[b] += start[b - 1];
    const next = start.slice();
    const high = new Int32Array(this.size);
    const low = new Int32Array(this.size);
    for (const batch of this.batches) {
      for (let n = 0; n < batch.high.length; n++) {
        const at = next[batch.high[n] >>> shift]++;
        high[at] = batch.high[n];
        low[at] = batch.low[n];
      }
    }
    return { high, low, start };
  }
}

/** @returns false for an id that is there already */
function put(table: Int32Array, high: number, low: number): boolean {
  const slot = slotOf(table, high, low);
  if (table[slot] !== 0 || table[slot + 1] !== 0) return false;
  table[slot] = high;
  table[slot + 1] = low;
  return true;
}
