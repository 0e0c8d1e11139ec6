import type { SparseCounts } from './sparse-counts.js';

/** There is one for each model of a pane, and what is sent as a model may be a name that comes once. */
const FIRST_CAPACITY = 4;
const MAX_LOAD = 0.7;
/** A slot: id + 1 (0 in an empty slot), count. */
const SLOT = 2;

/**
 * Counts occurrences of dense ids in memory that follows the ids that occurred, 12 to 23 bytes for
 * each: slower than a `Tally`, for counts of which there are many at a time.
 *
 * @example
 * const tally = new IdTally();
 * tally.add(7);
 * tally.counts(); // { ids: [7], counts: [1] }
 */
export class IdTally {
  #slots = new Int32Array(FIRST_CAPACITY * SLOT);
  #mask = FIRST_CAPACITY - 1;
  #used = 0;

  /** Number of distinct ids. */
  get size(): number {
    return this.#used;
  }

  add(id: number, count = 1): void {
    const slot = this.#slotOf(this.#slots, id);
    this.#slots[slot + 1] += count;
    if (this.#slots[slot] !== 0) return;
    this.#slots[slot] = id + 1;
    if (++this.#used > (this.#mask + 1) * MAX_LOAD) this.#grow();
  }

  addAll({ ids, counts }: SparseCounts): void {
    for (let j = 0; j < ids.length; j++) this.add(ids[j], counts[j]);
  }

  /** A copy of the counts, in no order; empty where nothing was counted. */
  counts(): SparseCounts {
    const ids = new Int32Array(this.#used);
    const counts = new Int32Array(this.#used);
    let at = 0;
    for (let slot = 0; slot < this.#slots.length; slot += SLOT) {
      if (this.#slots[slot] === 0) continue;
      ids[at] = this.#slots[slot] - 1;
      counts[at++] = this.#slots[slot + 1];
    }
    return { ids, counts };
  }

  #slotOf(slots: Int32Array, id: number): number {
    let at = Math.imul(id, 0x9e3779b1) >>> 7;
    for (;;) {
      const slot = (at & this.#mask) * SLOT;
      if (slots[slot] === 0 || slots[slot] === id + 1) return slot;
      at++;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let from = 0; from < old.length; from += SLOT) {
      if (old[from] === 0) continue;
      const to = this.#slotOf(this.#slots, old[from] - 1);
      this.#slots[to] = old[from];
      this.#slots[to + 1] = old[from + 1];
    }
  }
}
