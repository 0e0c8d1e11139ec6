import { enlarge, enlarged, keepRows, withColumns } from '../../events/column-table.js';
import {
  EXPOSURE,
  type ExposureColumns,
  HAS_PROPENSITIES,
  HAS_REQUEST,
  HAS_SCORES,
  LATE,
  type ListColumns,
  REQUEST,
  RequestColumns,
} from '../../events/columns.js';
import { SegmentCodes } from '../../events/segment-table.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { EventPlaces } from '../ids/dictionaries.js';
import type { UserDepths } from '../ids/user-depths.js';
import { captureSegments, readEventSegments, type SegmentNames } from './row-segments.js';
import { captureColumns, readColumns, roomy, type Write } from './stored-columns.js';

const DIGIT_BITS = 11;

const DIGITS = 1 << DIGIT_BITS;

/**
 * Sort the first n times, oldest first; equal times keep their order of arrival.
 * Least-significant-digit radix sort on ts − min(ts): O(n · ⌈bits/11⌉), and O(n) if the times are
 * already in order, as in most logs. A comparison sort takes 4 to 6 times as long without a yield
 * (`values.ingest_stall` of `npm run bench`).
 *
 * @param ts event times, integer ms
 * @returns a permutation of 0 .. n − 1; empty for n = 0
 *
 * @example
 * timeOrder(Float64Array.of(30, 10, 20), 3); // [1, 2, 0]
 */
export function timeOrder(ts: Float64Array, n: number): Int32Array {
  let order = new Int32Array(n);
  let sorted = true;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let r = 0; r < n; r++) {
    order[r] = r;
    if (r > 0 && ts[r] < ts[r - 1]) {
      sorted = false;
    }
    if (ts[r] < min) {
      min = ts[r];
    }
    if (ts[r] > max) {
      max = ts[r];
    }
  }
  if (sorted) return order;
  let other = new Int32Array(n);
  const starts = new Int32Array(DIGITS + 1);
  for (let scale = 1; scale <= max - min; scale *= DIGITS) {
    starts.fill(0);
    for (let j = 0; j < n; j++) {
      starts[digit(ts[j] - min, scale) + 1]++;
    }
    for (let d = 0; d < DIGITS; d++) {
      starts[d + 1] += starts[d];
    }
    for (let j = 0; j < n; j++) {
      const r = order[j];
      other[starts[digit(ts[r] - min, scale)]++] = r;
    }
    [order, other] = [other, order];
  }
  return order;
}

function digit(offset: number, scale: number): number {
  return Math.floor(offset / scale) % DIGITS;
}

/** Capacity reserved beyond the expected size, as a fraction of it. */
const MARGIN = 1 / 8;

/**
 * Largest factor by which a column grows at once. It limits the growth if the expected size is
 * wrong.
 */
const LARGEST_STEP = 8;

/** Rows of the kept users; the others are passed to `sampledOut`. */
export function rowsOfUsers(
  user: Int32Array,
  length: number,
  isKept: (user: number) => boolean,
  sampledOut: (r: number) => void,
): Int32Array {
  const kept = new Int32Array(length);
  let size = 0;
  for (let r = 0; r < length; r++) {
    if (isKept(user[r])) {
      kept[size++] = r;
    } else {
      sampledOut(r);
    }
  }
  return kept.subarray(0, size);
}

/** The rows below `length` that are not in `rows`, which is ascending. */
export function rowsBut(rows: readonly number[], length: number): Int32Array {
  const kept = new Int32Array(length - rows.length);
  let size = 0;
  let next = 0;
  for (let r = 0; r < length; r++) {
    if (r === rows[next]) {
      next++;
    } else {
      kept[size++] = r;
    }
  }
  return kept;
}

/**
 * Choose the capacity of a column for `needed` rows, which are estimated to be the fraction `share`
 * of the final number of rows. A larger capacity than needed is harmless: memory pages that are
 * never written cost nothing.
 */
export function enoughRoom(capacity: number, needed: number, share: number): number {
  if (needed <= capacity) return capacity;
  if (share >= 1) return Math.max(2 * capacity, needed);
  const expected = Math.ceil((needed * (1 + MARGIN)) / share);
  return Math.max(needed, Math.min(LARGEST_STEP * capacity, expected));
}

export const CAPACITY = 64;

/**
 * Bits of a marker in a checkpoint that says which optional columns follow: scores, requests and
 * segments, in this order. The marker is minus the sum of the bits; it stands after the starts of
 * lists.
 */
const REQUESTS_FOLLOW = 1;

const SCORES_FOLLOW = 2;

const SEGMENTS_FOLLOW = 4;

/** Exposures of an open pane, in the order of arrival. */
export class PendingExposures extends withColumns(EXPOSURE) implements ListColumns {
  listStart: Int32Array = new Int32Array(CAPACITY + 1);
  items: Int32Array = new Int32Array(8 * CAPACITY);
  /** Empty as long as no exposure has propensities. */
  propensities: Float32Array = new Float32Array(0);
  /** Empty as long as no exposure has scores. */
  scores: Float32Array = new Float32Array(0);
  readonly requests = new RequestColumns();
  /** Segment values given by the lists. */
  segments = new SegmentCodes();

  constructor() {
    super(CAPACITY);
  }

  /** Append row r with these flags. Copies column by column, since this runs for every event. */
  add(from: ExposureColumns, r: number, flags: number): void {
    const at = this.length;
    if (at === this.ts.length) {
      this.reserve(1, 0);
    }
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
    if ((flags & HAS_SCORES) !== 0) {
      this.#addScores(at, from.scores, from.listStart[r]);
    }
    if ((flags & HAS_REQUEST) !== 0) {
      this.#addRequest(at, from.requests, r);
    }
    if (!from.segments.isEmpty) {
      this.segments.copy(at, this.ts.length, from.segments, r);
    }
    this.length = at + 1;
  }

  /**
   * Reserve space, see `PendingInteractions.reserve`. `items` is the number of further list items.
   */
  reserve(rows: number, items: number, share = 1): void {
    const listed = enoughRoom(this.items.length, this.entries + items, share);
    if (listed > this.items.length) {
      this.items = enlarged(this.items, listed);
    }
    const capacity = enoughRoom(this.ts.length, this.length + rows, share);
    if (capacity === this.ts.length) return;
    enlarge(EXPOSURE, this, capacity);
    this.listStart = enlarged(this.listStart, capacity + 1);
    if (this.#hasRequests) {
      enlarge(REQUEST, this.requests, capacity);
    }
  }

  /** Number of items of all lists. */
  get entries(): number {
    return this.listStart[this.length];
  }

  get #hasRequests(): boolean {
    return this.requests.share.length > 0;
  }

  /** Add to `counts` the number of list items by the user's depth. */
  byDepth(depths: UserDepths, counts: Float64Array): Float64Array {
    for (let r = 0; r < this.length; r++) {
      counts[depths.of(this.user[r])] += this.listStart[r + 1] - this.listStart[r];
    }
    return counts;
  }

  /** Keep only the lists of some users, in new columns, since captured columns must not change. */
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

  /** Number of lists by model, without late ones. */
  byModel(): Map<number, number> {
    const lists = new Map<number, number>();
    for (let r = 0; r < this.length; r++) {
      if ((this.flags[r] & LATE) !== 0) continue;
      lists.set(this.model[r], (lists.get(this.model[r]) ?? 0) + 1);
    }
    return lists;
  }

  /**
   * Renumber models, and remove the lists of models without a number (−1).
   *
   * @returns number of late lists among the removed
   */
  place(numberOf: (model: number) => number): number {
    const numbers = new Map<number, number>();
    const without: number[] = [];
    let late = 0;
    for (let r = 0; r < this.length; r++) {
      const name = this.model[r];
      let number = numbers.get(name);
      if (number === undefined) {
        number = numberOf(name);
        numbers.set(name, number);
      }
      this.model[r] = number;
      if (number >= 0) continue;
      without.push(r);
      if ((this.flags[r] & LATE) !== 0) {
        late++;
      }
    }
    if (without.length > 0) {
      this.remove(without);
    }
    return late;
  }

  /**
   * Capture the exposures for writing later.
   *
   * @param segments names of the segment values.
   */
  capture(segments?: SegmentNames): Write {
    const { length, listStart, items, propensities, scores, entries } = this;
    const columns = captureColumns(EXPOSURE, this, length);
    const requests = this.#hasRequests && captureColumns(REQUEST, this.requests, length);
    const said =
      segments === undefined || this.segments.isEmpty
        ? undefined
        : captureSegments(this.segments, length, segments);
    return function* write(to, ids) {
      yield* columns(to, ids);
      const starts = listStart.subarray(0, length + 1);
      const marks =
        (requests === false ? 0 : REQUESTS_FOLLOW) +
        (scores.length > 0 ? SCORES_FOLLOW : 0) +
        (said === undefined ? 0 : SEGMENTS_FOLLOW);
      to.column(marks === 0 ? starts : marked(starts, -marks));
      yield* ids.items.write(to, items, entries);
      to.column(propensities, Math.min(propensities.length, entries));
      if (scores.length > 0) {
        to.column(scores, Math.min(scores.length, entries));
      }
      if (requests) {
        yield* requests(to, ids);
      }
      said?.(to);
      yield;
    };
  }

  read(from: BinaryReader, places: EventPlaces, segments?: SegmentNames): void {
    this.length = readColumns(EXPOSURE, this, from, places);
    this.listStart = new Int32Array(this.ts.length + 1);
    const starts = from.int32();
    this.listStart.set(starts.subarray(0, this.length + 1));
    this.items = roomy(places.items.column(from));
    const logged = from.float32();
    if (logged.length > 0) {
      this.propensities = enlarged(logged, this.items.length);
    }
    const marks = -(starts[this.length + 1] ?? 0);
    if ((marks & SCORES_FOLLOW) !== 0) {
      this.scores = enlarged(from.float32(), this.items.length);
    }
    if ((marks & REQUESTS_FOLLOW) !== 0) {
      readColumns(REQUEST, this.requests, from, places);
    }
    if ((marks & SEGMENTS_FOLLOW) !== 0) {
      readEventSegments(from, this.segments, this.length, segments);
    }
  }

  #keep(kept: Int32Array): void {
    this.segments.keep(kept);
    keepRows(EXPOSURE, this, kept);
    if (this.#hasRequests) {
      keepRows(REQUEST, this.requests, kept);
    }
    this.length = kept.length;
    const { listStart, items, propensities, scores } = this;
    this.listStart = new Int32Array(listStart.length);
    this.items = new Int32Array(items.length);
    this.propensities = new Float32Array(propensities.length);
    this.scores = new Float32Array(scores.length);
    for (let at = 0; at < kept.length; at++) {
      const from = listStart[kept[at]];
      const to = listStart[kept[at] + 1];
      this.#addList(at, items, from, to);
      const logged = propensities.subarray(from, to);
      if (logged.length > 0) {
        this.propensities.set(logged, this.listStart[at]);
      }
      const scored = scores.subarray(from, to);
      if (scored.length > 0) {
        this.scores.set(scored, this.listStart[at]);
      }
    }
  }

  #addList(at: number, list: Int32Array, from: number, to: number): void {
    const start = this.listStart[at];
    const end = start + to - from;
    if (end > this.items.length) {
      this.reserve(0, to - from);
    }
    for (let source = from, target = start; source < to; source++, target++) {
      this.items[target] = list[source];
    }
    this.listStart[at + 1] = end;
  }

  #addRequest(at: number, from: RequestColumns, r: number): void {
    const { requests } = this;
    if (!this.#hasRequests) {
      enlarge(REQUEST, requests, this.ts.length);
    }
    requests.requestHigh[at] = from.requestHigh[r];
    requests.requestLow[at] = from.requestLow[r];
    requests.share[at] = from.share[r];
    requests.depth[at] = from.depth[r];
    requests.firstRank[at] = from.firstRank[r];
    requests.propensityOf[at] = from.propensityOf[r];
  }

  #addPropensities(at: number, list: Float32Array, from: number): void {
    if (this.propensities.length < this.items.length) {
      this.propensities = enlarged(this.propensities, this.items.length);
    }
    const start = this.listStart[at];
    const size = this.listStart[at + 1] - start;
    for (let i = 0; i < size; i++) {
      this.propensities[start + i] = list[from + i];
    }
  }

  #addScores(at: number, list: Float32Array, from: number): void {
    if (this.scores.length < this.items.length) {
      this.scores = enlarged(this.scores, this.items.length);
    }
    const start = this.listStart[at];
    const size = this.listStart[at + 1] - start;
    for (let i = 0; i < size; i++) {
      this.scores[start + i] = list[from + i];
    }
  }
}

function marked(starts: Int32Array, mark: number): Int32Array {
  const longer = enlarged(starts, starts.length + 1);
  longer[starts.length] = mark;
  return longer;
}
