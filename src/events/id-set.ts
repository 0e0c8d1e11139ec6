const FIRST_SLOTS = 1024;

/**
 * A set of event ids by their 64-bit hashes, 11 to 21 bytes each, up to a given number of them where
 * one is given.
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

  /** Keeps the reads of `warm` from being optimised away. */
  warmed = 0;

  constructor(maxSize = Number.POSITIVE_INFINITY) {
    this.maxSize = maxSize;
  }

  has(high: number, low: number): boolean {
    if (high === 0 && low === 0) return this.hasZero;
    const slot = slotOf(this.slots, high, low);
    return this.slots[slot] !== 0 || this.slots[slot + 1] !== 0;
  }

  /** @returns `no-room` for an id that was not seen and that there is no more room for */
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
    if (this.count * 8 > this.slots.length * 3) this.grow();
    return 'new';
  }

  /**
   * Adds the first `length` ids and notes in `repeated[r]` whether id r was there before, 1 or 0.
   *
   * The places are read first: one look-up after the other would wait for memory each time, these
   * reads are under way together.
   *
   * @returns how many were there before
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
    for (let r = 0; r < length; r++) seen ^= slots[(low[r] << 1) & mask];
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

/** Offset of the slot that holds the halves, or of the empty one where they belong. */
export function slotOf(slots: Int32Array, high: number, low: number): number {
  const mask = slots.length - 1;
  let slot = (low << 1) & mask;
  while (slots[slot] !== 0 || slots[slot + 1] !== 0) {
    if (slots[slot] === high && slots[slot + 1] === low) break;
    slot = (slot + 2) & mask;
  }
  return slot;
}
