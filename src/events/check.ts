import { RANDOMIZED, SAMPLED, SHOWN } from './columns.js';
import { MAX_VALUE_BYTES } from './dimensions.js';
import type { EventDraft } from './draft.js';
import { ACCEPTED, ASKS_FOR_VALUES, type FaultReason, faultCode } from './fault.js';
import {
  ACTION,
  EXPOSURE,
  FIELDS,
  type Field,
  ID,
  ITEM,
  MAX_ID_BYTES,
  MAX_LIST_LENGTH,
  MODEL,
  PROPENSITY_KINDS,
  type PropensityOf,
  REQUEST_FIELD,
  USER,
} from './field.js';
import { describeFound, type EventFields, isAbsent } from './found.js';
import { WordBytes } from './json-text.js';
import { instantOf, MAX_TIMESTAMP_MS, WRITTEN_DATE } from './timestamp.js';

export type EventKind = 'exposure' | 'interaction';

/** Largest propensity, allowing for float32 rounding. */
const MOST_PROPENSITY = 1 + 1e-6;
/**
 * If a time that is too late is at least this number, the message suggests that it is in
 * microseconds. As ms, this number would be in the year 5138.
 */
const LEAST_MICROS = 1e14;
/** Description of valid times, for messages. */
const INSTANT = 'ms since the epoch or an ISO 8601 date-time';
const NO_REPEATS: ReadonlySet<number> = new Set();

/** Indices of items that occur earlier in the list. */
function repeatsIn(items: readonly unknown[]): ReadonlySet<number> {
  const seen = new Set<string>();
  const repeats = new Set<number>();
  for (const [place, item] of items.entries()) {
    const { size } = seen.add(String(item));
    if (size + repeats.size === place) {
      repeats.add(place);
    }
  }
  return repeats;
}

/** Description of lists written as text, for messages. */
const LIST_FORMS = 'as ["a", "b"], [a, b], a|b, {a,b} or [1 2 3]';

/**
 * Validate the fields of one event and store them in a draft.
 *
 * Every check returns 0 or the code of a fault. Checks are chained with `||`, so validation ends at
 * the first fault, and `detail` describes that fault.
 */
export class EventChecker {
  detail = '';
  private readonly draft: EventDraft;
  private readonly encoder = new TextEncoder();
  /** UTF-8 of the ids of one event; the draft's ranges point into it. */
  private readonly ids = new WordBytes(16 * 1024);
  private used = 0;
  /** Length of the event's list, including repeated items. */
  private stated = 0;
  /** Indices of the repeated items, whose scores and propensities are dropped. */
  private repeats: ReadonlySet<number> = NO_REPEATS;
  /**
   * Whether other interactions of the file with the given action have a value; undefined while that
   * is not known. If this function is not set, a null value counts as missing.
   */
  areValued: ((action: string) => boolean | undefined) | undefined;
  private nameOf: (field: string) => string = (field) => field;

  constructor(draft: EventDraft) {
    this.draft = draft;
  }

  /**
   * Validate an event and store its fields in the draft.
   *
   * @param latestTs  events after it (ms) are too far in the future; NaN or Infinity for no bound
   * @param nameOf  name of a field in the original event, if it was mapped
   * @returns 0, or the code of the first fault
   */
  check(
    kind: EventKind,
    event: EventFields,
    latestTs: number,
    nameOf: (field: string) => string = (field) => field,
  ): number {
    this.nameOf = nameOf;
    this.used = 0;
    this.draft.clear(this.ids);
    this.draft.isExposure = kind === 'exposure';
    return (
      this.id(event, ID) ||
      this.timestamp(event, latestTs) ||
      this.id(event, USER) ||
      this[kind](event) ||
      this.received(event) ||
      this.segments(event)
    );
  }

  fail(reason: FaultReason, detail: string): number {
    this.detail = detail;
    return faultCode(reason);
  }

  private interaction(event: EventFields): number {
    return (
      this.id(event, ITEM) ||
      this.action(event) ||
      this.value(event) ||
      (isAbsent(event, 'exposure') ? ACCEPTED : this.id(event, EXPOSURE)) ||
      this.flag(event, 'randomized', RANDOMIZED)
    );
  }

  private exposure(event: EventFields): number {
    return (
      this.id(event, MODEL) ||
      this.items(event) ||
      this.flag(event, 'shown', SHOWN) ||
      this.flag(event, 'randomized', RANDOMIZED) ||
      this.flag(event, 'sampled', SAMPLED) ||
      this.candidates(event) ||
      this.numbers(event, 'scores', false) ||
      this.numbers(event, 'propensities', true) ||
      this.firstRank(event) ||
      this.request(event)
    );
  }

  private id(event: EventFields, field: number): number {
    const name = FIELDS[field];
    if (isAbsent(event, name)) return this.missing(name, 'a non-empty string');
    const start = this.used;
    const code = this.text(name, event[name]);
    this.draft.start[field] = start;
    this.draft.end[field] = this.used;
    return code;
  }

  /** Check an id and append its UTF-8 to `ids`. */
  private text(path: string, id: unknown): number {
    // A whole number is the id with the same digits.
    if (typeof id === 'number' && Number.isSafeInteger(id)) return this.text(path, String(id));
    if (typeof id !== 'string') {
      const expected = Number.isInteger(id)
        ? 'text, because JSON numbers of more than 15 digits are not exact'
        : 'text or a whole number';
      return this.wrongType(path, expected, id);
    }
    if (id === '') {
      return this.fail('id_empty', `${this.nameOf(path)}: expected a non-empty string`);
    }
    if (!id.isWellFormed()) {
      const found = describeFound(id);
      return this.fail(
        'ill_formed_id',
        `${this.nameOf(path)}: unpaired UTF-16 surrogate in ${found}`,
      );
    }
    const room = Math.min(id.length, MAX_ID_BYTES + 1) * 3;
    if (this.used + room > this.ids.bytes.length) {
      this.ids.grow(this.used + room);
    }
    const target = this.ids.bytes.subarray(this.used, this.used + room);
    const { written } = this.encoder.encodeInto(id, target);
    if (written > MAX_ID_BYTES) {
      const limit = `expected at most ${MAX_ID_BYTES} bytes of UTF-8`;
      return this.fail('id_too_long', `${this.nameOf(path)}: ${limit}, found ${describeFound(id)}`);
    }
    this.used += written;
    return ACCEPTED;
  }

  private timestamp(event: EventFields, latestTs: number): number {
    if (isAbsent(event, 'ts')) return this.missing('ts', INSTANT);
    const found = event['ts'];
    if (typeof found !== 'number' && typeof found !== 'string') {
      return this.wrongType('ts', INSTANT, found);
    }
    if (typeof found === 'number' && !Number.isFinite(found)) return this.notANumber('ts', found);
    const { ms: ts, as } = instantOf(found);
    if (!isInstant(ts)) return this.badTimestamp('ts', found);
    if (ts > latestTs) {
      return this.fail(
        'future_timestamp',
        `${this.nameOf('ts')}: ${new Date(ts).toISOString()} is too far ahead of the log's time${ts < LEAST_MICROS ? '' : '; for microseconds set events.mapping.tsUnit to us'}`,
      );
    }
    if (as === 'seconds') {
      this.draft.readings.note('seconds');
    }
    if (as === 'utc') {
      this.draft.readings.note('no_zone');
    }
    this.draft.ts = ts + 0;
    return ACCEPTED;
  }

  private received(event: EventFields): number {
    if (isAbsent(event, 'received')) return ACCEPTED;
    const found = event['received'];
    if (typeof found !== 'number' && typeof found !== 'string') {
      return this.wrongType('received', INSTANT, found);
    }
    const { ms } = instantOf(found);
    if (!isInstant(ms)) return this.badTimestamp('received', found);
    this.draft.received = ms + 0;
    return ACCEPTED;
  }

  private badTimestamp(name: Field, found: number | string): number {
    return this.fail(
      'bad_timestamp',
      `${this.nameOf(name)}: expected ${INSTANT}, found ${describeFound(found)}${timeAdvice(found)}`,
    );
  }

  private action(event: EventFields): number {
    const action = event['action'];
    if (isAbsent(event, 'action')) return ACCEPTED;
    if (typeof action !== 'string') return this.wrongType('action', 'a string', action);
    const start = this.used;
    const room = action.length * 3;
    if (start + room > this.ids.bytes.length) {
      this.ids.grow(start + room);
    }
    this.used += this.encoder.encodeInto(action, this.ids.bytes.subarray(start)).written;
    this.draft.start[ACTION] = start;
    this.draft.end[ACTION] = this.used;
    return ACCEPTED;
  }

  private value(event: EventFields): number {
    const { value } = event;
    if (value === undefined || value === null) return this.noValue(event);
    const code = this.finite('value', value);
    if (code === ACCEPTED) {
      this.draft.stateValue((value as number) + 0);
    }
    return code;
  }

  /**
   * Handle an event without a value. If its value is null and other events with the same action
   * have values, its value is 0; otherwise it is the default 1.
   */
  private noValue({ value, action }: EventFields): number {
    if (value === undefined || this.areValued === undefined) return ACCEPTED;
    const isValued = this.areValued(typeof action === 'string' ? action : '');
    if (isValued === undefined) return ASKS_FOR_VALUES;
    if (!isValued) return ACCEPTED;
    this.draft.readings.note('no_value');
    this.draft.stateValue(0);
    return ACCEPTED;
  }

  private flag(event: EventFields, name: Field, flag: number): number {
    if (isAbsent(event, name)) return ACCEPTED;
    const value = event[name];
    // MySQL has no other booleans than 0 and 1, and change data capture hands them on.
    const isOn = value === true || value === 1;
    if (!isOn && value !== false && value !== 0) {
      return this.wrongType(name, 'true or false', value);
    }
    this.draft.setFlag(flag, isOn);
    return ACCEPTED;
  }

  private items(event: EventFields): number {
    const expected = `a list of up to ${MAX_LIST_LENGTH} item ids`;
    if (isAbsent(event, 'items')) return this.missing('items', expected);
    const items = event['items'];
    if (typeof items === 'string') {
      return this.wrongType('items', `${expected}, ${LIST_FORMS}`, items);
    }
    if (!Array.isArray(items)) return this.wrongType('items', expected, items);
    if (items.length > MAX_LIST_LENGTH) {
      const found = `expected ${expected}, found ${items.length}`;
      return this.fail('list_too_long', `${this.nameOf('items')}: ${found}`);
    }
    this.stated = items.length;
    this.repeats = NO_REPEATS;
    for (let i = 0; i < items.length; i++) {
      const start = this.used;
      const code = this.text(`items/${i}`, items[i]);
      if (code !== ACCEPTED) return code;
      this.draft.addItem(start, this.used);
    }
    if (this.draft.repeatedItem() < 0) return ACCEPTED;
    this.draft.readings.note('repeated_item');
    this.repeats = repeatsIn(items);
    this.draft.dropItems(this.repeats);
    return ACCEPTED;
  }

  /**
   * Check the number of candidates: all items of the list are candidates, so the number is at least
   * the length of the list.
   */
  private candidates(event: EventFields): number {
    if (isAbsent(event, 'candidates')) return ACCEPTED;
    const candidates = event['candidates'];
    const code = this.finite('candidates', candidates);
    if (code !== ACCEPTED) return code;
    const count = candidates as number;
    if (!Number.isSafeInteger(count) || count < this.draft.itemCount) {
      const expected = `an integer of at least ${this.draft.itemCount}, the length of the list`;
      return this.fail(
        'out_of_range',
        `${this.nameOf('candidates')}: expected ${expected}, found ${describeFound(count)}`,
      );
    }
    this.draft.candidates = count;
    return ACCEPTED;
  }

  /**
   * Check the first rank, the number of positions of the page above the list. These positions and
   * those of the list together are at most 10,000.
   */
  private firstRank(event: EventFields): number {
    if (isAbsent(event, 'firstRank')) return ACCEPTED;
    const firstRank = event['firstRank'];
    const code = this.finite('firstRank', firstRank);
    if (code !== ACCEPTED) return code;
    const rank = firstRank as number;
    const most = MAX_LIST_LENGTH - this.draft.itemCount;
    if (!Number.isInteger(rank) || rank < 0 || rank > most) {
      const expected = `expected an integer from 0 to ${most}`;
      return this.fail(
        'out_of_range',
        `${this.nameOf('firstRank')}: ${expected}, found ${describeFound(rank)}`,
      );
    }
    this.draft.firstRank = rank + 0;
    return ACCEPTED;
  }

  private request(event: EventFields): number {
    return (
      (isAbsent(event, 'request') ? ACCEPTED : this.id(event, REQUEST_FIELD)) ||
      this.share(event) ||
      this.depth(event) ||
      this.propensityOf(event)
    );
  }

  private share(event: EventFields): number {
    if (isAbsent(event, 'share')) return ACCEPTED;
    const share = event['share'];
    const code = this.finite('share', share);
    if (code !== ACCEPTED) return code;
    const chance = share as number;
    if (chance < 0 || chance > 1) return this.outOfRange('share', 'a number from 0 to 1', chance);
    this.draft.share = chance + 0;
    return ACCEPTED;
  }

  private depth(event: EventFields): number {
    if (isAbsent(event, 'depth')) return ACCEPTED;
    const depth = event['depth'];
    const code = this.finite('depth', depth);
    if (code !== ACCEPTED) return code;
    const places = depth as number;
    if (!Number.isInteger(places) || places < 1 || places > MAX_LIST_LENGTH) {
      return this.outOfRange('depth', `an integer from 1 to ${MAX_LIST_LENGTH}`, places);
    }
    this.draft.depth = places;
    return ACCEPTED;
  }

  private propensityOf(event: EventFields): number {
    const kind = event['propensityOf'];
    if (isAbsent(event, 'propensityOf')) return ACCEPTED;
    const expected = PROPENSITY_KINDS.join(', ');
    if (typeof kind !== 'string') return this.wrongType('propensityOf', expected, kind);
    const code = PROPENSITY_KINDS.indexOf(kind as PropensityOf);
    if (code < 0) return this.outOfRange('propensityOf', `one of ${expected}`, kind);
    this.draft.propensityOf = code;
    return ACCEPTED;
  }

  /** Check segment values. Unknown dimensions are ignored, and empty text counts as no value. */
  private segments(event: EventFields): number {
    const { dimensions } = this.draft;
    if (dimensions.length === 0 || isAbsent(event, 'segments')) return ACCEPTED;
    const found = event['segments'];
    if (typeof found !== 'object' || found === null || Array.isArray(found)) {
      return this.badSegment('segments', 'an object of texts by dimension', found);
    }
    const names = new TextDecoder();
    for (let d = 0; d < dimensions.length; d++) {
      const name = names.decode(dimensions[d]);
      if (!Object.hasOwn(found, name)) continue;
      const value = (found as EventFields)[name];
      if (value === null || value === undefined) continue;
      const start = this.used;
      const expected = `a text of at most ${MAX_VALUE_BYTES} bytes`;
      if (typeof value !== 'string' || !value.isWellFormed()) {
        return this.badSegment(`segments/${name}`, expected, value);
      }
      const room = Math.min(value.length, MAX_VALUE_BYTES + 1) * 3;
      if (start + room > this.ids.bytes.length) {
        this.ids.grow(start + room);
      }
      const target = this.ids.bytes.subarray(start, start + room);
      const { written } = this.encoder.encodeInto(value, target);
      if (written > MAX_VALUE_BYTES) return this.badSegment(`segments/${name}`, expected, value);
      this.used += written;
      this.draft.stateSegment(d, start, this.used);
    }
    return ACCEPTED;
  }

  private badSegment(path: string, expected: string, found: unknown): number {
    const text = `expected ${expected}, found ${describeFound(found)}`;
    return this.fail('bad_segment', `${this.nameOf(path)}: ${text}`);
  }

  private numbers(event: EventFields, name: Field, areProbabilities: boolean): number {
    if (isAbsent(event, name)) return ACCEPTED;
    const numbers = event[name];
    const length = this.stated;
    if (!Array.isArray(numbers)) return this.wrongType(name, 'a list of numbers', numbers);
    if (numbers.length !== length) {
      const expected = `expected ${length} numbers, one for each item`;
      return this.fail(
        'length_mismatch',
        `${this.nameOf(name)}: ${expected}, found ${numbers.length}`,
      );
    }
    for (let i = 0; i < length; i++) {
      const number = numbers[i];
      const code = this.finite(`${name}/${i}`, number);
      if (code !== ACCEPTED) return code;
      if (areProbabilities && !(number > 0 && number <= MOST_PROPENSITY)) {
        const found = `expected a number in (0, 1], found ${describeFound(number)}`;
        return this.fail('out_of_range', `${this.nameOf(`${name}/${i}`)}: ${found}`);
      }
      if (this.repeats.has(i)) continue;
      if (areProbabilities) {
        this.draft.addPropensity(Math.min(number, 1));
      } else if (this.draft.scale !== undefined) {
        this.draft.addScore(number);
      }
    }
    return ACCEPTED;
  }

  private finite(path: string, value: unknown): number {
    if (typeof value !== 'number') return this.wrongType(path, 'a number', value);
    return Number.isFinite(value) ? ACCEPTED : this.notANumber(path, value);
  }

  private outOfRange(path: string, expected: string, found: unknown): number {
    const text = `expected ${expected}, found ${describeFound(found)}`;
    return this.fail('out_of_range', `${this.nameOf(path)}: ${text}`);
  }

  private notANumber(path: string, value: number): number {
    return this.fail(
      'not_a_number',
      `${this.nameOf(path)}: expected a finite number, found ${value}`,
    );
  }

  private missing(path: string, expected: string): number {
    return this.fail('missing_field', `${this.nameOf(path)}: missing, expected ${expected}`);
  }

  private wrongType(path: string, expected: string, found: unknown): number {
    const text = `expected ${expected}, found ${describeFound(found)}`;
    return this.fail('wrong_type', `${this.nameOf(path)}: ${text}`);
  }
}

/** Whether a number is a valid time in ms. */
function isInstant(ms: number): boolean {
  return Number.isInteger(ms) && Math.abs(ms) <= MAX_TIMESTAMP_MS;
}

function timeAdvice(found: unknown): string {
  if (typeof found !== 'string') return '';
  if (WRITTEN_DATE.test(found)) {
    return '; set events.mapping.tsUnit to dmy if the day comes first, to mdy if the month does';
  }
  return /[A-Za-z]+\/[A-Z][A-Za-z_]+$/.test(found)
    ? '; write the offset from UTC instead of the name of the zone'
    : '';
}
