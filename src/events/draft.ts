import { enlarged } from './column-table.js';
import {
  type ExposureColumns,
  HAS_PROPENSITIES,
  HAS_REQUEST,
  HAS_SCORES,
  type IdTable,
  type InteractionColumns,
  NAMES_EXPOSURE,
  OFF_SCALE,
  RANDOMIZED,
  RATED,
  SHOWN,
} from './columns.js';
import { ACCEPTED, FORGOTTEN_USER, OVER_ITEM_LIMIT } from './fault.js';
import {
  ACTION,
  EXPOSURE,
  FIELDS,
  ID,
  ITEM,
  MAX_LIST_LENGTH,
  MODEL,
  REQUEST_FIELD,
  USER,
} from './field.js';
import { hash64View, hashRanges, hashView } from './hash.js';
import { WordBytes } from './json-text.js';
import type { Pseudonyms } from './pseudonyms.js';
import { isRating, type RatingScale } from './rating-scale.js';
import { ReadingTally } from './readings.js';
import type { SegmentCodes, SegmentValues } from './segment-table.js';

/** One number for each item of a list, as float32. */
class ListNumbers {
  count = 0;
  #values = new Float32Array(64);

  add(value: number): void {
    if (this.count === this.#values.length) {
      this.#values = enlarged(this.#values, this.count * 4);
    }
    this.#values[this.count++] = value;
  }

  /** Copy the numbers to a column, from index `at` on. */
  copyTo(column: Float32Array, at: number): void {
    for (let i = 0; i < this.count; i++) {
      column[at + i] = this.#values[i];
    }
  }
}

/**
 * Least propensity that is stored, the smallest normal float32: smaller ones are set to it, so that
 * they stay above 0.
 */
const LEAST_PROPENSITY = 2 ** -126;
/**
 * Largest absolute value of a stored score, the largest float32: scores beyond it are set to it, so
 * that they stay finite.
 */
const MOST_SCORE = (2 - 2 ** -23) * 2 ** 127;

/**
 * Value of `filled` above which `slots` is cleared, so that its entries stay below the largest
 * int32.
 */
const MOST_FILLED = 2 ** 30;

export interface EventTables {
  readonly users: IdTable;
  readonly items: IdTable;
  readonly models: IdTable;
  /**
   * Table of actions. If it is absent, interactions store codes of `ActionWorths`, if rewards are
   * set.
   */
  readonly actions?: IdTable;
  /**
   * One table of segment values for each dimension of the decoder, in the same order. Absent if
   * there are no dimensions.
   */
  readonly segments?: readonly SegmentValues[] | undefined;
}

export interface EventBatch {
  readonly interactions: InteractionColumns;
  readonly exposures: ExposureColumns;
}

/**
 * One decoded event before it becomes a row of the columns. Ids are ranges of `text`, and nothing
 * is interned before the whole event is validated, so a rejected event leaves no trace.
 */
export class EventDraft {
  text = new WordBytes(0);
  isExposure = false;
  ts = 0;
  /** Time at which a collector received the event, ms; NaN if not stated. */
  received = Number.NaN;
  value = 1;
  isValueStated = false;
  flags = 0;
  candidates = -1;
  /**
   * Fields of the list's request: `share`, `depth`, `firstRank` and `propensityOf`. Unused if the
   * list has no request.
   */
  share = Number.NaN;
  depth = 0;
  firstRank = 0;
  propensityOf = 0;
  /**
   * Start in `text` of each id and of the action, by field code; `end` is −1 for an absent field.
   */
  readonly start = new Int32Array(FIELDS.length);
  readonly end = new Int32Array(FIELDS.length);
  itemCount = 0;
  itemStart = new Int32Array(64);
  itemEnd = new Int32Array(64);
  propensityCount = 0;
  propensity = new Float32Array(64);
  /** Scores of the list's items, if ratings are configured. */
  readonly scores = new ListNumbers();
  private itemHash = new Int32Array(64);
  /** Whether the list's ids are ASCII, set by `repeatedItem`. */
  areItemsAscii = false;
  private slots = new Int32Array(256);
  /**
   * Entries of `slots` that are not above this value belong to earlier lists: they count as empty.
   */
  private filled = 0;
  private readonly halves = new Int32Array(2);
  /** Replaces users by pseudonyms; undefined if users are stored by their ids. */
  pseudonyms: Pseudonyms | undefined;
  /** Table of the codes of `ActionWorths`, used if there is no table of actions. */
  worths: IdTable | undefined;
  /** Rating scale; undefined if ratings are not configured, and scores are then not stored. */
  scale: RatingScale | undefined;
  /** Names of the segment dimensions, as UTF-8. */
  dimensions: readonly Uint8Array[] = [];
  /**
   * Start in `text` of the event's value in each dimension; an event without a value has an empty
   * range.
   */
  segmentStart = new Int32Array(0);
  segmentEnd = new Int32Array(0);
  private segmentCodes = new Uint16Array(0);
  /** Number of events with each interpretation of an ambiguous value. */
  readonly readings = new ReadingTally();
  private saysSegments = false;

  /** Reset to the defaults of an empty event. */
  clear(text: WordBytes): void {
    this.text = text;
    this.readings.begin();
    this.received = Number.NaN;
    this.value = 1;
    this.isValueStated = false;
    this.flags = SHOWN;
    this.candidates = -1;
    this.share = Number.NaN;
    this.depth = 0;
    this.firstRank = 0;
    this.propensityOf = 0;
    this.end[EXPOSURE] = -1;
    this.end[REQUEST_FIELD] = -1;
    this.end[ACTION] = -1;
    this.itemCount = 0;
    this.propensityCount = 0;
    this.scores.count = 0;
    if (!this.saysSegments) return;
    this.saysSegments = false;
    this.segmentStart.fill(0);
    this.segmentEnd.fill(0);
  }

  /** Set the segment dimensions to read. */
  wantSegments(names: readonly string[]): void {
    this.dimensions = names.map((name) => new TextEncoder().encode(name));
    this.segmentStart = new Int32Array(names.length);
    this.segmentEnd = new Int32Array(names.length);
    this.segmentCodes = new Uint16Array(names.length);
  }

  /** Set the value of a dimension; an empty range means none. */
  stateSegment(dimension: number, start: number, end: number): void {
    this.segmentStart[dimension] = start;
    this.segmentEnd[dimension] = end;
    this.saysSegments = true;
  }

  /** Set the value of the event. */
  stateValue(value: number): void {
    this.value = value;
    this.isValueStated = true;
  }

  /** Append a score of the list. */
  addScore(value: number): void {
    this.scores.add(Math.max(-MOST_SCORE, Math.min(MOST_SCORE, value)));
  }

  setFlag(flag: number, isOn: boolean): void {
    this.flags = isOn ? this.flags | flag : this.flags & ~flag;
  }

  addItem(start: number, end: number): void {
    const count = this.itemCount;
    if (count === this.itemStart.length) {
      this.growItems();
    }
    this.itemStart[count] = start;
    this.itemEnd[count] = end;
    this.itemCount = count + 1;
  }

  /** Reserve space for list items, up to the maximum; @returns the capacity. */
  reserveItems(count: number): number {
    while (this.itemStart.length < Math.min(count, MAX_LIST_LENGTH)) {
      this.growItems();
    }
    return this.itemStart.length;
  }

  /** Append a propensity, in (0, 1], of the list. */
  addPropensity(value: number): void {
    const count = this.propensityCount;
    if (count === this.propensity.length) {
      this.propensity = enlarged(this.propensity, count * 4);
    }
    this.propensity[count] = Math.max(value, LEAST_PROPENSITY);
    this.propensityCount = count + 1;
  }

  /** Remove the items with these indices. */
  dropItems(places: ReadonlySet<number>): void {
    const { itemStart, itemEnd } = this;
    let kept = 0;
    for (let i = 0; i < this.itemCount; i++) {
      if (places.has(i)) continue;
      itemStart[kept] = itemStart[i];
      itemEnd[kept] = itemEnd[i];
      kept++;
    }
    this.itemCount = kept;
    this.repeatedItem();
  }

  /** Hash the list, and find the index of the first repeated item; −1 if there is none. */
  repeatedItem(): number {
    const { itemCount, itemHash, itemStart, itemEnd } = this;
    this.areItemsAscii = hashRanges(this.text.view, itemStart, itemEnd, itemCount, itemHash);
    let mask = 15;
    while (mask + 1 < itemCount * 2) {
      mask = mask * 2 + 1;
    }
    if (mask >= this.slots.length || this.filled > MOST_FILLED) {
      this.slots = new Int32Array(Math.max(mask + 1, this.slots.length));
      this.filled = 0;
    }
    const { slots, filled: before } = this;
    this.filled = before + itemCount;
    for (let i = 0; i < itemCount; i++) {
      const hash = itemHash[i];
      let slot = hash & mask;
      for (let other = slots[slot] - before; other > 0; other = slots[slot] - before) {
        if (itemHash[other - 1] === hash && this.sameItems(other - 1, i)) return i;
        slot = (slot + 1) & mask;
      }
      slots[slot] = before + i + 1;
    }
    return -1;
  }

  /**
   * Intern the ids of the event and append its row. For a list, `repeatedItem` must be called
   * before.
   *
   * @returns `ACCEPTED` if the row was appended. Otherwise nothing was appended: `OVER_ITEM_LIMIT`
   *   if the table of items is full, `FORGOTTEN_USER` if the table of users rejects the user.
   */
  append(tables: EventTables, batch: EventBatch): number {
    const code = this.isExposure
      ? this.appendExposure(tables, batch.exposures)
      : this.appendInteraction(tables, batch.interactions);
    if (code === ACCEPTED) {
      this.readings.keep();
    }
    return code;
  }

  /** The event's own id. */
  idText(): string {
    return new TextDecoder().decode(this.text.bytes.subarray(this.start[ID], this.end[ID]));
  }

  private appendInteraction(tables: EventTables, columns: InteractionColumns): number {
    const { text, start, end, halves } = this;
    const item = intern(tables.items, text, start[ITEM], end[ITEM]);
    if (item < 0) return OVER_ITEM_LIMIT;
    const user = this.internUser(tables.users);
    if (user < 0) return FORGOTTEN_USER;
    columns.reserve();
    const row = columns.length;
    columns.ts[row] = this.ts;
    columns.value[row] = this.value;
    const actions = tables.actions ?? this.worths;
    columns.action[row] =
      actions === undefined || end[ACTION] < 0
        ? -1
        : intern(actions, text, start[ACTION], end[ACTION]);
    columns.user[row] = user;
    columns.item[row] = item;
    hash64View(text.view, start[ID], end[ID], halves);
    columns.idHigh[row] = halves[0];
    columns.idLow[row] = halves[1];
    let flags = (this.flags & RANDOMIZED) | this.ratingFlag();
    if (end[EXPOSURE] >= 0) {
      flags |= NAMES_EXPOSURE;
      hash64View(text.view, start[EXPOSURE], end[EXPOSURE], halves);
      columns.exposureHigh[row] = halves[0];
      columns.exposureLow[row] = halves[1];
    } else {
      columns.exposureHigh[row] = 0;
      columns.exposureLow[row] = 0;
    }
    columns.flags[row] = flags;
    if (!Number.isNaN(this.received)) {
      columns.noteReceived(row, this.received);
    }
    this.noteSegments(tables, columns, row);
    columns.length = row + 1;
    return ACCEPTED;
  }

  private appendExposure(tables: EventTables, columns: ExposureColumns): number {
    const { text, start, end, halves, itemCount } = this;
    columns.reserve(itemCount);
    const row = columns.length;
    const first = columns.listStart[row];
    if (!this.internItems(tables.items, columns.items, first)) return OVER_ITEM_LIMIT;
    const user = this.internUser(tables.users);
    if (user < 0) return FORGOTTEN_USER;
    columns.ts[row] = this.ts;
    columns.user[row] = user;
    columns.model[row] = intern(tables.models, text, start[MODEL], end[MODEL]);
    hash64View(text.view, start[ID], end[ID], halves);
    columns.idHigh[row] = halves[0];
    columns.idLow[row] = halves[1];
    columns.flags[row] = this.flags;
    columns.candidates[row] = this.candidates;
    if (this.propensityCount > 0) {
      columns.flags[row] |= HAS_PROPENSITIES;
      columns.reservePropensities();
      for (let i = 0; i < itemCount; i++) {
        columns.propensities[first + i] = this.propensity[i];
      }
    }
    if (this.scores.count > 0) {
      columns.flags[row] |= HAS_SCORES;
      columns.reserveScores();
      this.scores.copyTo(columns.scores, first);
    }
    if (end[REQUEST_FIELD] >= 0) {
      this.noteRequest(columns, row);
    }
    if (!Number.isNaN(this.received)) {
      columns.noteReceived(row, this.received);
    }
    this.noteSegments(tables, columns, row);
    columns.listStart[row + 1] = first + itemCount;
    columns.length = row + 1;
    return ACCEPTED;
  }

  private internUser(table: IdTable): number {
    const { text, start, end, pseudonyms, ts } = this;
    if (pseudonyms === undefined) return intern(table, text, start[USER], end[USER]);
    return pseudonyms.intern(table, ts, text.bytes, start[USER], end[USER]);
  }

  private ratingFlag(): number {
    if (this.scale === undefined || !this.isValueStated) return 0;
    return isRating(this.scale, this.value) ? RATED : OFF_SCALE;
  }

  private noteSegments(
    { segments }: EventTables,
    into: {
      readonly ts: Float64Array;
      readonly segments: SegmentCodes;
    },
    row: number,
  ): void {
    if (segments === undefined || !this.saysSegments) {
      if (!into.segments.isEmpty) {
        into.segments.clear(row);
      }
      return;
    }
    const { segmentStart, segmentEnd, segmentCodes, text } = this;
    for (let d = 0; d < segmentCodes.length; d++) {
      segmentCodes[d] = segments[d].intern(text.bytes, segmentStart[d], segmentEnd[d]);
    }
    into.segments.note(row, into.ts.length, segmentCodes);
  }

  private noteRequest(columns: ExposureColumns, row: number): void {
    columns.flags[row] |= HAS_REQUEST;
    columns.reserveRequest();
    const { requests } = columns;
    const { text, start, end, halves } = this;
    hash64View(text.view, start[REQUEST_FIELD], end[REQUEST_FIELD], halves);
    requests.requestHigh[row] = halves[0];
    requests.requestLow[row] = halves[1];
    requests.share[row] = this.share;
    requests.depth[row] = this.depth;
    requests.firstRank[row] = this.firstRank;
    requests.propensityOf[row] = this.propensityOf;
  }

  private internItems(table: IdTable, into: Int32Array, first: number): boolean {
    const { itemCount, itemStart, itemEnd, itemHash } = this;
    const { bytes, view } = this.text;
    if (table.internAll !== undefined) {
      const ranges = {
        start: itemStart,
        end: itemEnd,
        hash: itemHash,
        count: itemCount,
      };
      return table.internAll(bytes, view, ranges, into, first);
    }
    for (let i = 0; i < itemCount; i++) {
      const item = table.intern(bytes, itemStart[i], itemEnd[i], itemHash[i], view);
      if (item < 0) return false;
      into[first + i] = item;
    }
    return true;
  }

  private sameItems(a: number, b: number): boolean {
    const { itemStart, itemEnd } = this;
    const { bytes } = this.text;
    const length = itemEnd[a] - itemStart[a];
    if (itemEnd[b] - itemStart[b] !== length) return false;
    for (let i = 0; i < length; i++) {
      if (bytes[itemStart[a] + i] !== bytes[itemStart[b] + i]) return false;
    }
    return true;
  }

  private growItems(): void {
    const capacity = Math.min(this.itemStart.length * 4, MAX_LIST_LENGTH);
    this.itemStart = enlarged(this.itemStart, capacity);
    this.itemEnd = enlarged(this.itemEnd, capacity);
    this.itemHash = enlarged(this.itemHash, capacity);
  }
}

function intern(table: IdTable, text: WordBytes, start: number, end: number): number {
  return table.intern(text.bytes, start, end, hashView(text.view, start, end), text.view);
}
