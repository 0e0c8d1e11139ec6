/**
 * A batch of decoded events as columns: row r of every array is one event.
 * Ids are dense integers from an `IdTable`; event ids are 64-bit hashes in two halves.
 */

import { enlarge, enlarged, gather, withColumns } from './column-table.js';
import { SegmentCodes } from './segment-table.js';

/** Table that interns ids: the same bytes always give the same dense integer, from 0 up. */
export interface IdTable {
  /**
   * Number that changes when ids may have been removed; undefined for a table that keeps all ids.
   */
  readonly generation?: number;
  /**
   * Intern an id; returns −1 if the table is full. The bytes are valid UTF-8 and are copied; `hash`
   * is `hashBytes(bytes, start, end)`. Known ids are found faster if `view` is a view of the same
   * bytes.
   */
  intern(bytes: Uint8Array, start: number, end: number, hash: number, view?: DataView): number;
  /**
   * Intern the ids of a list, and write their integers to `into` from index `first` on. This is
   * faster than single calls, since memory accesses overlap. Returns false if the table is full.
   */
  internAll?(
    bytes: Uint8Array,
    view: DataView,
    ids: IdRanges,
    into: Int32Array,
    first: number,
  ): boolean;
}

/** Byte ranges of ids: id i < `count` has the bytes start[i] ≤ b < end[i], with hash[i]. */
export interface IdRanges {
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly hash: Int32Array;
  readonly count: number;
}

export const RANDOMIZED = 1;
export const SHOWN = 2;
export const SAMPLED = 4;
/** Flag of an interaction whose value is a rating. Set only if ratings are configured. */
export const RATED = 4;
/**
 * Flag of an interaction that has an exposure id. In the rows of a pane, the flag is removed if
 * that exposure is known to be hidden.
 */
export const NAMES_EXPOSURE = 8;
/** Flag in the rows of a pane: the interaction has the id of a randomised exposure. */
export const NAMES_DRAWN = 2;
/** Flag of an exposure that belongs to a request: the exposure's row in `requests` is set. */
export const HAS_REQUEST = 8;
/** Flag of an exposure that has propensities. */
export const HAS_PROPENSITIES = 16;
/** Flag in an open pane: the interaction's value is a reward of the A/B test. */
export const EARNS = 16;
/**
 * Flag of an exposure, instead of `SHOWN`, if its list was shown before the evaluated period.
 * Interactions can be attributed to the list, but it does not count as an exposure.
 */
export const SHOWN_BEFORE = 32;
/** Flag of an interaction whose value is not a rating. Set only if ratings are configured. */
export const OFF_SCALE = 32;
/** Flag of a late event, which counts for popularity only. */
export const LATE = 64;
/** Flag of an event whose value is at least `positive.minValue`. */
export const POSITIVE = 128;
/** Flag of an exposure that has scores. Set only if ratings are configured. */
export const HAS_SCORES = 128;

/** Columns of an interaction in an open pane, in the order of a checkpoint. */
export const PENDING_INTERACTION = {
  flags: { array: Uint8Array },
  ts: { array: Float64Array },
  user: {
    array: Int32Array,
    names: 'users',
  },
  item: {
    array: Int32Array,
    names: 'items',
  },
  /** 64-bit hash of the interaction's exposure id, if `flags & NAMES_EXPOSURE`. */
  exposureHigh: { array: Int32Array },
  exposureLow: { array: Int32Array },
} as const;

/** Every column of an interaction. */
export const INTERACTION = {
  ...PENDING_INTERACTION,
  value: { array: Float64Array },
  /**
   * Integer of the action in the table of actions. If there is no such table, it is the action's
   * code in `ActionWorths`. −1 if the event has no action, or if actions are not stored.
   */
  action: { array: Int32Array },
  /** Event id, 64-bit hash. */
  idHigh: { array: Int32Array },
  idLow: { array: Int32Array },
} as const;

/** Columns of an exposure beside its list, in the order of a checkpoint. */
export const EXPOSURE = {
  flags: { array: Uint8Array },
  ts: { array: Float64Array },
  user: {
    array: Int32Array,
    names: 'users',
  },
  model: {
    array: Int32Array,
    names: 'models',
  },
  idHigh: { array: Int32Array },
  idLow: { array: Int32Array },
  /** Number of candidates; −1 if not stated. */
  candidates: { array: Float64Array },
} as const;

/**
 * Columns of requests. A request has the row of its exposure; the row is set if the exposure has
 * the flag `HAS_REQUEST`.
 */
export const REQUEST = {
  /** Id of the request, 64-bit hash. */
  requestHigh: { array: Int32Array },
  requestLow: { array: Int32Array },
  /** Probability that this list is served; NaN if not stated. */
  share: { array: Float64Array },
  /** Number of visible positions of the list; 0 if not stated. */
  depth: { array: Uint16Array },
  /** Number of positions on the page that come before the list. */
  firstRank: { array: Uint16Array },
  /** Kind of the list's propensities, an index into `PROPENSITY_KINDS`. */
  propensityOf: { array: Uint8Array },
} as const;

/**
 * Lists of exposures. The list of row r is items[listStart[r]] to items[listStart[r + 1] − 1], best
 * item first.
 */
export interface ListColumns {
  listStart: Int32Array;
  items: Int32Array;
  /**
   * Propensity of each entry of `items`, set for rows with `flags & HAS_PROPENSITIES`. The array
   * may be shorter than `items`.
   */
  propensities: Float32Array;
  /**
   * Score of each entry of `items`, set for rows with `flags & HAS_SCORES`. The array may be
   * shorter than `items`.
   */
  scores: Float32Array;
}

/**
 * Requests of exposures: the request of an exposure has the exposure's row. The columns get their
 * capacity with the first request.
 */
export class RequestColumns extends withColumns(REQUEST) {
  constructor() {
    super(0);
  }
}

/**
 * Copy a column of times to a new column of `rows` rows. Rows that `known` does not have are NaN.
 */
function roomFor(known: Float64Array, rows: number): Float64Array {
  const all = new Float64Array(rows).fill(Number.NaN);
  all.set(known);
  return all;
}

/** Decoded interactions as columns. */
export class InteractionColumns extends withColumns(INTERACTION) {
  segments = new SegmentCodes();
  /**
   * Times at which a collector received the events, ms, by row; NaN for an event that does not
   * state it. The array is empty if no event states it.
   */
  received: Float64Array = new Float64Array(0);

  constructor(capacity = 1024) {
    super(capacity);
  }

  clear(): void {
    this.length = 0;
    this.received.fill(Number.NaN);
  }

  /** Set the time at which a row's event was received. */
  noteReceived(row: number, ms: number): void {
    if (row >= this.received.length) {
      this.received = roomFor(this.received, this.ts.length);
    }
    this.received[row] = ms;
  }

  /** Reserve space for one more row. */
  reserve(): void {
    if (this.length === this.ts.length) {
      enlarge(INTERACTION, this, 2 * this.length);
    }
  }

  /** Append some rows of another batch. */
  addRows(from: InteractionColumns, rows: Int32Array): void {
    const length = this.length + rows.length;
    const capacity = this.ts.length;
    if (length > capacity) {
      enlarge(INTERACTION, this, Math.max(length, 2 * capacity));
    }
    gather(INTERACTION, from, rows, this, this.length);
    gatherSegments(from, rows, this);
    gatherReceived(from, rows, this, this.length);
    this.length = length;
  }
}

/** Decoded exposures as columns, with their lists and requests. */
export class ExposureColumns extends withColumns(EXPOSURE) implements ListColumns {
  listStart: Int32Array;
  items: Int32Array;
  propensities: Float32Array = new Float32Array(0);
  scores: Float32Array = new Float32Array(0);
  readonly requests = new RequestColumns();
  segments = new SegmentCodes();
  /**
   * Times at which a collector received the events, ms, by row; NaN for an event that does not
   * state it. The array is empty if no event states it.
   */
  received: Float64Array = new Float64Array(0);

  constructor(capacity = 256, itemCapacity = 8192) {
    super(capacity);
    this.listStart = new Int32Array(capacity + 1);
    this.items = new Int32Array(itemCapacity);
  }

  clear(): void {
    this.length = 0;
    this.received.fill(Number.NaN);
  }

  /** Set the time at which a row's event was received. */
  noteReceived(row: number, ms: number): void {
    if (row >= this.received.length) {
      this.received = roomFor(this.received, this.ts.length);
    }
    this.received[row] = ms;
  }

  /** Reserve space for the propensities of the current row. */
  reservePropensities(): void {
    if (this.propensities.length === this.items.length) return;
    this.propensities = enlarged(this.propensities, this.items.length);
  }

  /** Reserve space for the scores of the current row. */
  reserveScores(): void {
    if (this.scores.length === this.items.length) return;
    this.scores = enlarged(this.scores, this.items.length);
  }

  /** Reserve space for the request of the current row. */
  reserveRequest(): void {
    const capacity = this.ts.length;
    if (this.requests.share.length < capacity) {
      enlarge(REQUEST, this.requests, capacity);
    }
  }

  /** Reserve space for one more row with a list of `size` items. */
  reserve(size: number): void {
    if (this.length === this.ts.length) {
      enlarge(EXPOSURE, this, 2 * this.length);
      this.listStart = enlarged(this.listStart, this.ts.length + 1);
    }
    const needed = this.listStart[this.length] + size;
    if (needed > this.items.length) {
      this.items = enlarged(this.items, Math.max(needed, this.items.length * 2));
    }
  }

  /** Append some rows of another batch. */
  addRows(from: ExposureColumns, rows: Int32Array): void {
    const first = this.length;
    gatherSegments(from, rows, this);
    for (const r of rows) {
      this.#addList(from, r);
    }
    gather(EXPOSURE, from, rows, this, first);
    gatherReceived(from, rows, this, first);
    if (from.requests.share.length === 0) return;
    this.reserveRequest();
    gather(REQUEST, from.requests, rows, this.requests, first);
  }

  #addList(from: ExposureColumns, r: number): void {
    const first = from.listStart[r];
    const end = from.listStart[r + 1];
    this.reserve(end - first);
    const start = this.listStart[this.length];
    this.items.set(from.items.subarray(first, end), start);
    if ((from.flags[r] & HAS_PROPENSITIES) !== 0) {
      this.reservePropensities();
      this.propensities.set(from.propensities.subarray(first, end), start);
    }
    if ((from.flags[r] & HAS_SCORES) !== 0) {
      this.reserveScores();
      this.scores.set(from.scores.subarray(first, end), start);
    }
    this.length++;
    this.listStart[this.length] = start + end - first;
  }
}

interface WithReceived {
  readonly received: Float64Array;
  noteReceived(row: number, ms: number): void;
}

/** Copy the times at which some rows' events were received. */
function gatherReceived(
  from: WithReceived,
  rows: Int32Array,
  into: WithReceived,
  first: number,
): void {
  if (from.received.length === 0) return;
  for (let n = 0; n < rows.length; n++) {
    const ms = from.received[rows[n]];
    if (!Number.isNaN(ms)) {
      into.noteReceived(first + n, ms);
    }
  }
}

interface WithSegments {
  readonly length: number;
  readonly ts: Float64Array;
  readonly segments: SegmentCodes;
}

/** Append the segment codes of some rows of another batch. */
function gatherSegments(from: WithSegments, rows: Int32Array, into: WithSegments): void {
  if (from.segments.isEmpty && into.segments.isEmpty) return;
  const capacity = Math.max(into.ts.length, into.length + rows.length);
  for (let n = 0; n < rows.length; n++) {
    into.segments.copy(into.length + n, capacity, from.segments, rows[n]);
  }
}
