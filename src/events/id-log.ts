const FIRST_SLOTS = 1024;

/**
 * A set of event ids by their 64-bit hashes, 11 to 21 bytes each, up to an optional maximum number.
 *
 * Two different ids share a hash with probability n²/2⁶⁵: for ten million ids about 3 in a million.
 *
 * @example
 * const seen = new IdSet(1e6);
 * seen.add(1, 2) // 'new'
 * seen.add(1, 2) // 'repeated'
 */
export class IdSet {
  private slots = new Int32Array(FIRST_SLOTS * 2);
  private count = 0;
  private hasZero = false;
  private readonly maxSize: number;

  /** Prevents the reads of `warm` from being optimised away. */
  warmed = 0;

  constructor(maxSize = Number.POSITIVE_INFINITY) {
    this.maxSize = maxSize;
  }

  has(high: number, low: number): boolean {
    if (high === 0 && low === 0) return this.hasZero;
    const slot = slotOf(this.slots, high, low);
    return this.slots[slot] !== 0 || this.slots[slot + 1] !== 0;
  }

  /** @returns `no-room` for a new id when the set is full */
  add(high: number, low: number): 'new' | 'repeated' | 'no-room' {
    // Both halves 0 mark an empty slot; the one id that hashes to them is kept apart.
    if (high === 0 && low === 0) {
      const outcome = this.hasZero ? 'repeated' : 'new';
      this.hasZero = true;
      return outcome;
    }
    const slot = slotOf(this.slots, high, low);
    if (this.slots[slot] !== 0 || this.slots[slot + 1] !== 0) return 'repeated';
    if (this.count === this.maxSize) return 'no-room';
    this.slots[slot] = high;
    this.slots[slot + 1] = low;
    this.count++;
    if (this.count * 8 > this.slots.length * 3) {
      this.grow();
    }
    return 'new';
  }

  /**
   * Add the first `length` ids and set `repeated[r]` to 1 if id r was there before, otherwise to 0.
   *
   * Slots are read ahead, so that memory accesses overlap.
   *
   * @returns number of repeated ids
   */
  addAll(high: Int32Array, low: Int32Array, length: number, repeated: Uint8Array): number {
    this.warm(low, length);
    let count = 0;
    for (let r = 0; r < length; r++) {
      const isRepeated = this.add(high[r], low[r]) === 'repeated' ? 1 : 0;
      repeated[r] = isRepeated;
      count += isRepeated;
    }
    return count;
  }

  private warm(low: Int32Array, length: number): void {
    const { slots } = this;
    const mask = slots.length - 1;
    let seen = 0;
    for (let r = 0; r < length; r++) {
      seen ^= slots[(low[r] << 1) & mask];
    }
    this.warmed = seen;
  }

  private grow(): void {
    const { slots } = this;
    const grown = new Int32Array(slots.length * 2);
    for (let i = 0; i < slots.length; i += 2) {
      if (slots[i] === 0 && slots[i + 1] === 0) continue;
      const slot = slotOf(grown, slots[i], slots[i + 1]);
      grown[slot] = slots[i];
      grown[slot + 1] = slots[i + 1];
    }
    this.slots = grown;
  }
}

/** Offset of an id's slot in a table, or of the empty slot where the id belongs. */
function slotOf(slots: Int32Array, high: number, low: number): number {
  const mask = slots.length - 1;
  let slot = (low << 1) & mask;
  while (slots[slot] !== 0 || slots[slot + 1] !== 0) {
    if (slots[slot] === high && slots[slot + 1] === low) break;
    slot = (slot + 2) & mask;
  }
  return slot;
}

/** Number of ids per bucket, so that its table fits a near cache. */
const BUCKET = 16_384;
const MOST_BUCKET_BITS = 12;

/**
 * Event ids as 64-bit hashes, in order of arrival. Repeated ids are found once all ids are added.
 *
 * Looking up each id in a set of millions would wait for memory each time. Therefore ids are first
 * partitioned into buckets by the high bits of their hashes, and each bucket is searched
 * separately. O(ids); 8 bytes per id, 16 during the search.
 *
 * @example
 * const log = new IdLog();
 * log.add(Int32Array.of(1, 5, 1), Int32Array.of(2, 6, 2), 3);
 * log.repeats(); // [0, 0, 1]
 */
export class IdLog {
  private readonly batches: {
    readonly high: Int32Array;
    readonly low: Int32Array;
  }[] = [];
  private size = 0;

  /** Append the first `length` ids. */
  add(high: Int32Array, low: Int32Array, length: number): void {
    if (length === 0) return;
    this.batches.push({
      high: high.slice(0, length),
      low: low.slice(0, length),
    });
    this.size += length;
  }

  /**
   * A flag for each id in order of arrival, 1 if the same id came before. Undefined if all ids are
   * distinct.
   */
  repeats(): Uint8Array | undefined {
    const several = this.several();
    if (several === undefined) return undefined;
    const flags = new Uint8Array(this.size);
    const met = new IdSet();
    let at = 0;
    for (const { high, low } of this.batches) {
      for (let n = 0; n < high.length; n++, at++) {
        if (!several.has(high[n], low[n])) continue;
        if (met.add(high[n], low[n]) === 'repeated') {
          flags[at] = 1;
        }
      }
    }
    return flags;
  }

  /** The ids that occur more than once. */
  private several(): IdSet | undefined {
    const { high, low, start } = this.buckets();
    let largest = 0;
    for (let b = 1; b < start.length; b++) {
      largest = Math.max(largest, start[b] - start[b - 1]);
    }
    let slots = 2;
    while (slots < 2 * largest) {
      slots *= 2;
    }
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

  /**
   * Partition all ids into buckets by the high bits of their hashes; bucket b has the indices
   * start[b] to start[b + 1] − 1.
   */
  private buckets(): {
    high: Int32Array;
    low: Int32Array;
    start: Int32Array;
  } {
    let bits = 1;
    while (bits < MOST_BUCKET_BITS && this.size >>> bits > BUCKET) {
      bits++;
    }
    const shift = 32 - bits;
    const start = new Int32Array((1 << bits) + 1);
    for (const batch of this.batches) {
      for (let n = 0; n < batch.high.length; n++) {
        start[(batch.high[n] >>> shift) + 1]++;
      }
    }
    for (let b = 1; b < start.length; b++) {
      start[b] += start[b - 1];
    }
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
    return {
      high,
      low,
      start,
    };
  }
}

/** Add an id to a bucket's table. @returns false for a repeated id */
function put(table: Int32Array, high: number, low: number): boolean {
  const slot = slotOf(table, high, low);
  if (table[slot] !== 0 || table[slot + 1] !== 0) return false;
  table[slot] = high;
  table[slot + 1] = low;
  return true;
}
