const LEAST_SLOTS = 64;
/**
 * Number of low bits of a slot that contain the row plus one. The bits above them are a part of the
 * id's hash, which avoids most comparisons of ids.
 */
const ROW_BITS = 27;
const ROW_MASK = (1 << ROW_BITS) - 1;
/** Limit (exclusive) of row numbers. */
export const MOST_ROWS = ROW_MASK;

/** Reads the two halves of a row's 64-bit id. */
export interface RowIds {
  high(row: number): number;
  low(row: number): number;
}

/**
 * Hash table from 64-bit ids, which are hashes themselves, to row numbers. Open addressing, 5 to 9
 * bytes per row.
 *
 * @example
 * const ids = [[7, 1], [7, 2]];
 * const index = new RowIndex({ high: (row) => ids[row][0], low: (row) => ids[row][1] });
 * index.set(0);
 * index.set(1);
 * index.find(7, 2); // 1
 */
export class RowIndex {
  readonly #ids: RowIds;
  #slots = new Int32Array(LEAST_SLOTS);
  #size = 0;

  constructor(ids: RowIds) {
    this.#ids = ids;
  }

  /** The row with this id; −1 without one. */
  find(high: number, low: number): number {
    return (this.#slots[this.#slotOf(high, low)] & ROW_MASK) - 1;
  }

  /** Add a row, or replace the row with the same id. */
  set(row: number): void {
    if (8 * (this.#size + 1) > 7 * this.#slots.length) {
      this.#grow();
    }
    const slot = this.#slotOf(this.#ids.high(row), this.#ids.low(row));
    if (this.#slots[slot] === 0) {
      this.#size++;
    }
    this.#put(slot, row);
  }

  /** Remove an id. To be called before its row gets another id. */
  delete(high: number, low: number): void {
    const mask = this.#slots.length - 1;
    let gap = this.#slotOf(high, low);
    if (this.#slots[gap] === 0) return;
    this.#size--;
    // Move later entries up, unless that puts them before their first slot.
    for (let slot = (gap + 1) & mask; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const row = (this.#slots[slot] & ROW_MASK) - 1;
      const first = mixed(this.#ids.high(row), this.#ids.low(row)) & mask;
      if (((slot - first) & mask) < ((slot - gap) & mask)) continue;
      this.#slots[gap] = this.#slots[slot];
      gap = slot;
    }
    this.#slots[gap] = 0;
  }

  /** Slot of the id, or the empty slot for it. */
  #slotOf(high: number, low: number): number {
    const mask = this.#slots.length - 1;
    const hash = mixed(high, low);
    let slot = hash & mask;
    for (let entry = this.#slots[slot]; entry !== 0; entry = this.#slots[slot]) {
      if ((entry ^ hash) >>> ROW_BITS === 0) {
        const row = (entry & ROW_MASK) - 1;
        if (this.#ids.high(row) === high && this.#ids.low(row) === low) return slot;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #put(slot: number, row: number): void {
    const hash = mixed(this.#ids.high(row), this.#ids.low(row));
    this.#slots[slot] = (hash & ~ROW_MASK) | (row + 1);
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(2 * before.length);
    for (const entry of before) {
      if (entry === 0) continue;
      const row = (entry & ROW_MASK) - 1;
      this.#put(this.#slotOf(this.#ids.high(row), this.#ids.low(row)), row);
    }
  }
}

function mixed(high: number, low: number): number {
  const hash = Math.imul(high ^ Math.imul(low, 0x9e3779b1), 0x85ebca6b);
  return hash ^ (hash >>> 15);
}
