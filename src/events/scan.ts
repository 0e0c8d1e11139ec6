import { RANDOMIZED, SAMPLED, SHOWN } from './columns.js';
import { MAX_VALUE_BYTES } from './dimensions.js';
import type { EventDraft } from './draft.js';
import {
  ACTION,
  CANDIDATES,
  DEPTH,
  FIELDS,
  FIRST_RANK,
  fieldOf,
  ITEMS,
  MAX_ID_BYTES,
  MAX_LIST_LENGTH,
  PROPENSITIES,
  PROPENSITY_KINDS,
  PROPENSITY_OF,
  RANDOMIZED_FIELD,
  REQUEST_FIELD,
  SAMPLED_FIELD,
  SCORES,
  SEGMENTS,
  SHARE,
  SHOWN_FIELD,
  TS,
  TYPE,
  UNKNOWN_FIELD,
  VALUE,
} from './field.js';
import { DECLINED, Literal, QUOTE, skipSpace, stringEnd, WordBytes } from './json-text.js';
import { NumberScanner } from './number.js';
import type { EventRole } from './parse.js';
import { isSound } from './sound.js';
import { isoTimestampMs, MAX_TIMESTAMP_MS } from './timestamp.js';

const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

const NULL = new Literal('null');
const TRUE = new Literal('true');
const FALSE = new Literal('false');
const EXPOSURE_TYPE = new Literal('"exposure"');
const INTERACTION_TYPE = new Literal('"interaction"');
const KINDS: readonly Literal[] = PROPENSITY_KINDS.map((kind) => new Literal(`"${kind}"`));

const KEYS: readonly Literal[] = FIELDS.map((name) => new Literal(`"${name}":`));
const LONGEST_ORDER = 32;
/** Values nested deeper than this go to the parser. */
const DEEPEST = 16;

/**
 * The fast way from bytes to a draft: one pass over the bytes of a sound event in plain form.
 *
 * It gives exactly what `EventParser` gives, or it declines: on every fault, on escapes, on a field
 * that comes twice, on deep nesting, on numbers that one division cannot give.
 */
export class EventScanner {
  private readonly draft: EventDraft;
  private readonly text = new WordBytes(4096);
  private readonly number = new NumberScanner();
  /** Bit f: field f has come; and it was not null. */
  private seen = 0;
  present = 0;
  scoreCount = 0;
  saysExposure = false;
  /** The field of the key that `scanKey` read. */
  private field = UNKNOWN_FIELD;
  /** The fields of the last event in their order, tried first: a producer keeps its order. */
  private readonly order = new Int8Array(LONGEST_ORDER);

  constructor(draft: EventDraft) {
    this.draft = draft;
  }

  /** @returns whether the draft holds the event; if not, nothing is known of it */
  scan(bytes: Uint8Array, start: number, end: number, role: EventRole, latestTs: number): boolean {
    this.seen = 0;
    this.present = 0;
    const { text } = this;
    const length = text.load(bytes, start, end);
    this.draft.clear(text);
    const after = this.scanObject(text, skipSpace(text.bytes, 0, length), length);
    if (after < 0 || skipSpace(text.bytes, after, length) !== length) return false;
    return isSound(this.draft, this, role, latestTs);
  }

  private scanObject(text: WordBytes, start: number, end: number): number {
    const { bytes } = text;
    if (start >= end || bytes[start] !== OPEN_OBJECT) return DECLINED;
    let at = start;
    let turn = 0;
    do {
      at = skipSpace(bytes, at + 1, end);
      let field = this.order[turn];
      const after = KEYS[field].endAt(text, at, end);
      if (after < 0) {
        at = this.scanKey(turn, text, at, end);
        field = this.field;
      } else at = after;
      if (at < 0) return DECLINED;
      if (turn < LONGEST_ORDER - 1) turn++;
      at = skipSpace(bytes, at, end);
      if (at >= end) return DECLINED;
      at = field < 0 ? this.skipValue(text, at, end, 0) : this.scanField(field, text, at, end);
      if (at < 0) return DECLINED;
      at = skipSpace(bytes, at, end);
    } while (at < end && bytes[at] === COMMA);
    return at < end && bytes[at] === CLOSE_OBJECT ? at + 1 : DECLINED;
  }

  /** Reads a key with its colon and notes it as the one that stands here. */
  private scanKey(turn: number, text: WordBytes, start: number, end: number): number {
    const { bytes } = text;
    if (start >= end || bytes[start] !== QUOTE) return DECLINED;
    const close = stringEnd(text, start + 1, end);
    if (close < 0) return DECLINED;
    this.field = fieldOf(bytes, start + 1, close);
    if (this.field >= 0) this.order[turn] = this.field;
    const at = skipSpace(bytes, close + 1, end);
    return at < end && bytes[at] === COLON ? at + 1 : DECLINED;
  }

  private scanField(field: number, text: WordBytes, at: number, end: number): number {
    const { bytes } = text;
    const bit = 1 << field;
    if ((this.seen & bit) !== 0) return DECLINED;
    this.seen |= bit;
    const byte = bytes[at];
    if (byte === 0x6e) return NULL.endAt(text, at, end);
    this.present |= bit;
    if (field <= REQUEST_FIELD && field !== TS) {
      return byte === QUOTE ? this.scanId(field, text, at + 1, end) : DECLINED;
    }
    switch (field) {
      case TS:
        return byte === QUOTE ? this.scanIso(text, at + 1, end) : this.scanTs(text, at, end);
      case TYPE:
        return this.scanType(text, at, end);
      case ACTION:
        return byte === QUOTE ? this.scanAction(text, at + 1, end) : DECLINED;
      case VALUE: {
        const after = this.scanExact(text, at, end);
        this.draft.stateValue(this.number.value);
        return after;
      }
      case RANDOMIZED_FIELD:
        return this.scanFlag(RANDOMIZED, text, at, end);
      case SHOWN_FIELD:
        return this.scanFlag(SHOWN, text, at, end);
      case SAMPLED_FIELD:
        return this.scanFlag(SAMPLED, text, at, end);
      case CANDIDATES: {
        const after = this.scanExact(text, at, end);
        this.draft.candidates = this.number.value;
        return after;
      }
      case FIRST_RANK: {
        const after = this.scanExact(text, at, end);
        this.draft.firstRank = this.number.value + 0;
        return after;
      }
      case SHARE: {
        const after = this.scanExact(text, at, end);
        this.draft.share = this.number.value + 0;
        return after;
      }
      case DEPTH: {
        const after = this.scanExact(text, at, end);
        this.draft.depth = this.number.value;
        return after;
      }
      case PROPENSITY_OF:
        return this.scanPropensityOf(text, at, end);
      case ITEMS:
        return this.scanItems(text, at, end);
      case SEGMENTS:
        return this.scanSegments(text, at, end);
      default:
        return this.scanNumbers(field, text, at, end);
    }
  }

  private scanId(field: number, text: WordBytes, start: number, end: number): number {
    const close = stringEnd(text, start, end);
    if (close <= start || close - start > MAX_ID_BYTES) return DECLINED;
    this.draft.start[field] = start;
    this.draft.end[field] = close;
    return close + 1;
  }

  private scanAction(text: WordBytes, start: number, end: number): number {
    const close = stringEnd(text, start, end);
    if (close < 0) return DECLINED;
    this.draft.start[ACTION] = start;
    this.draft.end[ACTION] = close;
    return close + 1;
  }

  private scanIso(text: WordBytes, start: number, end: number): number {
    const { bytes } = text;
    const close = stringEnd(text, start, end);
    if (close < 0) return DECLINED;
    const ts = isoTimestampMs(bytes, start, close);
    if (Number.isNaN(ts)) return DECLINED;
    this.draft.ts = ts;
    return close + 1;
  }

  private scanTs(text: WordBytes, at: number, end: number): number {
    const after = this.scanExact(text, at, end);
    const ts = this.number.value;
    if (Math.floor(ts) !== ts || ts > MAX_TIMESTAMP_MS || ts < -MAX_TIMESTAMP_MS) return DECLINED;
    this.draft.ts = ts;
    return after;
  }

  private scanExact(text: WordBytes, at: number, end: number): number {
    const { bytes } = text;
    const after = this.number.scan(bytes, at, end);
    return this.number.isExact ? after : DECLINED;
  }

  private scanType(text: WordBytes, at: number, end: number): number {
    const after = INTERACTION_TYPE.endAt(text, at, end);
    this.saysExposure = after < 0;
    return after < 0 ? EXPOSURE_TYPE.endAt(text, at, end) : after;
  }

  private scanFlag(flag: number, text: WordBytes, at: number, end: number): number {
    const { bytes } = text;
    const isOn = bytes[at] === 0x74;
    this.draft.setFlag(flag, isOn);
    return (isOn ? TRUE : FALSE).endAt(text, at, end);
  }

  private scanPropensityOf(text: WordBytes, at: number, end: number): number {
    for (let kind = 0; kind < KINDS.length; kind++) {
      const after = KINDS[kind].endAt(text, at, end);
      if (after < 0) continue;
      this.draft.propensityOf = kind;
      return after;
    }
    return DECLINED;
  }

  private scanItems(text: WordBytes, start: number, end: number): number {
    const { bytes } = text;
    if (bytes[start] !== OPEN_LIST) return DECLINED;
    const { draft } = this;
    let at = start;
    do {
      at = skipSpace(bytes, at + 1, end);
      if (at >= end || bytes[at] !== QUOTE || draft.itemCount === MAX_LIST_LENGTH) return DECLINED;
      const close = stringEnd(text, at + 1, end);
      if (close <= at + 1 || close - at - 1 > MAX_ID_BYTES) return DECLINED;
      draft.addItem(at + 1, close);
      at = skipSpace(bytes, close + 1, end);
    } while (at < end && bytes[at] === COMMA);
    return at < end && bytes[at] === CLOSE_LIST ? at + 1 : DECLINED;
  }

  /** What no dimension asks for is skipped; a value that is no short text is the parser's to refuse. */
  private scanSegments(text: WordBytes, start: number, end: number): number {
    const { bytes } = text;
    if (this.draft.dimensions.length === 0) return this.skipValue(text, start, end, 0);
    if (bytes[start] !== OPEN_OBJECT) return DECLINED;
    let at = skipSpace(bytes, start + 1, end);
    if (at < end && bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      if (at >= end || bytes[at] !== QUOTE) return DECLINED;
      const close = stringEnd(text, at + 1, end);
      if (close < 0) return DECLINED;
      const dimension = this.dimensionAt(bytes, at + 1, close);
      at = skipSpace(bytes, close + 1, end);
      if (at >= end || bytes[at] !== COLON) return DECLINED;
      at = skipSpace(bytes, at + 1, end);
      at =
        dimension < 0
          ? this.skipValue(text, at, end, 1)
          : this.scanSegment(dimension, text, at, end);
      if (at < 0) return DECLINED;
      at = skipSpace(bytes, at, end);
      if (at >= end) return DECLINED;
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) return DECLINED;
      at = skipSpace(bytes, at + 1, end);
    }
  }

  private scanSegment(dimension: number, text: WordBytes, at: number, end: number): number {
    if (at >= end) return DECLINED;
    if (text.bytes[at] === 0x6e) {
      this.draft.stateSegment(dimension, 0, 0);
      return NULL.endAt(text, at, end);
    }
    if (text.bytes[at] !== QUOTE) return DECLINED;
    const close = stringEnd(text, at + 1, end);
    if (close < 0 || close - at - 1 > MAX_VALUE_BYTES) return DECLINED;
    this.draft.stateSegment(dimension, at + 1, close);
    return close + 1;
  }

  private dimensionAt(bytes: Uint8Array, start: number, end: number): number {
    const { dimensions } = this.draft;
    next: for (let d = 0; d < dimensions.length; d++) {
      const name = dimensions[d];
      if (name.length !== end - start) continue;
      for (let i = 0; i < name.length; i++) if (name[i] !== bytes[start + i]) continue next;
      return d;
    }
    return -1;
  }

  /** Scores are checked here, and kept only if ratings are asked for. */
  private scanNumbers(field: number, text: WordBytes, start: number, end: number): number {
    const { bytes } = text;
    if (bytes[start] !== OPEN_LIST) return DECLINED;
    let count = 0;
    let at = start;
    do {
      at = this.number.scan(bytes, skipSpace(bytes, at + 1, end), end);
      if (at < 0) return DECLINED;
      if (field === PROPENSITIES) {
        if (!this.isCertainProbability()) return DECLINED;
        this.draft.addPropensity(this.number.value);
      } else if (this.draft.scale !== undefined) {
        if (!this.isCertainFloat()) return DECLINED;
        this.draft.addScore(this.number.value);
      }
      count++;
      at = skipSpace(bytes, at, end);
    } while (at < end && bytes[at] === COMMA);
    if (field === SCORES) this.scoreCount = count;
    return at < end && bytes[at] === CLOSE_LIST ? at + 1 : DECLINED;
  }

  /** In (0, 1], and the same float32, also if the value is a little off. */
  private isCertainProbability(): boolean {
    const { value, isExact } = this.number;
    if (isExact) return value > 0 && value <= 1;
    const off = 1e-13 * value;
    return value > 0 && value < 0.999 && Math.fround(value - off) === Math.fround(value + off);
  }

  /** The same float32, also if the value is a little off. */
  private isCertainFloat(): boolean {
    const { value, isExact } = this.number;
    if (isExact) return true;
    const off = 1e-13 * value;
    const low = Math.fround(value - off);
    return low === Math.fround(value + off) && Math.abs(low) < Number.POSITIVE_INFINITY;
  }

  /** Position after a value that is of no use, which must be JSON all the same. */
  private skipValue(text: WordBytes, at: number, end: number, depth: number): number {
    if (at >= end) return DECLINED;
    switch (text.bytes[at]) {
      case QUOTE:
        return stringEnd(text, at + 1, end) + 1 || DECLINED;
      case 0x6e:
        return NULL.endAt(text, at, end);
      case 0x74:
        return TRUE.endAt(text, at, end);
      case 0x66:
        return FALSE.endAt(text, at, end);
      case OPEN_OBJECT:
        return this.skipMembers(text, at, end, CLOSE_OBJECT, depth + 1);
      case OPEN_LIST:
        return this.skipMembers(text, at, end, CLOSE_LIST, depth + 1);
      default:
        return this.number.scan(text.bytes, at, end);
    }
  }

  /** An object or a list from its opening bracket on, to a depth that cannot exhaust the stack. */
  private skipMembers(
    text: WordBytes,
    start: number,
    end: number,
    close: number,
    depth: number,
  ): number {
    if (depth > DEEPEST) return DECLINED;
    const { bytes } = text;
    let at = skipSpace(bytes, start + 1, end);
    if (at < end && bytes[at] === close) return at + 1;
    for (;;) {
      if (close === CLOSE_OBJECT) {
        if (at >= end || bytes[at] !== QUOTE) return DECLINED;
        at = stringEnd(text, at + 1, end);
        if (at < 0) return DECLINED;
        at = skipSpace(bytes, at + 1, end);
        if (at >= end || bytes[at] !== COLON) return DECLINED;
        at = skipSpace(bytes, at + 1, end);
      }
      at = this.skipValue(text, at, end, depth);
      if (at < 0) return DECLINED;
      at = skipSpace(bytes, at, end);
      if (at >= end) return DECLINED;
      if (bytes[at] === close) return at + 1;
      if (bytes[at] !== COMMA) return DECLINED;
      at = skipSpace(bytes, at + 1, end);
    }
  }
}
