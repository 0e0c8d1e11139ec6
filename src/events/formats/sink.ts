import { RANDOMIZED, SAMPLED, SHOWN } from '../columns.js';
import type { EventDraft } from '../draft.js';
import {
  ACTION,
  CANDIDATES,
  DEPTH,
  FIRST_RANK,
  ITEMS,
  MAX_ID_BYTES,
  MAX_LIST_LENGTH,
  PROPENSITIES,
  RANDOMIZED_FIELD,
  REQUEST_FIELD,
  SAMPLED_FIELD,
  SCORES,
  SHARE,
  SHOWN_FIELD,
  TS,
  TYPE,
  VALUE,
} from '../field.js';
import { WordBytes } from '../json-text.js';
import { MAX_TIMESTAMP_MS } from '../timestamp.js';
import type { Cursor } from './cursor.js';
import { Unplanned } from './plan.js';

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.UTC(9999, 11, 31);

/** How a format encodes the length of a list item, and the tag between two items. */
export interface ItemLengths {
  /** Mask of the first byte: if one of these bits is set, `read` reads the length. */
  readonly longer: number;
  /** Number of bits by which a length of one byte is shifted right. */
  readonly shift: number;
  readonly read: (at: Cursor) => number;
  /** Tag of one byte before every item except the first; −1 if the format has none. */
  readonly tag: number;
}

/**
 * Stores the values of one event in a draft; `isDeclined` is set if a value needs the general path.
 */
export class EventSink {
  readonly draft: EventDraft;
  /** The payload, followed by texts that are not in it, such as numeric ids. */
  readonly text = new WordBytes(4096);
  isDeclined = false;
  present = 0;
  scoreCount = 0;
  saysExposure = false;
  #used = 0;

  constructor(draft: EventDraft) {
    this.draft = draft;
  }

  /**
   * Copy the payload to `text`. If the payload ends where `bytes` ends, all of `bytes` up to there
   * is copied, which is cheaper than creating a view of the payload alone.
   *
   * @returns end of the payload in `text`
   */
  load(bytes: Uint8Array, start: number, end: number): number {
    this.isDeclined = false;
    this.present = 0;
    this.scoreCount = 0;
    this.#used = this.text.load(bytes, end === bytes.length ? 0 : start, end);
    this.draft.clear(this.text);
    return this.#used;
  }

  /** Note that a field is present. If it is present twice, the event needs the general path. */
  note(field: number): void {
    const bit = 1 << field;
    if ((this.present & bit) !== 0) {
      this.isDeclined = true;
    }
    this.present |= bit;
  }

  /** Set an id, an action, a type or a list item to the range start ≤ i < end of `text`. */
  range(field: number, start: number, end: number): void {
    if (field === ITEMS) {
      this.item(start, end);
    } else if (!this.text.isUtf8(start, end)) {
      this.isDeclined = true;
    } else {
      this.note(field);
      if (field === TYPE) {
        this.#type(start, end);
      } else if (field !== ACTION && (end === start || end - start > MAX_ID_BYTES)) {
        this.isDeclined = true;
      }
      this.draft.start[field] = start;
      this.draft.end[field] = end;
    }
  }

  /**
   * Set a field to a text that is not in the payload, such as the digits of a numeric id or the
   * name of an enum value.
   */
  word(field: number, word: string): void {
    const start = this.#used;
    const end = start + word.length;
    if (end > this.text.bytes.length) {
      this.text.grow(end);
    }
    const { bytes } = this.text;
    for (let n = 0; n < word.length; n++) {
      bytes[start + n] = word.charCodeAt(n);
    }
    this.#used = end;
    this.range(field, start, end);
  }

  integer(field: number, value: number | bigint): void {
    this.word(field, String(value));
  }

  /**
   * Set the event's time from a value of a time type, which the general path converts to ISO 8601
   * text.
   */
  instant(ms: number): void {
    if (!(ms >= FIRST_MS && ms <= LAST_MS)) {
      this.isDeclined = true;
    }
    this.moment(ms);
  }

  moment(ms: number): void {
    this.note(TS);
    if (Math.floor(ms) !== ms || !(Math.abs(ms) <= MAX_TIMESTAMP_MS)) {
      this.isDeclined = true;
    }
    this.draft.ts = ms + 0;
  }

  flag(field: number, isOn: boolean): void {
    this.note(field);
    this.draft.setFlag(FLAGS.get(field) ?? 0, isOn);
  }

  number(field: number, value: number): void {
    const { draft } = this;
    if (!Number.isFinite(value)) {
      this.isDeclined = true;
      return;
    }
    switch (field) {
      case VALUE:
        this.note(field);
        draft.stateValue(value + 0);
        break;
      case PROPENSITIES:
        this.present |= 1 << field;
        if (value > 0 && value <= 1) {
          draft.addPropensity(value);
        } else {
          this.isDeclined = true;
        }
        break;
      case SCORES:
        this.present |= 1 << field;
        this.scoreCount++;
        if (draft.scale !== undefined) {
          draft.addScore(value);
        }
        break;
      case CANDIDATES:
        this.note(field);
        draft.candidates = value;
        if (!Number.isSafeInteger(value)) {
          this.isDeclined = true;
        }
        break;
      case FIRST_RANK:
        this.note(field);
        draft.firstRank = value + 0;
        break;
      case SHARE:
        this.note(field);
        draft.share = value + 0;
        break;
      default:
        this.note(field);
        draft.depth = value;
    }
  }

  /** Append a list item; `areItemsUtf8` validates its bytes. */
  item(start: number, end: number): void {
    this.present |= 1 << ITEMS;
    const { draft } = this;
    const isSound = end > start && end - start <= MAX_ID_BYTES;
    if (!isSound || draft.itemCount === MAX_LIST_LENGTH) {
      this.isDeclined = true;
    } else {
      draft.addItem(start, end);
    }
  }

  /**
   * Append consecutive list items in one loop, since items are most of an event's bytes.
   *
   * @param most maximum number of items; if items have tags, reading also ends at another tag
   */
  items(at: Cursor, most: number, { longer, shift, read, tag }: ItemLengths): void {
    this.present |= 1 << ITEMS;
    const { draft } = this;
    const { bytes, end } = at;
    let count = draft.itemCount;
    let place = at.at;
    const room = draft.reserveItems(count + Math.min(most, end - place));
    const { itemStart, itemEnd } = draft;
    for (let n = 0; n < most; n++) {
      const byte = place < end ? bytes[place] : longer;
      let length = byte >>> shift;
      if ((byte & longer) === 0) {
        place++;
      } else {
        at.at = place;
        length = read(at);
        place = at.at;
      }
      const isSound = length > 0 && length <= MAX_ID_BYTES && length <= end - place;
      if (!isSound || count === room) {
        this.isDeclined = true;
        return;
      }
      itemStart[count] = place;
      place += length;
      itemEnd[count++] = place;
      if (tag < 0) continue;
      if (place === end || bytes[place] !== tag) break;
      place++;
    }
    draft.itemCount = count;
    at.at = place;
  }

  /**
   * Whether all items are UTF-8. To be called after the items were hashed, which shows whether they
   * are ASCII.
   */
  areItemsUtf8(): boolean {
    const { isExposure, areItemsAscii, itemCount, itemStart, itemEnd } = this.draft;
    if (isExposure && areItemsAscii) return true;
    for (let i = 0; i < itemCount; i++) {
      if (!this.text.isUtf8(itemStart[i], itemEnd[i])) return false;
    }
    return true;
  }

  #type(start: number, end: number): void {
    const length = end - start;
    // The two types differ in length; any other text needs the general path.
    this.saysExposure = length === 8;
    const expected = this.saysExposure ? 'exposure' : 'interaction';
    const { bytes } = this.text;
    if (length !== expected.length) {
      this.isDeclined = true;
    }
    for (let n = 0; n < length && !this.isDeclined; n++) {
      if (bytes[start + n] !== expected.charCodeAt(n)) {
        this.isDeclined = true;
      }
    }
  }
}

const FLAGS: ReadonlyMap<number, number> = new Map([
  [RANDOMIZED_FIELD, RANDOMIZED],
  [SHOWN_FIELD, SHOWN],
  [SAMPLED_FIELD, SAMPLED],
]);

/** Type of value that the fast path can store in a field; `moment` is a time. */
export type Takes = 'text' | 'moment' | 'flag' | 'number';

/** Type of a field's values. @throws Unplanned for a field that needs the general path */
export function takesOf(field: number): Takes {
  if (field === TS) return 'moment';
  if (field === TYPE || field === ACTION || field === ITEMS || field <= REQUEST_FIELD) {
    return 'text';
  }
  if (FLAGS.has(field)) return 'flag';
  if (NUMBERS.has(field)) return 'number';
  throw new Unplanned();
}

const NUMBERS: ReadonlySet<number> = new Set([
  VALUE,
  CANDIDATES,
  SCORES,
  PROPENSITIES,
  FIRST_RANK,
  SHARE,
  DEPTH,
]);
