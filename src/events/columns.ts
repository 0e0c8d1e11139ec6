/**
 * A batch of decoded events as columns: row r of every array is one event.
 * Ids are dense integers from an `IdTable`; event ids are 64-bit hashes in two halves.
 */

/** Interns a byte string; the same bytes give the same dense integer, from 0 up. */
export interface IdTable {
  /** −1 for one that the table has no room for. `hash` is `hashBytes(bytes, start, end)`; the bytes are valid UTF-8 and are copied. */
  intern(bytes: Uint8Array, start: number, end: number, hash: number): number;
}

export const RANDOMIZED = 1;
export const SHOWN = 2;
export const SAMPLED = 4;
/** The interaction names the exposure that led to it. */
export const NAMES_EXPOSURE = 8;
/** The exposure gives each item's logged propensity. */
export const HAS_PROPENSITIES = 16;

export class InteractionColumns {
  length = 0;
  ts: Float64Array;
  user: Int32Array;
  item: Int32Array;
  value: Float64Array;
  /** −1 where the event states none, or where actions are not kept. */
  action: Int32Array;
  /** Event id, 64-bit hash. */
  idHigh: Int32Array;
  idLow: Int32Array;
  /** Named exposure, 64-bit hash; meaningful where `flags & NAMES_EXPOSURE`. */
  exposureHigh: Int32Array;
  exposureLow: Int32Array;
  flags: Uint8Array;

  constructor(capacity = 1024) {
    this.ts = new Float64Array(capacity);
    this.user = new Int32Array(capacity);
    this.item = new Int32Array(capacity);
    this.value = new Float64Array(capacity);
    this.action = new Int32Array(capacity);
    this.idHigh = new Int32Array(capacity);
    this.idLow = new Int32Array(capacity);
    this.exposureHigh = new Int32Array(capacity);
    this.exposureLow = new Int32Array(capacity);
    this.flags = new Uint8Array(capacity);
  }

  clear(): void {
    this.length = 0;
  }

  /** Makes room for one more row. */
  reserve(): void {
    if (this.length < this.ts.length) return;
    const capacity = this.ts.length * 2;
    this.ts = grown(this.ts, new Float64Array(capacity));
    this.user = grown(this.user, new Int32Array(capacity));
    this.item = grown(this.item, new Int32Array(capacity));
    this.value = grown(this.value, new Float64Array(capacity));
    this.action = grown(this.action, new Int32Array(capacity));
    this.idHigh = grown(this.idHigh, new Int32Array(capacity));
    this.idLow = grown(this.idLow, new Int32Array(capacity));
    this.exposureHigh = grown(this.exposureHigh, new Int32Array(capacity));
    this.exposureLow = grown(this.exposureLow, new Int32Array(capacity));
    this.flags = grown(this.flags, new Uint8Array(capacity));
  }
}

export class ExposureColumns {
  length = 0;
  ts: Float64Array;
  user: Int32Array;
  model: Int32Array;
  idHigh: Int32Array;
  idLow: Int32Array;
  flags: Uint8Array;
  /** How many items the list was ranked among; −1 where the event does not say. */
  candidates: Float64Array;
  /** The list of row r is items[listStart[r]] .. items[listStart[r + 1] − 1], best first. */
  listStart: Int32Array;
  items: Int32Array;
  /** As `items`, where `flags & HAS_PROPENSITIES`; as long as the last of these needed it. */
  propensities = new Float32Array(0);

  constructor(capacity = 256, itemCapacity = 8192) {
    this.ts = new Float64Array(capacity);
    this.user = new Int32Array(capacity);
    this.model = new Int32Array(capacity);
    this.idHigh = new Int32Array(capacity);
    this.idLow = new Int32Array(capacity);
    this.flags = new Uint8Array(capacity);
    this.candidates = new Float64Array(capacity);
    this.listStart = new Int32Array(capacity + 1);
    this.items = new Int32Array(itemCapacity);
  }

  clear(): void {
    this.length = 0;
  }

  /** Makes room for the propensities of the row that `reserve` made room for. */
  reservePropensities(): void {
    if (this.propensities.length === this.items.length) return;
    this.propensities = grown(this.propensities, new Float32Array(this.items.length));
  }

  /** Makes room for one more row with a list of `size` items. */
  reserve(size: number): void {
    if (this.length === this.ts.length) {
      const capacity = this.ts.length * 2;
      this.ts = grown(this.ts, new Float64Array(capacity));
      this.user = grown(this.user, new Int32Array(capacity));
      this.model = grown(this.model, new Int32Array(capacity));
      this.idHigh = grown(this.idHigh, new Int32Array(capacity));
      this.idLow = grown(this.idLow, new Int32Array(capacity));
      this.flags = grown(this.flags, new Uint8Array(capacity));
      this.candidates = grown(this.candidates, new Float64Array(capacity));
      this.listStart = grown(this.listStart, new Int32Array(capacity + 1));
    }
    const needed = this.listStart[this.length] + size;
    if (needed > this.items.length) {
      this.items = grown(this.items, new Int32Array(Math.max(needed, this.items.length * 2)));
    }
  }
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
