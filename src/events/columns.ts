/**
 * A batch of decoded events as columns: row r of every array is one event.
 * Ids are dense integers from an `IdTable`; event ids are 64-bit hashes in two halves.
 */

import { enlarge, enlarged, gather, withColumns } from './column-table.js';
import { SegmentCodes } from './segment-table.js';

/** Interns a byte string; the same bytes give the same dense integer, from 0 up. */
export interface IdTable {
  /** Becomes another one where ids may have been forgotten; a table without one keeps all. */
  readonly generation?: number;
  /**
   * −1 for one that the table has no room for. `hash` is `hashBytes(bytes, start, end)`; the bytes are
   * valid UTF-8 and are copied. With a view of the same bytes a known id is found sooner.
   */
  intern(bytes: Uint8Array, start: number, end: number, hash: number, view?: DataView): number;
  /**
   * The same of a list's ids, whose look-ups need not wait for each other: their numbers go to `into`,
   * from place `first` on. False as soon as there is no room for one.
   */
  internAll?(
    bytes: Uint8Array,
    view: DataView,
    ids: IdRanges,
    into: Int32Array,
    first: number,
  ): boolean;
}

/** Ids i < `count` are the bytes start[i] ≤ b < end[i], with hash[i] the hash of each. */
export interface IdRanges {
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly hash: Int32Array;
  readonly count: number;
}

export const RANDOMIZED = 1;
export const SHOWN = 2;
export const SAMPLED = 4;
/** Of an interaction, where ratings are asked for: it states a value, which is one. */
export const RATED = 4;
/** The interaction names the exposure that led to it; of a row, one that is not known to be hidden. */
export const NAMES_EXPOSURE = 8;
/** Of a row: the exposure that it names was drawn at random. */
export const NAMES_DRAWN = 2;
/** The exposure is one of a request's lists: `requests` has its row. */
export const HAS_REQUEST = 8;
/** The exposure gives each item's logged propensity. */
export const HAS_PROPENSITIES = 16;
/** Of an interaction that waits: its value is what the user earned. */
export const EARNS = 16;
/** Instead of `SHOWN`: the list was shown before what is counted, and is not an exposure of it. */
export const SHOWN_BEFORE = 32;
/** Of an interaction, where ratings are asked for: it states a value that is none. */
export const OFF_SCALE = 32;
/** Set beside the others of a late event: it counts in popularity and nowhere else. */
export const LATE = 64;
/** Set beside the others of an event whose value is at least `positive.minValue`. */
export const POSITIVE = 128;
/** The exposure gives each item's score, where ratings are asked for. */
export const HAS_SCORES = 128;

/** What an open pane keeps of an interaction, in the order in which a checkpoint holds it. */
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
  /** Named exposure, 64-bit hash; meaningful where `flags & NAMES_EXPOSURE`. */
  exposureHigh: { array: Int32Array },
  exposureLow: { array: Int32Array },
} as const;

/** Every column of an interaction. */
export const INTERACTION = {
  ...PENDING_INTERACTION,
  value: { array: Float64Array },
  /**
   * A number of the action's own, or the class of what it is worth (`ActionWorths`); −1 where the
   * event states none, or where actions are not kept.
   */
  action: { array: Int32Array },
  /** Event id, 64-bit hash. */
  idHigh: { array: Int32Array },
  idLow: { array: Int32Array },
} as const;

/** Every column of an exposure beside its list, in the order in which a checkpoint holds it. */
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
  /** How many items the list was ranked among; −1 where the event does not say. */
  candidates: { array: Float64Array },
} as const;

/**
 * What else is known of a list of a request, by the exposure's row; meaningful where
 * `flags & HAS_REQUEST`.
 */
export const REQUEST = {
  /** Id of the request, 64-bit hash. */
  requestHigh: { array: Int32Array },
  requestLow: { array: Int32Array },
  /** The chance that this list would be served; NaN where the event does not say. */
  share: { array: Float64Array },
  /** How many places of the list could be seen; 0 where the event does not say. */
  depth: { array: Uint16Array },
  /** How many places of the page stand above the list. */
  firstRank: { array: Uint16Array },
  /** What its propensities are of, an index into `PROPENSITY_KINDS`. */
  propensityOf: { array: Uint8Array },
} as const;

/** The lists of exposures: that of row r is items[listStart[r]] .. items[listStart[r + 1] − 1], best first. */
export interface ListColumns {
  listStart: Int32Array;
  items: Int32Array;
  /** As `items`, where `flags & HAS_PROPENSITIES`; as long as the last of these needed it. */
  propensities: Float32Array;
  /** The same of scores, where `flags & HAS_SCORES`. */
  scores: Float32Array;
}

/** As many rows as the exposures have room for, or none while none of these has had a request. */
export class RequestColumns extends withColumns(REQUEST) {
  constructor() {
    super(0);
  }
}

/** Room for as many rows as `ts` has, NaN where nothing is known. */
function roomFor(known: Float64Array, rows: number): Float64Array {
  const all = new Float64Array(rows).fill(Number.NaN);
  all.set(known);
  return all;
}

export class InteractionColumns extends withColumns(INTERACTION) {
  segments = new SegmentCodes();
  /** When a collector received the event, ms; NaN where none says so, and empty where none ever did. */
  received: Float64Array = new Float64Array(0);

  constructor(capacity = 1024) {
    super(capacity);
  }

  clear(): void {
    this.length = 0;
    this.received.fill(Number.NaN);
  }

  /** Notes when the event of a row that there is room for was received. */
  noteReceived(row: number, ms: number): void {
    if (row >= this.received.length) {
      this.received = roomFor(this.received, this.ts.length);
    }
    this.received[row] = ms;
  }

  /** Makes room for one more row. */
  reserve(): void {
    if (this.length === this.ts.length) {
      enlarge(INTERACTION, this, 2 * this.length);
    }
  }

  /** Adds these rows of others. */
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

export class ExposureColumns extends withColumns(EXPOSURE) implements ListColumns {
  listStart: Int32Array;
  items: Int32Array;
  propensities: Float32Array = new Float32Array(0);
  scores: Float32Array = new Float32Array(0);
  readonly requests = new RequestColumns();
  segments = new SegmentCodes();
  /** As of interactions. */
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

  /** Notes when the event of a row that there is room for was received. */
  noteReceived(row: number, ms: number): void {
    if (row >= this.received.length) {
      this.received = roomFor(this.received, this.ts.length);
    }
    this.received[row] = ms;
  }

  /** Makes room for the propensities of the row that `reserve` made room for. */
  reservePropensities(): void {
    if (this.propensities.length === this.items.length) return;
    this.propensities = enlarged(this.propensities, this.items.length);
  }

  /** The same for its scores. */
  reserveScores(): void {
    if (this.scores.length === this.items.length) return;
    this.scores = enlarged(this.scores, this.items.length);
  }

  /** Makes room for the request of the row that `reserve` made room for. */
  reserveRequest(): void {
    const capacity = this.ts.length;
    if (this.requests.share.length < capacity) {
      enlarge(REQUEST, this.requests, capacity);
    }
  }

  /** Makes room for one more row with a list of `size` items. */
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

  /** Adds these rows of others. */
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

/** Adds when these rows of others were received, from a row on. */
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

/** Adds what others say of these rows, behind the last one. */
function gatherSegments(from: WithSegments, rows: Int32Array, into: WithSegments): void {
  if (from.segments.isEmpty && into.segments.isEmpty) return;
  const capacity = Math.max(into.ts.length, into.length + rows.length);
  for (let n = 0; n < rows.length; n++) {
    into.segments.copy(into.length + n, capacity, from.segments, rows[n]);
  }
}
