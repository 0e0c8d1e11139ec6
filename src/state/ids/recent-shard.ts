import { hashHalves } from '../../events/hash.js';

const FIRST_CAPACITY = 16;
const MAX_LOAD = 0.7;
/** A slot: both halves of the hash, time within the generation, value + 1 (0 in an empty slot). */
export const SLOT = 4;
export const LARGEST_VALUE = 0x7fffffff;
/** Of a million ids by chance, one in 10^7 times is one that far from its own slot. */
const LONGEST_WAY = 512;

export interface CapturedShard {
  readonly slots: Int32Array;
  readonly used: number;
  readonly isKeyed: boolean;
}

/**
 * Open addressing with linear probes; written to by itself alone.
 *
 * An id's slot is that of the low half of its hash, which anybody can compute. Where ids were chosen
 * to collide, so that one lies far from its slot, slots are chosen under the secret of the process
 * from then on.
 */
export class RecentShard {
  slots = new Int32Array(FIRST_CAPACITY * SLOT);
  mask = FIRST_CAPACITY - 1;
  #used = 0;
  #captured = false;
  #isKeyed = false;

  get used(): number {
    return this.#used;
  }

  capture(): CapturedShard {
    this.#captured = true;
    return { slots: this.slots, used: this.#used, isKeyed: this.#isKeyed };
  }

  restore(compact: Int32Array, values: boolean): void {
    const width = values ? SLOT : SLOT - 1;
    this.#used = compact.length / width;
    let capacity = FIRST_CAPACITY;
    while (this.#used > capacity * MAX_LOAD) capacity *= 2;
    this.slots = new Int32Array(capacity * SLOT);
    this.mask = capacity - 1;
    for (let at = 0; at < compact.length; at += width) {
      const stored = values ? compact[at + 3] : 1;
      this.#insert(compact[at], compact[at + 1], compact[at + 2], stored);
    }
  }

  put(high: number, low: number, offset: number, value: number): void {
    if (this.#used >= (this.mask + 1) * MAX_LOAD) this.#refill(this.slots.length * 2);
    else if (this.#captured) this.slots = this.slots.slice();
    this.#captured = false;
    this.#insert(high, low, offset, value + 1);
    this.#used++;
  }

  get(high: number, low: number, offset: number, ttlMs: number): number {
    const slots = this.slots;
    const mask = this.mask;
    let at = (this.#isKeyed ? hashHalves(high, low) : low) & mask;
    for (; ; at = (at + 1) & mask) {
      const slot = at * SLOT;
      const stored = slots[slot + 3];
      if (stored === 0) return -1;
      if (slots[slot] !== high || slots[slot + 1] !== low) continue;
      if (Math.abs((slots[slot + 2] >>> 0) - offset) <= ttlMs) return (stored - 1) & LARGEST_VALUE;
    }
  }

  #insert(high: number, low: number, offset: number, stored: number): void {
    const slots = this.slots;
    const mask = this.mask;
    const own = (this.#isKeyed ? hashHalves(high, low) : low) & mask;
    let at = own;
    while (slots[at * SLOT + 3] !== 0) at = (at + 1) & mask;
    slots[at * SLOT] = high;
    slots[at * SLOT + 1] = low;
    slots[at * SLOT + 2] = offset;
    slots[at * SLOT + 3] = stored;
    if (((at - own) & mask) < LONGEST_WAY || this.#isKeyed) return;
    this.#isKeyed = true;
    this.#refill(slots.length);
  }

  #refill(length: number): void {
    const slots = this.slots;
    this.slots = new Int32Array(length);
    this.mask = length / SLOT - 1;
    for (let slot = 0; slot < slots.length; slot += SLOT) {
      const stored = slots[slot + 3];
      if (stored !== 0) this.#insert(slots[slot], slots[slot + 1], slots[slot + 2], stored);
    }
  }
}

/**
 * Copies the slots that hold something into the scratch, one after the other; three words each
 * without the values. Their order says nothing of the secret. @returns how many words
 */
export function compactSlots(
  { slots, used, isKeyed }: CapturedShard,
  values: boolean,
  scratch: { slots: Int32Array },
): number {
  const width = values ? SLOT : SLOT - 1;
  if (scratch.slots.length < used * width) scratch.slots = new Int32Array(used * width * 2);
  const compact = scratch.slots;
  let to = 0;
  const copy = (slot: number) => {
    for (let word = 0; word < width; word++) compact[to + word] = slots[slot + word];
    to += width;
  };
  if (isKeyed) for (const slot of inOrder(slots)) copy(slot);
  else for (let s = 0; s < slots.length; s += SLOT) if (slots[s + 3] !== 0) copy(s);
  return to;
}

/** Of the slots that hold something, by what they hold. */
function inOrder(slots: Int32Array): number[] {
  const taken: number[] = [];
  for (let slot = 0; slot < slots.length; slot += SLOT) if (slots[slot + 3] !== 0) taken.push(slot);
  return taken.sort(
    (a, b) => slots[a + 1] - slots[b + 1] || slots[a] - slots[b] || slots[a + 2] - slots[b + 2],
  );
}
