import type { IdTable } from '../events/columns.js';
import { hash64, hashBytes } from '../events/hash.js';
import { Interner } from '../state/ids/interner.js';

/** Ids, each with a 64-bit hash. The hash of an id does not depend on the order of the ids. */
export class HashedIds implements IdTable {
  readonly ids = new Interner();
  high = new Int32Array(1024);
  low = new Int32Array(1024);
  readonly #halves = new Int32Array(2);

  get size(): number {
    return this.ids.size;
  }

  intern(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const known = this.ids.size;
    const id = this.ids.intern(bytes, start, end, hash);
    if (id === known) {
      this.#note(id, bytes, start, end);
    }
    return id;
  }

  #note(id: number, bytes: Uint8Array, start: number, end: number): void {
    if (id === this.high.length) {
      this.high = doubled(this.high);
      this.low = doubled(this.low);
    }
    hash64(bytes, start, end, this.#halves);
    this.high[id] = this.#halves[0];
    this.low[id] = this.#halves[1];
  }

  /** Rank of each id in the order of the ids' bytes. */
  places(): Int32Array {
    const order = Int32Array.from({ length: this.size }, (_, id) => id);
    order.sort((a, b) => this.ids.compare(a, b));
    const places = new Int32Array(this.size);
    order.forEach((id, place) => {
      places[id] = place;
    });
    return places;
  }
}

/** Tables of the users, items and actions of a set. */
export class SetIds {
  readonly users = new HashedIds();
  readonly items = new HashedIds();
  readonly actions = new Interner();

  constructor() {
    const bytes = new TextEncoder().encode(DEFAULT_ACTION);
    this.actions.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  }
}

/** Action of an interaction without one; its number is 0. */
const DEFAULT_ACTION = 'click';

function doubled(column: Int32Array): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(column.length * 2);
  longer.set(column);
  return longer;
}
