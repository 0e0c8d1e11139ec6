import {
  type ExposureColumns,
  HAS_PROPENSITIES,
  type InteractionColumns,
} from '../../events/columns.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';
import { markIds } from '../ids/mark.js';
import type { UserDepths } from '../ids/user-depths.js';
import { timeOrder } from './time-order.js';

/** Room beyond what is expected: what comes is not quite like what has come. */
const MARGIN = 1 / 8;
/** However much is expected, it may turn out to be wrong. */
const LARGEST_STEP = 8;

/** Set beside the flags of an event whose value is at least `positive.minValue`. */
export const POSITIVE = 128;
/** Set beside the flags of a late event: it counts in popularity and nowhere else. */
export const LATE = 64;

/**
 * Events of one pane as they arrive, before their order in time is known. They are attributed and
 * counted when the pane closes, in order of event time: so neither the order of arrival nor the
 * interleaving of the two topics reaches a number.
 */
export class OpenPane {
  readonly interactions = new PendingInteractions();
  readonly exposures = new PendingExposures();

  /**
   * What is pending now, to be written later. Columns are only added to, and replaced when they
   * grow: their beginnings do not change while they are written.
   */
  capture(): (to: BinaryWriter, ids: Dictionaries) => Generator<void, void> {
    const interactions = this.interactions.capture();
    const exposures = this.exposures.capture();
    return function* write(to, ids) {
      yield* interactions(to, ids);
      yield* exposures(to, ids);
    };
  }

  /** Sets the flags of the users of what is pending. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    const { interactions, exposures } = this;
    yield* markIds(flags, interactions.user, interactions.length);
    yield* markIds(flags, exposures.user, exposures.length);
  }

  /** Sets the flags of the items of what is pending. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    const { interactions, exposures } = this;
    yield* markIds(flags, interactions.item, interactions.length);
    yield* markIds(flags, exposures.items, exposures.listStart[exposures.length]);
  }

  /** A message between threads keeps the fields of an object and not its class. */
  static revived({ interactions, exposures }: OpenPane): OpenPane {
    const pane = new OpenPane();
    Object.assign(pane.interactions, interactions);
    Object.assign(pane.exposures, exposures);
    return pane;
  }

  static read(from: BinaryReader, places: Places): OpenPane {
    const pane = new OpenPane();
    pane.interactions.read(from, places);
    pane.exposures.read(from, places);
    return pane;
  }
}

class PendingInteractions {
  length = 0;
  /** Those that are not late: they get rows. */
  rows = 0;
  flags = new Uint8Array(64);
  ts = new Float64Array(64);
  user = new Int32Array(64);
  item = new Int32Array(64);
  /** Hash of the named exposure's id, where the interaction names one. */
  namedHigh = new Int32Array(64);
  namedLow = new Int32Array(64);

  add(from: InteractionColumns, r: number, flags: number): void {
    const at = this.length;
    if (at === this.ts.length) this.reserve(1);
    this.flags[at] = flags;
    this.ts[at] = from.ts[r];
    this.user[at] = from.user[r];
    this.item[at] = from.item[r];
    this.namedHigh[at] = from.exposureHigh[r];
    this.namedLow[at] = from.exposureLow[r];
    this.length = at + 1;
    if ((flags & LATE) === 0) this.rows++;
  }

  /**
   * Makes room for so many rows more.
   *
   * @param share how much of all that will come these and those before them are; 1 where that is
   * not known. Growing moves what is there, so it is better not to grow often.
   */
  reserve(rows: number, share = 1): void {
    const capacity = enough(this.ts.length, this.length + rows, share);
    if (capacity === this.ts.length) return;
    this.flags = enlarged(this.flags, capacity);
    this.ts = enlarged(this.ts, capacity);
    this.user = enlarged(this.user, capacity);
    this.item = enlarged(this.item, capacity);
    this.namedHigh = enlarged(this.namedHigh, capacity);
    this.namedLow = enlarged(this.namedLow, capacity);
  }

  /** Adds these rows; none of them may be late. */
  addRows(from: InteractionColumns, rows: Int32Array, flags: Uint8Array): void {
    const at = this.length;
    this.reserve(rows.length);
    gather(flags, rows, this.flags, at);
    gather(from.ts, rows, this.ts, at);
    gather(from.user, rows, this.user, at);
    gather(from.item, rows, this.item, at);
    gather(from.exposureHigh, rows, this.namedHigh, at);
    gather(from.exposureLow, rows, this.namedLow, at);
    this.length = at + rows.length;
    this.rows += rows.length;
  }

  /** Adds to the counts how many there are of each depth of the user. */
  byDepth(depths: UserDepths, counts: Float64Array): Float64Array {
    for (let r = 0; r < this.length; r++) counts[depths.of(this.user[r])]++;
    return counts;
  }

  /** Keeps some users' events, in new columns: those that were captured stay as they are. */
  retain(isKept: (user: number) => boolean, letGo: (r: number) => void): void {
    this.#keep(divided(this.user, this.length, isKept, letGo));
  }

  /** Leaves out these rows, given in ascending order. */
  remove(rows: readonly number[]): void {
    this.#keep(others(rows, this.length));
  }

  #keep(kept: Int32Array): void {
    this.length = kept.length;
    this.flags = taken(this.flags, kept);
    this.ts = taken(this.ts, kept);
    this.user = taken(this.user, kept);
    this.item = taken(this.item, kept);
    this.namedHigh = taken(this.namedHigh, kept);
    this.namedLow = taken(this.namedLow, kept);
    this.rows = 0;
    for (let r = 0; r < this.length; r++) if ((this.flags[r] & LATE) === 0) this.rows++;
  }

  order(): Int32Array {
    return timeOrder(this.ts, this.length);
  }

  capture(): (to: BinaryWriter, ids: Dictionaries) => Generator<void, void> {
    const { length, rows, flags, ts, user, item, namedHigh, namedLow } = this;
    return function* write(to, { items }) {
      to.number(rows);
      to.column(flags, length);
      to.column(ts, length);
      to.column(user, length);
      yield* items.write(to, item, length);
      to.column(namedHigh, length);
      to.column(namedLow, length);
      yield;
    };
  }

  read(from: BinaryReader, { items }: Places): void {
    this.rows = from.number();
    this.flags = roomy(from.uint8());
    this.ts = roomy(from.float64());
    this.user = roomy(from.int32());
    const item = items.column(from);
    this.length = item.length;
    this.item = roomy(item);
    this.namedHigh = roomy(from.int32());
    this.namedLow = roomy(from.int32());
  }
}

class PendingExposures {
  length = 0;
  flags = new Uint8Array(64);
  ts = new Float64Array(64);
  user = new Int32Array(64);
  model = new Int32Array(64);
  idHigh = new Int32Array(64);
  idLow = new Int32Array(64);
  candidates = new Float64Array(64);
  /** The list of exposure r is items[listStart[r]] .. items[listStart[r + 1] − 1]. */
  listStart = new Int32Array(65);
  items = new Int32Array(512);
  /** As `items`, where `flags & HAS_PROPENSITIES`; empty while no exposure has any. */
  propensities = new Float32Array(0);

  add(from: ExposureColumns, r: number, flags: number): void {
    const at = this.length;
    if (at === this.ts.length) this.reserve(1, 0);
    this.flags[at] = flags;
    this.ts[at] = from.ts[r];
    this.user[at] = from.user[r];
    this.model[at] = from.model[r];
    this.idHigh[at] = from.idHigh[r];
    this.idLow[at] = from.idLow[r];
    this.candidates[at] = from.candidates[r];
    this.#addList(at, from.items, from.listStart[r], from.listStart[r + 1]);
    if ((flags & HAS_PROPENSITIES) !== 0) {
      this.#addPropensities(at, from.propensities, from.listStart[r]);
    }
    this.length = at + 1;
  }

  /** As of interactions; `items` is how many more of these there are. */
  reserve(rows: number, items: number, share = 1): void {
    const listed = enough(this.items.length, this.entries + items, share);
    if (listed > this.items.length) this.items = enlarged(this.items, listed);
    const capacity = enough(this.ts.length, this.length + rows, share);
    if (capacity === this.ts.length) return;
    this.flags = enlarged(this.flags, capacity);
    this.ts = enlarged(this.ts, capacity);
    this.user = enlarged(this.user, capacity);
    this.model = enlarged(this.model, capacity);
    this.idHigh = enlarged(this.idHigh, capacity);
    this.idLow = enlarged(this.idLow, capacity);
    this.candidates = enlarged(this.candidates, capacity);
    this.listStart = enlarged(this.listStart, capacity + 1);
  }

  /** Items of all lists. */
  get entries(): number {
    return this.listStart[this.length];
  }

  /** Adds to the counts how many items of lists there are of each depth of the user. */
  byDepth(depths: UserDepths, counts: Float64Array): Float64Array {
    for (let r = 0; r < this.length; r++) {
      counts[depths.of(this.user[r])] += this.listStart[r + 1] - this.listStart[r];
    }
    return counts;
  }

  /** Keeps some users' events, in new columns: those that were captured stay as they are. */
  retain(isKept: (user: number) => boolean, letGo: (r: number) => void): void {
    this.#keep(divided(this.user, this.length, isKept, letGo));
  }

  /** Leaves out these rows, given in ascending order. */
  remove(rows: readonly number[]): void {
    this.#keep(others(rows, this.length));
  }

  #keep(kept: Int32Array): void {
    this.length = kept.length;
    this.flags = taken(this.flags, kept);
    this.ts = taken(this.ts, kept);
    this.user = taken(this.user, kept);
    this.model = taken(this.model, kept);
    this.idHigh = taken(this.idHigh, kept);
    this.idLow = taken(this.idLow, kept);
    this.candidates = taken(this.candidates, kept);
    const { listStart, items, propensities } = this;
    this.listStart = new Int32Array(listStart.length);
    this.items = new Int32Array(items.length);
    this.propensities = new Float32Array(propensities.length);
    for (let at = 0; at < kept.length; at++) {
      const [from, to] = [listStart[kept[at]], listStart[kept[at] + 1]];
      this.#addList(at, items, from, to);
      const logged = propensities.subarray(from, to);
      if (logged.length > 0) this.propensities.set(logged, this.listStart[at]);
    }
  }

  order(): Int32Array {
    return timeOrder(this.ts, this.length);
  }

  capture(): (to: BinaryWriter, ids: Dictionaries) => Generator<void, void> {
    const { length, flags, ts, user, model, idHigh, idLow, candidates, listStart, items } = this;
    const { propensities } = this;
    const listed = listStart[length];
    return function* write(to, ids) {
      to.column(flags, length);
      to.column(ts, length);
      to.column(user, length);
      yield* ids.models.write(to, model, length);
      to.column(idHigh, length);
      to.column(idLow, length);
      to.column(candidates, length);
      to.column(listStart, length + 1);
      yield* ids.items.write(to, items, listed);
      to.column(propensities, Math.min(propensities.length, listed));
      yield;
    };
  }

  read(from: BinaryReader, { items, models }: Places): void {
    this.flags = roomy(from.uint8());
    this.ts = roomy(from.float64());
    this.user = roomy(from.int32());
    const model = models.column(from);
    this.length = model.length;
    this.model = roomy(model);
    this.idHigh = roomy(from.int32());
    this.idLow = roomy(from.int32());
    this.candidates = roomy(from.float64());
    this.listStart = new Int32Array(this.ts.length + 1);
    this.listStart.set(from.int32());
    this.items = roomy(items.column(from));
    const logged = from.float32();
    if (logged.length === 0) return;
    this.propensities = new Float32Array(this.items.length);
    this.propensities.set(logged);
  }

  #addList(at: number, list: Int32Array, from: number, to: number): void {
    const start = this.listStart[at];
    const end = start + to - from;
    if (end > this.items.length) this.reserve(0, to - from);
    for (let source = from, target = start; source < to; source++, target++) {
      this.items[target] = list[source];
    }
    this.listStart[at + 1] = end;
  }

  #addPropensities(at: number, list: Float32Array, from: number): void {
    if (this.propensities.length < this.items.length) {
      const longer = new Float32Array(this.items.length);
      longer.set(this.propensities);
      this.propensities = longer;
    }
    const start = this.listStart[at];
    const size = this.listStart[at + 1] - start;
    for (let i = 0; i < size; i++) this.propensities[start + i] = list[from + i];
  }
}

/** Rows of the users who are kept; the others are handed to `letGo`. */
function divided(
  user: Int32Array,
  length: number,
  isKept: (user: number) => boolean,
  letGo: (r: number) => void,
): Int32Array {
  const kept = new Int32Array(length);
  let size = 0;
  for (let r = 0; r < length; r++) {
    if (isKept(user[r])) kept[size++] = r;
    else letGo(r);
  }
  return kept.subarray(0, size);
}

/** The rows below `length` that are not among `rows`. */
function others(rows: readonly number[], length: number): Int32Array {
  const kept = new Int32Array(length - rows.length);
  let size = 0;
  let next = 0;
  for (let r = 0; r < length; r++) {
    if (r === rows[next]) next++;
    else kept[size++] = r;
  }
  return kept;
}

/** Writes these rows of a column to another, from `at` on. */
function gather<T extends Uint8Array | Int32Array | Float64Array>(
  from: T,
  rows: Int32Array,
  into: T,
  at: number,
): void {
  for (let n = 0; n < rows.length; n++) into[at + n] = from[rows[n]];
}

/** These rows of a column, in a new one of the same capacity. */
function taken<T extends Uint8Array | Int32Array | Float64Array>(from: T, rows: Int32Array): T {
  const column = new (from.constructor as new (length: number) => T)(from.length);
  for (let at = 0; at < rows.length; at++) column[at] = from[rows[at]];
  return column;
}

/** A column that was read, with room for at least one more: growing doubles. */
function roomy<T extends Uint8Array | Int32Array | Float64Array>(values: T): T {
  const column = new (values.constructor as new (length: number) => T)(Math.max(64, values.length));
  column.set(values);
  return column;
}

/**
 * A capacity that holds `needed`, and of what has yet to come as much as can be expected: pages
 * that nothing is written to cost nothing.
 */
function enough(capacity: number, needed: number, share: number): number {
  if (needed <= capacity) return capacity;
  if (share >= 1) return Math.max(2 * capacity, needed);
  const expected = Math.ceil((needed * (1 + MARGIN)) / share);
  return Math.max(needed, Math.min(LARGEST_STEP * capacity, expected));
}

function enlarged<T extends Uint8Array | Int32Array | Float64Array>(
  values: T,
  capacity: number,
): T {
  const larger = new (values.constructor as new (length: number) => T)(capacity);
  larger.set(values);
  return larger;
}
