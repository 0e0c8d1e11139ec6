/** The range of a JavaScript date: ±100 million days around the epoch, in ms. */
export const MAX_TIMESTAMP_MS = 8.64e15;

/** Longest date-time that is read, in characters. */
export const MAX_ISO_LENGTH = 64;

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Read an ISO 8601 date-time with a zone: `YYYY-MM-DDThh:mm[:ss[.fff…]](Z|±hh:mm|±hhmm|±hh)`.
 *
 * Digits beyond the millisecond are cut off. It rejects dates without a time, date-times without a
 * zone (they mean a different time on every machine), dates that do not exist, hour 24, leap
 * seconds, expanded years and lower-case letters.
 *
 * Source: ISO 8601-1:2019, 5.4.2 (extended format).
 *
 * @param bytes  the text is start ≤ i < end, in ASCII
 * @returns ms since the epoch; NaN for anything else, including the empty text
 * @example
 * const text = new TextEncoder().encode('1970-01-01T01:00:01+01:00');
 * isoTimestampMs(text, 0, text.length) === 1000
 */
export function isoTimestampMs(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 17 || end - start > MAX_ISO_LENGTH) return Number.NaN;
  const year = digits(bytes, start, 4);
  const month = digits(bytes, start + 5, 2);
  const day = digits(bytes, start + 8, 2);
  const hour = digits(bytes, start + 11, 2);
  const minute = digits(bytes, start + 14, 2);
  if (bytes[start + 4] !== DASH || bytes[start + 7] !== DASH) return Number.NaN;
  if (bytes[start + 10] !== CAPITAL_T || bytes[start + 13] !== COLON) return Number.NaN;
  if (!isDate(year, month, day) || !isBelow(hour, 24) || !isBelow(minute, 60)) return Number.NaN;
  let at = start + 16;
  let second = 0;
  let millisecond = 0;
  if (bytes[at] === COLON && end - at > 3) {
    second = digits(bytes, at + 1, 2);
    if (!isBelow(second, 60)) return Number.NaN;
    at += 3;
    if (bytes[at] === POINT || bytes[at] === COMMA) {
      const first = at + 1;
      at = first;
      for (; at < end && isDigit(bytes[at]); at++) {
        if (at - first < 3) {
          millisecond += (bytes[at] - ZERO) * 10 ** (2 - (at - first));
        }
      }
      if (at === first) return Number.NaN;
    }
  }
  const days = daysSinceEpoch(year, month, day);
  const zone = zoneMinutes(bytes, at, end);
  return (((days * 24 + hour) * 60 + minute - zone) * 60 + second) * 1000 + millisecond;
}

/**
 * Numbers from this one on, but below `LEAST_MS`, are read as seconds. As seconds, this number is
 * the start of the year 2000; as ms, it would be in January 1970.
 */
export const LEAST_SECONDS = 946_684_800;
/**
 * Numbers from this one on are read as ms. As ms it is in March 1973; as seconds it would be in the
 * year 5138.
 */
export const LEAST_MS = 1e11;

/** Pattern of a date as in spreadsheets, such as 11/15/2019, with an optional time and AM or PM. */
export const WRITTEN_DATE =
  /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:,? (\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?: ?(AM|PM))?)?$/i;

/** A time, and how it was interpreted. */
export interface FoundInstant {
  /** ms since the epoch; NaN if it is not a time. */
  readonly ms: number;
  /**
   * `seconds` if a number was read as seconds, `utc` if a time without a zone was read as UTC; `it
   * is` if the value is not ambiguous.
   */
  readonly as: 'it is' | 'seconds' | 'utc';
}

const NO_INSTANT: FoundInstant = {
  ms: Number.NaN,
  as: 'it is',
};
const NUMERAL = /^-?\d{1,17}(\.\d{1,9})?$/;
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,30})?)?) ?(?:(Z|UTC|[+-]\d\d(?::?\d\d)?)(?:\[[\w/+-]+\])?)?)?$/;

/**
 * Read a time in any of the usual forms. A number, also one written as text, is ms since the epoch,
 * or seconds if it is in the range from `LEAST_SECONDS` to `LEAST_MS`. A date may be followed by
 * `T` or a space and a time; without a zone it is in UTC.
 *
 * @example
 * instantOf('2026-01-01 00:00:01+00:00').ms === instantOf(1767225601).ms
 */
export function instantOf(found: number | string): FoundInstant {
  if (typeof found === 'number') return instantOfNumber(found);
  if (found.length > MAX_ISO_LENGTH) return NO_INSTANT;
  if (NUMERAL.test(found)) return instantOfNumber(Number(found));
  const parts = DATE_TIME.exec(found);
  if (parts === null) return NO_INSTANT;
  const [, date, time = '00:00', zone] = parts;
  const text = `${date}T${time}${zone === undefined || zone === 'UTC' ? 'Z' : zone}`;
  const bytes = new TextEncoder().encode(text);
  const ms = isoTimestampMs(bytes, 0, bytes.length);
  return {
    ms,
    as: zone === undefined ? 'utc' : 'it is',
  };
}

function instantOfNumber(found: number): FoundInstant {
  if (found < LEAST_SECONDS || found >= LEAST_MS) {
    return {
      ms: found,
      as: 'it is',
    };
  }
  return {
    ms: msOfSeconds(found),
    as: 'seconds',
  };
}

/**
 * Convert seconds to whole ms. They are first rounded to microseconds, so that 0.123 s is 123 ms
 * and not the 122 ms of its binary fraction.
 */
export function msOfSeconds(seconds: number): number {
  return Math.floor(Math.round(seconds * 1e6) / 1000);
}

const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;
const POINT = 0x2e;
const COMMA = 0x2c;
const CAPITAL_T = 0x54;
const CAPITAL_Z = 0x5a;
const PLUS = 0x2b;

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

/** Value of `count` decimal digits; −1 if one of the bytes is not a digit. */
function digits(bytes: Uint8Array, at: number, count: number): number {
  let number = 0;
  for (let i = at; i < at + count; i++) {
    if (!isDigit(bytes[i])) return -1;
    number = number * 10 + bytes[i] - ZERO;
  }
  return number;
}

function isBelow(number: number, bound: number): boolean {
  return number >= 0 && number < bound;
}

function isDate(year: number, month: number, day: number): boolean {
  if (year < 0 || month < 1 || month > 12 || day < 1) return false;
  const leapDay = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  return day <= DAYS_IN_MONTH[month - 1] + leapDay;
}

/**
 * Days since the epoch in the proleptic Gregorian calendar, computed with years that start in
 * March.
 */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leapDays + dayOfYear - 719_468;
}

/** Offset from UTC in minutes, read from the rest of the text; NaN if it is invalid. */
function zoneMinutes(bytes: Uint8Array, at: number, end: number): number {
  const length = end - at;
  if (length === 1 && bytes[at] === CAPITAL_Z) return 0;
  const sign = bytes[at] === PLUS ? 1 : bytes[at] === DASH ? -1 : Number.NaN;
  if (length !== 3 && length !== 5 && !(length === 6 && bytes[at + 3] === COLON)) return Number.NaN;
  const hours = digits(bytes, at + 1, 2);
  const minutes = length === 3 ? 0 : digits(bytes, end - 2, 2);
  if (!isBelow(hours, 24) || !isBelow(minutes, 60)) return Number.NaN;
  return sign * (hours * 60 + minutes);
}
