import {
  type ExposureColumns,
  HAS_PROPENSITIES,
  type InteractionColumns,
} from '../events/columns.js';
import type { BinaryReader } from './binary-reader.js';
import type { BinaryWriter } from './binary-writer.js';
import type { Dictionaries, Places } from './dictionaries.js';
import { timeOrder } from './time-order.js';

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
  readonly interactions: PendingInteractions;
  readonly exposures: PendingExposures;

  /** @param like has had to hold about as much. */
  constructor(like?: OpenPane) {
    this.interactions = new PendingInteractions(like?.interactions.ts.length);
    this.exposures = new PendingExposures(like?.exposures.ts.length, like?.exposures.items.length);
  }

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

  static read(from: BinaryReader, places: Places): OpenPane {
    const pane = new OpenPane();
    pane.interactions.read(from, places);
    pane.exposures.read(from, places);
    return pane;
  }
}

/** Columns of interactions to be taken over. */
interface InteractionFields {
  readonly length: number;
  readonly flags: Uint8Array;
  readonly ts: Float64Array;
  readonly user: Int32Array;
  readonly item: Int32Array;
  readonly namedHigh: Int32Array;
  readonly namedLow: Int32Array;
}

/** Columns of lists to be taken over. */
type ListFields = Omit<ExposureColumns, 'clear' | 'reserve' | 'reservePropensities'>;

class PendingInteractions {
  length = 0;
  /** Those that are not late: they get rows. */
  rows = 0;
  flags: Uint8Array;
  ts: Float64Array;
  user: Int32Array;
  item: Int32Array;
  /** Hash of the named exposure's id, where the interaction names one. */
  namedHigh: Int32Array;
  namedLow: Int32Array;

  constructor(capacity = 64) {
    this.flags = new Uint8Array(capacity);
    this.ts = new Float64Array(capacity);
    this.user = new Int32Array(capacity);
    this.item = new Int32Array(capacity);
    this.namedHigh = new Int32Array(capacity);
    this.namedLow = new Int32Array(capacity);
  }

  add(from: InteractionColumns, r: number, flags: number): void {
    const at = this.length;
    if (at === this.ts.length) this.#grow();
    this.flags[at] = flags;
    this.ts[at] = from.ts[r];
    this.user[at] = from.user[r];
    this.item[at] = from.item[r];
    this.namedHigh[at] = from.exposureHigh[r];
    this.namedLow[at] = from.exposureLow[r];
    this.length = at + 1;
    if ((flags & LATE) === 0) this.rows++;
  }

  /** Adds all rows of a batch, with these flags; none of them may be late. */
  addAll(from: InteractionColumns, flags: Uint8Array): void {
    const { length, ts, user, item, exposureHigh: namedHigh, exposureLow: namedLow } = from;
    this.append({ length, flags, ts, user, item, namedHigh, namedLow });
  }

  /** Adds those from `start` on; none of them may be late. */
  append(from: InteractionFields, start = 0): void {
    const { length: end } = from;
    const at = this.length;
    this.length = at + end - start;
    this.rows += end - start;
    while (this.length > this.ts.length) this.#grow();
    this.flags.set(from.flags.subarray(start, end), at);
    this.ts.set(from.ts.subarray(start, end), at);
    this.user.set(from.user.subarray(start, end), at);
    this.item.set(from.item.subarray(start, end), at);
    this.namedHigh.set(from.namedHigh.subarray(start, end), at);
    this.namedLow.set(from.namedLow.subarray(start, end), at);
  }

  /** Lets go of those after the first `length`; none of them may be late. */
  truncate(length: number): void {
    this.rows -= this.length - length;
    this.length = length;
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

  #grow(): void {
    this.flags = doubled(this.flags);
    this.ts = doubled(this.ts);
    this.user = doubled(this.user);
    this.item = doubled(this.item);
    this.namedHigh = doubled(this.namedHigh);
    this.namedLow = doubled(this.namedLow);
  }
}

class PendingExposures {
  length = 0;
  flags: Uint8Array;
  ts: Float64Array;
  user: Int32Array;
  model: Int32Array;
  idHigh: Int32Array;
  idLow: Int32Array;
  candidates: Float64Array;
  /** The list of exposure r is items[listStart[r]] .. items[listStart[r + 1] − 1]. */
  listStart: Int32Array;
  items: Int32Array;
  /** As `items`, where `flags & HAS_PROPENSITIES`; empty while no exposure has any. */
  propensities = new Float32Array(0);

  constructor(capacity = 64, itemCapacity = 512) {
    this.flags = new Uint8Array(capacity);
    this.ts = new Float64Array(capacity);
    this.user = new Int32Array(capacity);
    this.model = new Int32Array(capacity);
    this.idHigh = new Int32Array(capacity);
    this.idLow = new Int32Array(capacity);
    this.candidates = new Float64Array(capacity);
    this.listStart = new Int32Array(capacity + 1);
    this.items = new Int32Array(itemCapacity);
  }

  add(from: ExposureColumns, r: number, flags: number): void {
    const at = this.length;
    if (at === this.ts.length) this.#grow();
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

  /** Adds those from `start` on, with these flags. */
  append(from: ListFields, start = 0, flags = from.flags): void {
    const { length: end, listStart } = from;
    const at = this.length;
    this.length = at + end - start;
    while (this.length > this.ts.length) this.#grow();
    this.flags.set(flags.subarray(start, end), at);
    this.ts.set(from.ts.subarray(start, end), at);
    this.user.set(from.user.subarray(start, end), at);
    this.model.set(from.model.subarray(start, end), at);
    this.idHigh.set(from.idHigh.subarray(start, end), at);
    this.idLow.set(from.idLow.subarray(start, end), at);
    this.candidates.set(from.candidates.subarray(start, end), at);
    const [first, last, target] = [listStart[start], listStart[end], this.listStart[at]];
    for (let r = 1; r <= end - start; r++) {
      this.listStart[at + r] = listStart[start + r] - first + target;
    }
    while (target + last - first > this.items.length) this.items = doubled(this.items);
    this.items.set(from.items.subarray(first, last), target);
    // Where it ends before the lists do, none of the others has any.
    if (from.propensities.length <= first) return;
    this.#widenPropensities();
    this.propensities.set(from.propensities.subarray(first, last), target);
  }

  /** Lets go of those after the first `length`. */
  truncate(length: number): void {
    this.length = length;
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
    while (end > this.items.length) this.items = doubled(this.items);
    for (let source = from, target = start; source < to; source++, target++) {
      this.items[target] = list[source];
    }
    this.listStart[at + 1] = end;
  }

  #widenPropensities(): void {
    if (this.propensities.length >= this.items.length) return;
    const longer = new Float32Array(this.items.length);
    longer.set(this.propensities);
    this.propensities = longer;
  }

  #addPropensities(at: number, list: Float32Array, from: number): void {
    this.#widenPropensities();
    const start = this.listStart[at];
    const size = this.listStart[at + 1] - start;
    for (let i = 0; i < size; i++) this.propensities[start + i] = list[from + i];
  }

  #grow(): void {
    this.flags = doubled(this.flags);
    this.ts = doubled(this.ts);
    this.user = doubled(this.user);
    this.model = doubled(this.model);
    this.idHigh = doubled(this.idHigh);
    this.idLow = doubled(this.idLow);
    this.candidates = doubled(this.candidates);
    const listStart = new Int32Array(this.ts.length + 1);
    listStart.set(this.listStart);
    this.listStart = listStart;
  }
}

/** A column that was read, with room for at least one more: growing doubles. */
function roomy<T extends Uint8Array | Int32Array | Float64Array>(values: T): T {
  const column = new (values.constructor as new (length: number) => T)(Math.max(64, values.length));
  column.set(values);
  return column;
}

function doubled<T extends Uint8Array | Int32Array | Float64Array>(values: T): T {
  const larger = new (values.constructor as new (length: number) => T)(values.length * 2);
  larger.set(values);
  return larger;
}
