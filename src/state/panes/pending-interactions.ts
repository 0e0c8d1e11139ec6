import {
  enlarge,
  enlarged,
  gather,
  gatherColumn,
  keepRows,
  withColumns,
} from '../../events/column-table.js';
import { type InteractionColumns, LATE, PENDING_INTERACTION, RATED } from '../../events/columns.js';
import { SegmentCodes } from '../../events/segment-codes.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { EventPlaces } from '../ids/dictionaries.js';
import type { UserDepths } from '../ids/user-depths.js';
import { captureSegments, readEventSegments } from './event-segments.js';
import { enoughRoom, rowsBut, rowsOfUsers } from './pending-rows.js';
import type { SegmentNames } from './row-segments.js';
import { captureColumns, readColumns, roomy, type Write } from './stored-columns.js';
import { timeOrder } from './time-order.js';

const CAPACITY = 64;
/** Beside the number of rows in a checkpoint: ratings stand behind the columns. */
const HALF = 0.5;
/** The same of segments, behind these. */
const QUARTER = 0.25;

/** Interactions of an open pane, in the order in which they came. */
export class PendingInteractions extends withColumns(PENDING_INTERACTION) {
  /** Those that are not late: they get rows. */
  rows = 0;
  /** Code of the action plus one, 0 for a usual one; empty while all are, and may be shorter. */
  action: Uint8Array = new Uint8Array(0);
  /** Where `flags & RATED`; empty while none is, and may be shorter. */
  rating: Float32Array = new Float32Array(0);
  /** What the interactions say of themselves. */
  segments = new SegmentCodes();

  constructor() {
    super(CAPACITY);
  }

  /** Column by column: it runs for every event. */
  add(from: InteractionColumns, r: number, flags: number): void {
    const at = this.length;
    if (at === this.ts.length) this.reserve(1);
    this.flags[at] = flags;
    this.ts[at] = from.ts[r];
    this.user[at] = from.user[r];
    this.item[at] = from.item[r];
    this.exposureHigh[at] = from.exposureHigh[r];
    this.exposureLow[at] = from.exposureLow[r];
    if (from.action[r] >= 0) this.#noteAction(at, from.action[r]);
    if ((flags & RATED) !== 0) this.#noteRating(at, from.value[r]);
    if (!from.segments.isEmpty) this.segments.copy(at, this.ts.length, from.segments, r);
    this.length = at + 1;
    if ((flags & LATE) === 0) this.rows++;
  }

  /**
   * Makes room for this many rows more.
   *
   * @param share how much of all that will come these and those before them are; 1 if that is
   * not known. Growing moves what is there, so it is better not to grow often.
   */
  reserve(rows: number, share = 1): void {
    const capacity = enoughRoom(this.ts.length, this.length + rows, share);
    if (capacity > this.ts.length) enlarge(PENDING_INTERACTION, this, capacity);
  }

  /** Adds these rows, with other flags; none of them may be late. */
  addRows(from: InteractionColumns, rows: Int32Array, flags: Uint8Array): void {
    const at = this.length;
    this.reserve(rows.length);
    gather(PENDING_INTERACTION, from, rows, this, at);
    gatherColumn(flags, rows, this.flags, at);
    for (let n = 0; n < rows.length; n++) {
      const action = from.action[rows[n]];
      if (action >= 0) this.#noteAction(at + n, action);
      if ((flags[rows[n]] & RATED) !== 0) this.#noteRating(at + n, from.value[rows[n]]);
      if (!from.segments.isEmpty) {
        this.segments.copy(at + n, this.ts.length, from.segments, rows[n]);
      }
    }
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
    this.#keep(rowsOfUsers(this.user, this.length, isKept, letGo));
  }

  /** Leaves out these rows, given in ascending order. */
  remove(rows: readonly number[]): void {
    this.#keep(rowsBut(rows, this.length));
  }

  /** Row numbers, oldest event first. */
  order(): Int32Array {
    return timeOrder(this.ts, this.length);
  }

  /** @param segments names of what they say of themselves. */
  capture(segments?: SegmentNames): Write {
    const { rows, action, rating, length } = this;
    const columns = captureColumns(PENDING_INTERACTION, this, length);
    const said =
      segments === undefined || this.segments.isEmpty
        ? undefined
        : captureSegments(this.segments, length, segments);
    return function* write(to, ids) {
      // Below 0: actions follow; with a half: ratings do; with a quarter: segments.
      const marks = (rating.length > 0 ? HALF : 0) + (said === undefined ? 0 : QUARTER);
      to.number(action.length === 0 ? rows + marks : -1 - rows - marks);
      yield* columns(to, ids);
      if (action.length > 0) to.column(action, Math.min(length, action.length));
      if (rating.length > 0) to.column(rating, Math.min(length, rating.length));
      said?.(to);
      yield;
    };
  }

  read(from: BinaryReader, places: EventPlaces, segments?: SegmentNames): void {
    const stated = from.number();
    const rows = Math.trunc(stated);
    this.rows = rows < 0 ? -1 - rows : rows;
    this.length = readColumns(PENDING_INTERACTION, this, from, places);
    if (rows < 0) this.action = roomy(from.uint8());
    const marks = Math.abs(stated - rows);
    if (marks >= HALF) this.rating = roomy(from.float32());
    if (marks % HALF === QUARTER) readEventSegments(from, this.segments, this.length, segments);
  }

  /** Of one that is not usual: where it is the first, all before it are. */
  #noteAction(at: number, code: number): void {
    if (at >= this.action.length) this.action = enlarged(this.action, this.ts.length);
    this.action[at] = code + 1;
  }

  #noteRating(at: number, value: number): void {
    if (at >= this.rating.length) this.rating = enlarged(this.rating, this.ts.length);
    this.rating[at] = value;
  }

  #keep(kept: Int32Array): void {
    if (this.rating.length > 0) {
      const ratings = new Float32Array(this.ts.length);
      for (let at = 0; at < kept.length; at++) ratings[at] = this.rating[kept[at]] ?? 0;
      this.rating = ratings;
    }
    if (this.action.length > 0) {
      const actions = new Uint8Array(this.ts.length);
      for (let at = 0; at < kept.length; at++) actions[at] = this.action[kept[at]] ?? 0;
      this.action = actions;
    }
    this.segments.keep(kept);
    keepRows(PENDING_INTERACTION, this, kept);
    this.length = kept.length;
    this.rows = 0;
    for (let r = 0; r < this.length; r++) if ((this.flags[r] & LATE) === 0) this.rows++;
  }
}
