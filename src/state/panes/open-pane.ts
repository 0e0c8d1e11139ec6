import {
  enlarge,
  enlarged,
  gather,
  gatherColumn,
  keepRows,
  withColumns,
} from '../../events/column-table.js';
import {
  EARNS,
  type ExposureColumns,
  type InteractionColumns,
  LATE,
  PENDING_INTERACTION,
  RATED,
} from '../../events/columns.js';
import { SegmentCodes } from '../../events/segment-table.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import { SampledOut } from '../counts/sampled-out.js';
import { type EventPlaces, markIds } from '../ids/dictionaries.js';
import type { UserDepths } from '../ids/user-depths.js';
import {
  CAPACITY,
  enoughRoom,
  PendingExposures,
  rowsBut,
  rowsOfUsers,
  timeOrder,
} from './pending-exposures.js';
import { captureSegments, readEventSegments, type SegmentNames } from './row-segments.js';
import { depthCounts, levelWithin, type PaneLimits } from './sample-level.js';
import { captureColumns, readColumns, roomy, type Write } from './stored-columns.js';

/** Added to the number of rows in a checkpoint if ratings follow the columns. */
const HALF = 0.5;

/**
 * Added to the number of rows in a checkpoint if segment codes follow, after ratings and amounts.
 */
const QUARTER = 0.25;

/** Added to the number of rows in a checkpoint if amounts follow, after ratings. */
const EIGHTH = 0.125;

/** Interactions of an open pane, in the order of arrival. */
export class PendingInteractions extends withColumns(PENDING_INTERACTION) {
  /** Number of interactions that are not late and get rows. */
  rows = 0;
  /**
   * Code of the action plus one, 0 for the default action. May be shorter than the other columns.
   */
  action: Uint8Array = new Uint8Array(0);
  /** Rating of rows with `flags & RATED`; may be shorter than the other columns. */
  rating: Float32Array = new Float32Array(0);
  /** Amount of rows with `flags & EARNS`; may be shorter than the other columns. */
  amount: Float64Array = new Float64Array(0);
  /** Segment values given by the interactions. */
  segments = new SegmentCodes();

  constructor() {
    super(CAPACITY);
  }

  /** Append row r with these flags. Copies column by column, since this runs for every event. */
  add(from: InteractionColumns, r: number, flags: number): void {
    const at = this.length;
    if (at === this.ts.length) {
      this.reserve(1);
    }
    this.flags[at] = flags;
    this.ts[at] = from.ts[r];
    this.user[at] = from.user[r];
    this.item[at] = from.item[r];
    this.exposureHigh[at] = from.exposureHigh[r];
    this.exposureLow[at] = from.exposureLow[r];
    if (from.action[r] >= 0) {
      this.#noteAction(at, from.action[r]);
    }
    if ((flags & RATED) !== 0) {
      this.#noteRating(at, from.value[r]);
    }
    if ((flags & EARNS) !== 0) {
      this.#noteAmount(at, from.value[r]);
    }
    if (!from.segments.isEmpty) {
      this.segments.copy(at, this.ts.length, from.segments, r);
    }
    this.length = at + 1;
    if ((flags & LATE) === 0) {
      this.rows++;
    }
  }

  /** Add a row of another pane, with another time. */
  takeOver(from: PendingInteractions, r: number, ts: number): void {
    const at = this.length;
    if (at === this.ts.length) {
      this.reserve(1);
    }
    const flags = from.flags[r];
    this.flags[at] = flags;
    this.ts[at] = ts;
    this.user[at] = from.user[r];
    this.item[at] = from.item[r];
    this.exposureHigh[at] = from.exposureHigh[r];
    this.exposureLow[at] = from.exposureLow[r];
    const action = from.action[r] ?? 0;
    if (action > 0) {
      this.#noteAction(at, action - 1);
    }
    if ((flags & RATED) !== 0) {
      this.#noteRating(at, from.rating[r]);
    }
    if ((flags & EARNS) !== 0) {
      this.#noteAmount(at, from.amount[r]);
    }
    if (!from.segments.isEmpty) {
      this.segments.copy(at, this.ts.length, from.segments, r);
    }
    this.length = at + 1;
    if ((flags & LATE) === 0) {
      this.rows++;
    }
  }

  /**
   * Reserve space for more rows. Growing copies the columns, so it should be rare.
   *
   * @param share estimated fraction of all rows of the pane that is present once these rows are
   * added; 1 if unknown.
   */
  reserve(rows: number, share = 1): void {
    const capacity = enoughRoom(this.ts.length, this.length + rows, share);
    if (capacity > this.ts.length) {
      enlarge(PENDING_INTERACTION, this, capacity);
    }
  }

  /**
   * Append these rows of a batch, none of which may be late.
   *
   * @param flags by batch row; they replace the flags of the batch.
   */
  addRows(from: InteractionColumns, rows: Int32Array, flags: Uint8Array): void {
    const at = this.length;
    this.reserve(rows.length);
    gather(PENDING_INTERACTION, from, rows, this, at);
    gatherColumn(flags, rows, this.flags, at);
    for (let n = 0; n < rows.length; n++) {
      const action = from.action[rows[n]];
      if (action >= 0) {
        this.#noteAction(at + n, action);
      }
      if ((flags[rows[n]] & RATED) !== 0) {
        this.#noteRating(at + n, from.value[rows[n]]);
      }
      if ((flags[rows[n]] & EARNS) !== 0) {
        this.#noteAmount(at + n, from.value[rows[n]]);
      }
      if (!from.segments.isEmpty) {
        this.segments.copy(at + n, this.ts.length, from.segments, rows[n]);
      }
    }
    this.length = at + rows.length;
    this.rows += rows.length;
  }

  /** Add to `counts` the number of interactions by the user's depth. */
  byDepth(depths: UserDepths, counts: Float64Array): Float64Array {
    for (let r = 0; r < this.length; r++) {
      counts[depths.of(this.user[r])]++;
    }
    return counts;
  }

  /** Keep only the events of some users, in new columns, since captured columns must not change. */
  retain(isKept: (user: number) => boolean, sampledOut: (r: number) => void): void {
    this.#keep(rowsOfUsers(this.user, this.length, isKept, sampledOut));
  }

  /** Remove rows, given in ascending order. */
  remove(rows: readonly number[]): void {
    this.#keep(rowsBut(rows, this.length));
  }

  /** Row numbers, oldest event first. */
  order(): Int32Array {
    return timeOrder(this.ts, this.length);
  }

  /**
   * Capture the interactions for writing later.
   *
   * @param segments names of the segment values.
   */
  capture(segments?: SegmentNames): Write {
    const { rows, action, rating, amount, length } = this;
    const columns = captureColumns(PENDING_INTERACTION, this, length);
    const said =
      segments === undefined || this.segments.isEmpty
        ? undefined
        : captureSegments(this.segments, length, segments);
    return function* write(to, ids) {
      // A number below 0 announces actions, a half ratings, a quarter segments, an eighth amounts.
      const marks =
        (rating.length > 0 ? HALF : 0) +
        (said === undefined ? 0 : QUARTER) +
        (amount.length > 0 ? EIGHTH : 0);
      to.number(action.length === 0 ? rows + marks : -1 - rows - marks);
      yield* columns(to, ids);
      if (action.length > 0) {
        to.column(action, Math.min(length, action.length));
      }
      if (rating.length > 0) {
        to.column(rating, Math.min(length, rating.length));
      }
      if (amount.length > 0) {
        to.column(amount, Math.min(length, amount.length));
      }
      said?.(to);
      yield;
    };
  }

  read(from: BinaryReader, places: EventPlaces, segments?: SegmentNames): void {
    const stated = from.number();
    const rows = Math.trunc(stated);
    this.rows = rows < 0 ? -1 - rows : rows;
    this.length = readColumns(PENDING_INTERACTION, this, from, places);
    if (rows < 0) {
      this.action = roomy(from.uint8());
    }
    const marks = Math.abs(stated - rows);
    if (marks >= HALF) {
      this.rating = roomy(from.float32());
    }
    if (marks % QUARTER === EIGHTH) {
      this.amount = roomy(from.float64());
    }
    if (marks % HALF >= QUARTER) {
      readEventSegments(from, this.segments, this.length, segments);
    }
  }

  /** Record an action other than the default one. */
  #noteAction(at: number, code: number): void {
    if (at >= this.action.length) {
      this.action = enlarged(this.action, this.ts.length);
    }
    this.action[at] = code + 1;
  }

  #noteRating(at: number, value: number): void {
    if (at >= this.rating.length) {
      this.rating = enlarged(this.rating, this.ts.length);
    }
    this.rating[at] = value;
  }

  #noteAmount(at: number, value: number): void {
    if (at >= this.amount.length) {
      this.amount = enlarged(this.amount, this.ts.length);
    }
    this.amount[at] = value;
  }

  #keep(kept: Int32Array): void {
    if (this.amount.length > 0) {
      const amounts = new Float64Array(this.ts.length);
      for (let at = 0; at < kept.length; at++) {
        amounts[at] = this.amount[kept[at]] ?? 0;
      }
      this.amount = amounts;
    }
    if (this.rating.length > 0) {
      const ratings = new Float32Array(this.ts.length);
      for (let at = 0; at < kept.length; at++) {
        ratings[at] = this.rating[kept[at]] ?? 0;
      }
      this.rating = ratings;
    }
    if (this.action.length > 0) {
      const actions = new Uint8Array(this.ts.length);
      for (let at = 0; at < kept.length; at++) {
        actions[at] = this.action[kept[at]] ?? 0;
      }
      this.action = actions;
    }
    this.segments.keep(kept);
    keepRows(PENDING_INTERACTION, this, kept);
    this.length = kept.length;
    this.rows = 0;
    for (let r = 0; r < this.length; r++) {
      if ((this.flags[r] & LATE) === 0) {
        this.rows++;
      }
    }
  }
}

/**
 * Events of one pane in the order of arrival. They are attributed and counted when the pane closes,
 * in order of event time, so the order of arrival does not matter.
 */
export class PendingEvents {
  readonly interactions = new PendingInteractions();
  readonly exposures = new PendingExposures();

  /**
   * Capture the pending events for writing later. Columns need no copy, since they are only
   * appended to, or replaced when they grow.
   */
  capture(segments?: SegmentNames): Write {
    const interactions = this.interactions.capture(segments);
    const exposures = this.exposures.capture(segments);
    return function* write(to, ids) {
      yield* interactions(to, ids);
      yield* exposures(to, ids);
    };
  }

  /** Mark the users of pending events as in use: flags[user] = 1. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    const { interactions, exposures } = this;
    yield* markIds(flags, interactions.user, interactions.length);
    yield* markIds(flags, exposures.user, exposures.length);
  }

  /** Mark the items of pending events as in use: flags[item] = 1. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    const { interactions, exposures } = this;
    yield* markIds(flags, interactions.item, interactions.length);
    yield* markIds(flags, exposures.items, exposures.entries);
  }

  /** Mark the model names of pending lists as in use: flags[name] = 1. */
  *markModels(flags: Uint8Array): Generator<void, void> {
    yield* markIds(flags, this.exposures.model, this.exposures.length);
  }

  static read(from: BinaryReader, places: EventPlaces, segments?: SegmentNames): PendingEvents {
    const pending = new PendingEvents();
    pending.interactions.read(from, places, segments);
    pending.exposures.read(from, places, segments);
    return pending;
  }
}

/**
 * An open pane within its memory limits. Above a limit its sampling level rises, and events of
 * users below that depth are only counted.
 *
 *   level = min { k : events and list items of users of depth ≥ k are within the limits }
 *
 * The level only rises, to what all events of the pane require, so the final level does not depend
 * on the order of events. Each rise costs one pass over the pending events, and halves their number
 * on average.
 */
export class OpenPane {
  readonly pending: PendingEvents;
  readonly #limits: PaneLimits;
  readonly #depths: UserDepths | undefined;
  #level = 0;
  #sampledOut: SampledOut | undefined;

  /** @param depths of the partition's users; without them users cannot be sampled. */
  constructor(limits: PaneLimits, depths: UserDepths | undefined, pending = new PendingEvents()) {
    this.#limits = limits;
    this.#depths = depths;
    this.pending = pending;
  }

  /** Sampling level: only events of users of at least this depth are pending; 0 for all users. */
  get level(): number {
    return this.#level;
  }

  /** Counts of events outside the sample; undefined if there are none. */
  get sampledOut(): SampledOut | undefined {
    return this.#sampledOut;
  }

  addInteraction(from: InteractionColumns, r: number, flags: number): void {
    if (this.#level > 0 && this.#depths!.of(from.user[r]) < this.#level) {
      this.#sampledOut!.addInteraction(from.user[r], from.item[r], flags);
      return;
    }
    const { interactions } = this.pending;
    interactions.add(from, r, flags);
    if (interactions.length > this.#limits.rows) {
      this.#rise();
    }
  }

  /** Add these rows of a batch, with `flags` by batch row; none may be late. */
  addInteractions(from: InteractionColumns, rows: Int32Array, flags: Uint8Array): void {
    const { interactions } = this.pending;
    if (this.#level === 0 && interactions.length + rows.length <= this.#limits.rows) {
      interactions.addRows(from, rows, flags);
      return;
    }
    for (const r of rows) {
      this.addInteraction(from, r, flags[r]);
    }
  }

  /** Add an interaction of another pane, with another time. */
  takeOver(from: PendingInteractions, r: number, ts: number): void {
    if (this.#level > 0 && this.#depths!.of(from.user[r]) < this.#level) {
      this.#sampledOut!.addInteraction(from.user[r], from.item[r], from.flags[r]);
      return;
    }
    const { interactions } = this.pending;
    interactions.takeOver(from, r, ts);
    if (interactions.length > this.#limits.rows) {
      this.#rise();
    }
  }

  addExposure(from: ExposureColumns, r: number, flags: number): void {
    if (this.#level > 0 && this.#depths!.of(from.user[r]) < this.#level) {
      const first = from.listStart[r];
      const end = from.listStart[r + 1];
      this.#sampledOut!.addExposure(from.model[r], flags, from.items, first, end);
      return;
    }
    const { exposures } = this.pending;
    exposures.add(from, r, flags);
    if (exposures.entries > this.#limits.listEntries) {
      this.#rise();
    }
  }

  /** Mark the users of the pane's events as in use, including those outside the sample. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    yield* this.pending.markUsers(flags);
    if (this.#sampledOut !== undefined) {
      yield* this.#sampledOut.markUsers(flags);
    }
  }

  /** Mark the items of the pane's events as in use, including those outside the sample. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    yield* this.pending.markItems(flags);
    if (this.#sampledOut !== undefined) {
      yield* this.#sampledOut.markItems(flags);
    }
  }

  /** Mark the model names of the pane's lists as in use, including those outside the sample. */
  *markModels(flags: Uint8Array): Generator<void, void> {
    yield* this.pending.markModels(flags);
    for (const name of this.#sampledOut?.lists.keys() ?? []) {
      flags[name] = 1;
    }
  }

  /** Capture the pane for writing later, see `PendingEvents.capture`. */
  capture(segments?: SegmentNames): Write {
    const level = this.#level;
    const pending = this.pending.capture(segments);
    const sampledOut = this.#sampledOut?.capture();
    return function* write(to, ids) {
      to.number(level);
      yield* pending(to, ids);
      if (sampledOut !== undefined) {
        yield* sampledOut(to, ids);
      }
    };
  }

  static read(
    from: BinaryReader,
    places: EventPlaces,
    limits: PaneLimits,
    depths: UserDepths | undefined,
    segments?: SegmentNames,
  ): OpenPane {
    const level = from.number();
    const pane = new OpenPane(limits, depths, PendingEvents.read(from, places, segments));
    pane.#level = level;
    if (level > 0) {
      pane.#sampledOut = SampledOut.read(from, places, limits.popularity);
    }
    return pane;
  }

  #rise(): void {
    const { interactions, exposures } = this.pending;
    const depths = this.#depths!;
    const sampledOut = this.#sampledOut ?? new SampledOut(this.#limits.popularity);
    this.#sampledOut = sampledOut;
    const level = Math.max(
      levelWithin(interactions.byDepth(depths, depthCounts()), this.#limits.rows),
      levelWithin(exposures.byDepth(depths, depthCounts()), this.#limits.listEntries),
    );
    this.#level = level;
    const isKept = (user: number) => depths.of(user) >= level;
    interactions.retain(isKept, (r) => {
      sampledOut.addInteraction(interactions.user[r], interactions.item[r], interactions.flags[r]);
    });
    exposures.retain(isKept, (r) => {
      const { model, flags, items, listStart } = exposures;
      sampledOut.addExposure(model[r], flags[r], items, listStart[r], listStart[r + 1]);
    });
  }
}
