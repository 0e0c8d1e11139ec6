/**
 * Fast scanner of JSON events and table rows, in AssemblyScript on raw memory: one pass over the
 * bytes of valid events in plain form.
 *
 * It declines everything that it cannot read with certainty, which the parser then reads: invalid
 * events, escapes, repeated fields, deep nesting, and numbers that one division does not give
 * exactly. `line-scanner.ts` uses it to decode lines into rows of columns; `scan.ts` uses it to
 * read single events.
 *
 * Every input ends with a byte that stops all loops: a line feed after lines, a zero after a single
 * event. Words of up to 16 bytes may be loaded past this byte, so the input is followed by a
 * margin.
 */

/**
 * Intern an id in a table of the host, `USERS` to `ACTIONS`.
 *
 * @returns its dense number; below 0 if the table rejects it
 */
@external('env', 'intern')
declare function internOutside(table: u32, start: usize, end: usize): i32;

/** Maximum number of rows in the columns, interactions and exposures together. */
export const ROWS: u32 = 8192;
/** Number of list items above which the columns count as full. */
export const LISTED: u32 = 131072;
/** Maximum number of columns of a table of events. */
export const MOST_COLUMNS: u32 = 256;
const MAX_LIST: u32 = 10000;
const MAX_ID: u32 = 512;
const DEEPEST: u32 = 16;
/**
 * Maximum number of unknown items in a list; longer lists of them are declined, since each is
 * compared with all others.
 */
const MOST_UNKNOWN: u32 = 256;
const MAX_TIMESTAMP: f64 = 8.64e15;
/** Same as `LEAST_SECONDS` and `LEAST_MS` of `events/timestamp.ts`. */
const LEAST_SECONDS: f64 = 946684800;
const LEAST_MS: f64 = 1e11;
const LEAST_PROPENSITY: f32 = 1.1754943508222875e-38;

// Codes of fields, as in `FIELDS` of `events/field.ts`.
const ID: u32 = 0;
const TS: u32 = 1;
const USER: u32 = 2;
const ITEM: u32 = 3;
const MODEL: u32 = 4;
const EXPOSURE: u32 = 5;
const REQUEST: u32 = 6;
const TYPE: u32 = 7;
const ACTION: u32 = 8;
const VALUE: u32 = 9;
const RANDOMIZED_FIELD: u32 = 10;
const SHOWN_FIELD: u32 = 11;
const SAMPLED_FIELD: u32 = 12;
const CANDIDATES: u32 = 13;
const ITEMS: u32 = 14;
const SCORES: u32 = 15;
const PROPENSITIES: u32 = 16;
const FIRST_RANK: u32 = 17;
const SHARE: u32 = 18;
const DEPTH: u32 = 19;
const PROPENSITY_OF: u32 = 20;
const SEGMENTS: u32 = 21;
const RECEIVED: u32 = 22;
const FIELDS: u32 = 23;
const UNKNOWN_FIELD: u32 = 255;
const MAX_SEGMENT: u32 = 64;

const OF_BOTH: u32 = (1 << ID) | (1 << TS) | (1 << USER) | (1 << TYPE);
const OF_INTERACTION: u32 = OF_BOTH | (1 << ITEM);
const OF_EXPOSURE: u32 = OF_BOTH | (1 << MODEL) | (1 << ITEMS);

const RANDOMIZED: u32 = 1;
const SHOWN: u32 = 2;
const SAMPLED: u32 = 4;
const NAMES_EXPOSURE: u32 = 8;
const HAS_REQUEST: u32 = 8;
const HAS_PROPENSITIES: u32 = 16;

let top: usize = (__heap_base + 63) & ~63;

/** Allocate zeroed memory at a multiple of 64 bytes; it is never freed. */
export function alloc(bytes: usize): usize {
  const at = top;
  top = (top + bytes + 63) & ~63;
  const pages = <i32>((top + 0xffff) >>> 16) - memory.size();
  if (pages > 0 && memory.grow(max(pages, memory.size() >> 2)) < 0 && memory.grow(pages) < 0) {
    unreachable();
  }
  return at;
}

/**
 * Start of the columns, which follow each other in the order of the tables in `events/columns.ts`.
 */
export const columnsAt: usize = alloc(ROWS);
const interactionFlags = columnsAt;
const interactionTs = alloc(ROWS * 8);
const interactionUser = alloc(ROWS * 4);
const interactionItem = alloc(ROWS * 4);
const exposureHigh = alloc(ROWS * 4);
const exposureLow = alloc(ROWS * 4);
const interactionValue = alloc(ROWS * 8);
const interactionAction = alloc(ROWS * 4);
const interactionIdHigh = alloc(ROWS * 4);
const interactionIdLow = alloc(ROWS * 4);
const exposureFlags = alloc(ROWS);
const exposureTs = alloc(ROWS * 8);
const exposureUser = alloc(ROWS * 4);
const exposureModel = alloc(ROWS * 4);
const exposureIdHigh = alloc(ROWS * 4);
const exposureIdLow = alloc(ROWS * 4);
const exposureCandidates = alloc(ROWS * 8);
const requestHigh = alloc(ROWS * 4);
const requestLow = alloc(ROWS * 4);
const requestShare = alloc(ROWS * 8);
const requestDepth = alloc(ROWS * 2);
const requestFirstRank = alloc(ROWS * 2);
const requestPropensityOf = alloc(ROWS);
const listStart = alloc(ROWS * 4 + 4);
const listItems = alloc((LISTED + MAX_LIST) * 4);
const listPropensities = alloc((LISTED + MAX_LIST) * 4);

/** Names of fields by code, 16 bytes each, padded with zeros. */
const names = alloc(FIELDS * 16);
/** Codes of the fields at each position in earlier events, which are tried first. */
const order = alloc(64);
/** Start address of each id field's text and of the action's, by field code. */
export const startsAt: usize = alloc(FIELDS * 4);
/** End addresses of the same texts. */
export const endsAt: usize = alloc(FIELDS * 4);
/** Dense numbers of the current list's items, plus two; 0 for an unknown item. */
const listed = alloc(MAX_LIST * 4);
/** Propensities of the current list, float32. */
export const chancesAt: usize = alloc(MAX_LIST * 4);
/** Unknown items of the current list, 24 bytes each: key, start and end address. */
const unknown = alloc(MOST_UNKNOWN * 24);
/** 10⁰ to 10²², the powers of ten that a float64 holds exactly. */
const powers = alloc(23 * 8);
for (let i: usize = 0, power: f64 = 1; i < 23; i++, power *= 10) store<f64>(powers + (i << 3), power);
/** Output of `read`: the numbers and flags of one event, at the offsets that `read` uses. */
export const statedAt: usize = alloc(128);
/** Output of `read`: start and end address of each list item, u32. */
export const itemsAt: usize = alloc(MAX_LIST * 8);
/** Output of `read`: scores of the list items, float64, if they are wanted. */
export const scoresAt: usize = alloc(MAX_LIST * 8);
/**
 * Table of segment dimensions, 16 bytes each: address and length of the name, start and end address
 * of the event's value.
 */
let dimensions: usize = 0;
/** End of the table of dimensions. */
let afterDimensions: usize = 0;
/** Whether the input is one event for `read`, rather than lines or rows. */
let isSingle: bool = false;
let keepsScores: bool = false;
/** Stamp of the latest list with each item, by item number; it reveals repeated items. */
let stamps: usize = 0;
let stamped: u32 = 0;
let stamp: u32 = 0;
/**
 * Hash tables of users, items, models and actions, 16 bytes each: address of the slots, number of
 * slots minus one, number of taken slots.
 */
const tables = alloc(4 * 16);
const USERS: u32 = 0;
const ITEMS_TABLE: u32 = 1;
const MODELS: u32 = 2;
const ACTIONS: u32 = 3;
/**
 * Bytes of a slot: two words of the id's key, the id's number plus two (0 if the slot is empty),
 * and the address of the id's text if it is longer than 16 bytes.
 */
const SLOT: u32 = 24;
const FIRST_SLOTS: u32 = 1024;

/** Field code of each column of a table of events. */
export const columnFields: usize = alloc(MOST_COLUMNS);
let columns: usize = 0;
/** Byte between two cells. */
let delimiter: u8 = 0;
/**
 * Kind of the table's rows: 0 for interactions, `ROWS_OF_EXPOSURES`, or `KIND_IN_ROW` if each row
 * states its type.
 */
let rowsAre: u32 = 0;
const ROWS_OF_EXPOSURES: u32 = 1;
const KIND_IN_ROW: u32 = 2;
let cellStart: usize = 0;
let cellEnd: usize = 0;

let seed: u64 = 0;
let maxBytes: usize = 0;
let latestTs: f64 = 0;
let areActions: bool = false;
export let interactions: u32 = 0;
export let exposures: u32 = 0;
/** Number of lines that the latest `scan` or `scanRows` decoded, including blank ones. */
export let lines: u32 = 0;

let seen: u32 = 0;
let present: u32 = 0;
let isExposure: bool = false;
let ts: f64 = 0;
let value: f64 = 0;
let flags: u32 = 0;
let candidates: f64 = 0;
let share: f64 = 0;
let depth: f64 = 0;
let firstRank: f64 = 0;
let propensityOf: u32 = 0;
let itemCount: u32 = 0;
let unknownCount: u32 = 0;
let chanceCount: u32 = 0;
let scoreCount: u32 = 0;
/** Latest number of `readNumber`; with `isExact` it is certainly the nearest float64. */
let number: f64 = 0;
let isExact: bool = false;
/** Latest key of `makeKey`, in two words. */
let low: u64 = 0;
let high: u64 = 0;

/**
 * Set the options and create empty tables of ids.
 *
 * @param newSeed  secret of the hash tables
 * @param most  longest line in bytes
 * @param latest  latest valid time, ms
 * @param withActions  whether actions are stored
 */
export function begin(newSeed: u64, most: usize, latest: f64, withActions: bool): void {
  seed = newSeed;
  maxBytes = most;
  latestTs = latest;
  areActions = withActions;
  for (let t: usize = 0; t < 4; t++) {
    store<u32>(tables + (t << 4), <u32>alloc(FIRST_SLOTS * SLOT));
    store<u32>(tables + (t << 4), FIRST_SLOTS - 1, 4);
  }
}

/** Set the name of a field, given as two words of up to 16 bytes in total. */
export function nameField(field: u32, first: u64, second: u64): void {
  store<u64>(names + (<usize>field << 4), first);
  store<u64>(names + (<usize>field << 4), second, 8);
}

/** Set the number of rows in the columns, to which the host may have appended. */
export function setLengths(rows: u32, lists: u32): void {
  interactions = rows;
  exposures = lists;
}

/**
 * Decode lines of JSON from `at` to `end` into the columns.
 *
 * @returns start of the first line not decoded: it is declined, or the columns are full
 */
export function scan(at: usize, end: usize): usize {
  lines = 0;
  isSingle = false;
  while (at < end && interactions + exposures < ROWS) {
    if (load<u32>(listStart + (<usize>exposures << 2)) > LISTED) break;
    const next = line(at);
    if (next === 0) break;
    lines++;
    at = next;
  }
  return at;
}

/**
 * Set the form of the rows of a table; the fields of its columns are in `columnFields`.
 *
 * @param between  delimiter
 * @param kind  kind of the rows, see `rowsAre`
 */
export function beginRows(count: usize, between: u8, kind: u32): void {
  columns = count;
  delimiter = between;
  rowsAre = kind;
}

/** Decode rows of a table from `at` to `end` into the columns, like `scan`. */
export function scanRows(at: usize, end: usize): usize {
  lines = 0;
  isSingle = false;
  while (at < end && interactions + exposures < ROWS) {
    if (load<u32>(listStart + (<usize>exposures << 2)) > LISTED) break;
    const next = row(at);
    if (next === 0) break;
    lines++;
    at = next;
  }
  return at;
}

/**
 * Read one event into `statedAt`, `itemsAt`, `chancesAt` and `scoresAt`. The caller checks the
 * rules that concern several fields, and that no item is repeated.
 *
 * @param names  table of `count` dimensions, 16 bytes each
 * @returns false if the event is declined
 */
export function read(at: usize, end: usize, names: usize, count: usize, withScores: bool): bool {
  isSingle = true;
  keepsScores = withScores;
  dimensions = names;
  afterDimensions = names + (count << 4);
  for (let own = names; own < afterDimensions; own += 16) store<u64>(own, 0, 8);
  store<u8>(end, 0);
  const after = object(skipSpace(at));
  if (after === 0 || skipSpace(after) !== end) return false;
  store<f64>(statedAt, ts);
  store<f64>(statedAt, value, 8);
  store<f64>(statedAt, candidates, 16);
  store<f64>(statedAt, share, 24);
  store<f64>(statedAt, depth, 32);
  store<f64>(statedAt, firstRank, 40);
  store<u32>(statedAt, present, 48);
  store<u32>(statedAt, flags, 52);
  store<u32>(statedAt, propensityOf, 56);
  store<u32>(statedAt, isExposure ? 1 : 0, 60);
  store<u32>(statedAt, itemCount, 64);
  store<u32>(statedAt, chanceCount, 68);
  store<u32>(statedAt, scoreCount, 72);
  return true;
}

/** @returns start of the next line; 0 if this one is declined */
function line(start: usize): usize {
  let at = start;
  const first = load<u8>(at);
  if (first === 10) return at + 1;
  if (first === 13 && load<u8>(at, 1) === 10) return at + 2;
  at = object(skipSpace(at));
  if (at === 0) return 0;
  const end = at;
  at = skipSpace(at);
  if (load<u8>(at) !== 10) return 0;
  const length = at - start - (at > end && load<u8>(at - 1) === 13 ? 1 : 0);
  if (length > maxBytes || !isSound()) return 0;
  if (!(isExposure ? addExposure() : addInteraction())) return 0;
  return at + 1;
}

/** @returns the position after the event's object; 0 if it is declined */
function object(at: usize): usize {
  if (load<u8>(at) !== 0x7b) return 0;
  clear();
  let turn: usize = 0;
  while (true) {
    at = skipSpace(at + 1);
    if (load<u8>(at) !== 0x22) return 0;
    const name = at + 1;
    at = stringEnd(name);
    if (at === 0) return 0;
    const field = fieldOf(name, <u32>(at - name), turn);
    if (turn < 63) turn++;
    at = skipSpace(at + 1);
    if (load<u8>(at) !== 0x3a) return 0;
    at = skipSpace(at + 1);
    at = field === UNKNOWN_FIELD ? skipValue(at, 0) : readField(field, at);
    if (at === 0) return 0;
    at = skipSpace(at);
    const after = load<u8>(at);
    if (after === 0x7d) return at + 1;
    if (after !== 0x2c) return 0;
  }
}

/** Reset all fields to those of an empty event. */
function clear(): void {
  seen = 0;
  present = 0;
  value = 1;
  flags = SHOWN;
  candidates = -1;
  share = NaN;
  depth = 0;
  firstRank = 0;
  propensityOf = 0;
  itemCount = 0;
  unknownCount = 0;
  chanceCount = 0;
  scoreCount = 0;
}

function fieldOf(at: usize, length: u32, turn: usize): u32 {
  if (length > 16) return UNKNOWN_FIELD;
  makeShortKey(at, length);
  const guess = <u32>load<u8>(order + turn);
  if (isName(guess)) return guess;
  for (let field: u32 = 0; field < FIELDS; field++) {
    if (!isName(field)) continue;
    store<u8>(order + turn, <u8>field);
    return field;
  }
  return UNKNOWN_FIELD;
}

@inline
function isName(field: u32): bool {
  const name = names + (<usize>field << 4);
  return load<u64>(name) === low && load<u64>(name, 8) === high;
}

function readField(field: u32, at: usize): usize {
  const bit: u32 = 1 << field;
  if ((seen & bit) !== 0) return 0;
  seen |= bit;
  const byte = load<u8>(at);
  // The parser decides whether a null in `value` means a missing value.
  if (byte === 0x6e) return field === VALUE ? 0 : literal(at, 0x6c6c756e);
  present |= bit;
  switch (field) {
    case ID:
    case USER:
    case ITEM:
    case MODEL:
    case EXPOSURE:
    case REQUEST:
    case ACTION: {
      if (byte !== 0x22) return 0;
      const end = stringEnd(at + 1);
      if (end === 0) return 0;
      if (field !== ACTION && (end === at + 1 || end - at - 1 > MAX_ID)) return 0;
      store<u32>(startsAt + (<usize>field << 2), <u32>(at + 1));
      store<u32>(endsAt + (<usize>field << 2), <u32>end);
      return end + 1;
    }
    case TS: {
      if (byte === 0x22) {
        const end = stringEnd(at + 1);
        if (end === 0) return 0;
        ts = isoTimestamp(at + 1, end);
        return isNaN(ts) ? 0 : end + 1;
      }
      at = readExact(at);
      ts = number;
      // A time in seconds is left to the parser.
      if (ts >= LEAST_SECONDS && ts < LEAST_MS) return 0;
      return floor(ts) !== ts || abs(ts) > MAX_TIMESTAMP ? 0 : at;
    }
    case TYPE:
      // "interaction" and "exposure" with their quotes.
      isExposure = load<u64>(at) === 0x727573_6f707865_22;
      if (isExposure) return load<u16>(at, 8) === 0x2265 ? at + 10 : 0;
      if (load<u64>(at) !== 0x63617265_746e6922) return 0;
      return (load<u64>(at, 8) & 0xffffffffff) === 0x22_6e6f6974 ? at + 13 : 0;
    case VALUE:
      at = readExact(at);
      value = number;
      return at;
    case RANDOMIZED_FIELD:
      return readFlag(at, RANDOMIZED);
    case SHOWN_FIELD:
      return readFlag(at, SHOWN);
    case SAMPLED_FIELD:
      return readFlag(at, SAMPLED);
    case CANDIDATES:
      at = readExact(at);
      candidates = number;
      return at;
    case FIRST_RANK:
      at = readExact(at);
      firstRank = number + 0;
      return at;
    case SHARE:
      at = readExact(at);
      share = number + 0;
      return at;
    case DEPTH:
      at = readExact(at);
      depth = number;
      return at;
    case PROPENSITY_OF:
      return readPropensityOf(at);
    case ITEMS:
      return readItems(at);
    case SCORES:
    case PROPENSITIES:
      return readNumbers(field, at);
    case RECEIVED:
      return 0;
    default:
      return dimensions === afterDimensions ? skipValue(at, 0) : readSegments(at);
  }
}

function readFlag(at: usize, flag: u32): usize {
  const isOn = load<u8>(at) === 0x74;
  flags = isOn ? flags | flag : flags & ~flag;
  return isOn ? literal(at, 0x65757274) : readFalse(at);
}

@inline
function literal(at: usize, word: u32): usize {
  return load<u32>(at) === word ? at + 4 : 0;
}

function readFalse(at: usize): usize {
  return load<u8>(at) === 0x66 && load<u32>(at, 1) === 0x65736c61 ? at + 5 : 0;
}

/** Read "slot", "conditional" or "item" as its index in `PROPENSITY_KINDS`. */
function readPropensityOf(at: usize): usize {
  if (load<u8>(at) !== 0x22) return 0;
  const end = stringEnd(at + 1);
  if (end === 0) return 0;
  const length = end - at - 1;
  const word = load<u32>(at, 1);
  if (length === 4 && word === 0x746f6c73) propensityOf = 0;
  else if (length === 4 && word === 0x6d657469) propensityOf = 2;
  else if (length === 11 && word === 0x646e6f63 && load<u64>(at, 4) === 0x6c616e6f69746964) {
    propensityOf = 1;
  } else return 0;
  return end + 1;
}

function readItems(at: usize): usize {
  if (load<u8>(at) !== 0x5b) return 0;
  stamp++;
  while (true) {
    at = skipSpace(at + 1);
    if (load<u8>(at) !== 0x22 || itemCount === MAX_LIST) return 0;
    const start = at + 1;
    at = stringEnd(start);
    if (at === 0) return 0;
    if (isSingle) {
      if (at === start || at - start > MAX_ID) return 0;
      store<u32>(itemsAt + (<usize>itemCount << 3), <u32>start);
      store<u32>(itemsAt + (<usize>itemCount << 3), <u32>at, 4);
      itemCount++;
    } else if (!takeItem(start, at)) return 0;
    at = skipSpace(at + 1);
    const after = load<u8>(at);
    if (after === 0x5d) return at + 1;
    if (after !== 0x2c) return 0;
  }
}

/** Append an item to the list. @returns false if it is not an id, or is already in the list */
function takeItem(start: usize, end: usize): bool {
  if (end === start || end - start > MAX_ID || itemCount === MAX_LIST) return false;
  const found = find(ITEMS_TABLE, start, end);
  if (found === 0 ? !noteUnknown(start, end) : !meet(found - 2)) return false;
  store<u32>(listed + (<usize>itemCount << 2), found);
  itemCount++;
  return true;
}

/** Stamp a known item of the list. @returns false if it is already in the list */
function meet(item: u32): bool {
  if (item >= stamped) growStamps(item);
  const place = stamps + (<usize>item << 2);
  if (load<u32>(place) === stamp) return false;
  store<u32>(place, stamp);
  return true;
}

function growStamps(item: u32): void {
  const room = max(item + 1, max(stamped * 2, 4096));
  const larger = alloc(<usize>room << 2);
  memory.copy(larger, stamps, <usize>stamped << 2);
  stamps = larger;
  stamped = room;
}

/** Note an unknown item. @returns false if it may be in the list already, or there are too many */
function noteUnknown(start: usize, end: usize): bool {
  if (unknownCount === MOST_UNKNOWN) return false;
  const to = unknown + <usize>unknownCount * 24;
  for (let other = unknown; other < to; other += 24) {
    if (load<u64>(other) === low && load<u64>(other, 8) === high) return false;
  }
  store<u64>(to, low);
  store<u64>(to, high, 8);
  store<u32>(to, <u32>start, 16);
  store<u32>(to, <u32>end, 20);
  unknownCount++;
  return true;
}

function readNumbers(field: u32, at: usize): usize {
  if (load<u8>(at) !== 0x5b) return 0;
  let count: u32 = 0;
  while (true) {
    at = readNumber(skipSpace(at + 1));
    if (at === 0 || count === MAX_LIST) return 0;
    if (field === PROPENSITIES) {
      if (!isCertainProbability()) return 0;
      store<f32>(chancesAt + (<usize>count << 2), max(<f32>number, LEAST_PROPENSITY));
    } else if (keepsScores) {
      if (!isCertainFloat()) return 0;
      store<f64>(scoresAt + (<usize>count << 3), number);
    }
    count++;
    at = skipSpace(at);
    const after = load<u8>(at);
    if (after !== 0x2c && after !== 0x5d) return 0;
    if (after === 0x2c) continue;
    if (field === PROPENSITIES) chanceCount = count;
    else scoreCount = count;
    return at + 1;
  }
}

/** Whether the number is surely in (0, 1] and gives the same float32 despite its reading error. */
function isCertainProbability(): bool {
  if (isExact) return number > 0 && number <= 1;
  const off = 1e-13 * number;
  return number > 0 && number < 0.999 && <f32>(number - off) === <f32>(number + off);
}

/** Whether the number surely gives the same finite float32 despite its reading error. */
function isCertainFloat(): bool {
  if (isExact) return true;
  const off = 1e-13 * number;
  const least = <f32>(number - off);
  return least === <f32>(number + off) && abs(least) < Infinity;
}

/**
 * Read segment values; unknown dimensions are skipped, and values other than short text declined.
 */
function readSegments(at: usize): usize {
  if (load<u8>(at) !== 0x7b) return 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) === 0x7d) return at + 1;
  while (true) {
    if (load<u8>(at) !== 0x22) return 0;
    const name = at + 1;
    at = stringEnd(name);
    if (at === 0) return 0;
    const dimension = dimensionOf(name, <u32>(at - name));
    at = skipSpace(at + 1);
    if (load<u8>(at) !== 0x3a) return 0;
    at = skipSpace(at + 1);
    at = dimension === 0 ? skipValue(at, 1) : readSegment(dimension, at);
    if (at === 0) return 0;
    at = skipSpace(at);
    const after = load<u8>(at);
    if (after === 0x7d) return at + 1;
    if (after !== 0x2c) return 0;
    at = skipSpace(at + 1);
  }
}

function readSegment(dimension: usize, at: usize): usize {
  if (load<u8>(at) === 0x6e) {
    store<u64>(dimension, 0, 8);
    return literal(at, 0x6c6c756e);
  }
  if (load<u8>(at) !== 0x22) return 0;
  const end = stringEnd(at + 1);
  if (end === 0 || end - at - 1 > MAX_SEGMENT) return 0;
  store<u32>(dimension, <u32>(at + 1), 8);
  store<u32>(dimension, <u32>end, 12);
  return end + 1;
}

function dimensionOf(name: usize, length: u32): usize {
  for (let own = dimensions; own < afterDimensions; own += 16) {
    if (load<u32>(own, 4) !== length) continue;
    if (memory.compare(load<u32>(own), name, length) === 0) return own;
  }
  return 0;
}

/** Whether the fields are valid together, like `isSound` of `events/sound.ts`. */
function isSound(): bool {
  if (ts > latestTs) return false;
  if (!isExposure) return (present & OF_INTERACTION) === OF_INTERACTION;
  if ((present & OF_EXPOSURE) !== OF_EXPOSURE) return false;
  if ((present & (1 << SCORES)) !== 0 && scoreCount !== itemCount) return false;
  if ((present & (1 << PROPENSITIES)) !== 0 && chanceCount !== itemCount) return false;
  if ((present & (1 << CANDIDATES)) !== 0) {
    if (candidates < <f64>itemCount || floor(candidates) !== candidates) return false;
  }
  if ((present & (1 << FIRST_RANK)) !== 0) {
    if (!(firstRank >= 0 && firstRank <= <f64>(MAX_LIST - itemCount))) return false;
    if (floor(firstRank) !== firstRank) return false;
  }
  if ((present & (1 << SHARE)) !== 0 && !(share >= 0 && share <= 1)) return false;
  if ((present & (1 << DEPTH)) === 0) return true;
  return depth >= 1 && depth <= <f64>MAX_LIST && floor(depth) === depth;
}

function addInteraction(): bool {
  const item = numberOf(ITEMS_TABLE, ITEM);
  if (item < 0) return false;
  const user = numberOf(USERS, USER);
  if (user < 0) return false;
  const row = <usize>interactions;
  const isNamed = (present & (1 << EXPOSURE)) !== 0;
  const isActing = areActions && (present & (1 << ACTION)) !== 0;
  store<i32>(interactionAction + (row << 2), isActing ? numberOf(ACTIONS, ACTION) : -1);
  store<u8>(interactionFlags + row, <u8>((flags & RANDOMIZED) | (isNamed ? NAMES_EXPOSURE : 0)));
  store<f64>(interactionTs + (row << 3), ts);
  store<i32>(interactionUser + (row << 2), user);
  store<i32>(interactionItem + (row << 2), item);
  store<f64>(interactionValue + (row << 3), value);
  storeHash(ID, interactionIdHigh + (row << 2), interactionIdLow + (row << 2));
  if (isNamed) storeHash(EXPOSURE, exposureHigh + (row << 2), exposureLow + (row << 2));
  else {
    store<i32>(exposureHigh + (row << 2), 0);
    store<i32>(exposureLow + (row << 2), 0);
  }
  interactions++;
  return true;
}

function addExposure(): bool {
  const row = <usize>exposures;
  const first = load<u32>(listStart + (row << 2));
  if (!storeItems(listItems + (<usize>first << 2))) return false;
  const user = numberOf(USERS, USER);
  if (user < 0) return false;
  const model = numberOf(MODELS, MODEL);
  let all = flags;
  if (chanceCount > 0) {
    all |= HAS_PROPENSITIES;
    memory.copy(listPropensities + (<usize>first << 2), chancesAt, <usize>chanceCount << 2);
  }
  if ((present & (1 << REQUEST)) !== 0) {
    all |= HAS_REQUEST;
    storeHash(REQUEST, requestHigh + (row << 2), requestLow + (row << 2));
    store<f64>(requestShare + (row << 3), share);
    store<u16>(requestDepth + (row << 1), <u16>depth);
    store<u16>(requestFirstRank + (row << 1), <u16>firstRank);
    store<u8>(requestPropensityOf + row, <u8>propensityOf);
  }
  store<u8>(exposureFlags + row, <u8>all);
  store<f64>(exposureTs + (row << 3), ts);
  store<i32>(exposureUser + (row << 2), user);
  store<i32>(exposureModel + (row << 2), model);
  storeHash(ID, exposureIdHigh + (row << 2), exposureIdLow + (row << 2));
  store<f64>(exposureCandidates + (row << 3), candidates);
  store<u32>(listStart + (row << 2), first + itemCount, 4);
  exposures++;
  return true;
}

/** Store the numbers of the list's items; unknown ones are interned by the host, in list order. */
function storeItems(to: usize): bool {
  let next = unknown;
  for (let i: usize = 0; i < itemCount; i++) {
    let found = load<u32>(listed + (i << 2));
    if (found === 0) {
      const own = learn(ITEMS_TABLE, load<u32>(next, 16), load<u32>(next, 20));
      if (own < 0) return false;
      found = own + 2;
      next += 24;
    }
    store<u32>(to + (i << 2), found - 2);
  }
  return true;
}

// ---- rows of a table ----

/** @returns start of the next row; 0 if this one is declined */
function row(start: usize): usize {
  const own = lineEnd(start);
  if (own !== 0) return own;
  clear();
  if (rowsAre !== KIND_IN_ROW) {
    isExposure = rowsAre === ROWS_OF_EXPOSURES;
    present = 1 << TYPE;
  }
  let at = start;
  for (let column: usize = 0; column < columns; column++) {
    if (column > 0) {
      if (load<u8>(at) !== delimiter) return 0;
      at++;
    }
    at = readCell(<u32>load<u8>(columnFields + column), at);
    if (at === 0) return 0;
  }
  const next = lineEnd(at);
  if (next === 0 || at - start > maxBytes || !isSound()) return 0;
  return (isExposure ? addExposure() : addInteraction()) ? next : 0;
}

/** Position after the line end at `at`; 0 if there is none. */
@inline
function lineEnd(at: usize): usize {
  const first = load<u8>(at);
  if (first === 10) return at + 1;
  return first === 13 && load<u8>(at, 1) === 10 ? at + 2 : 0;
}

/** Read a cell into a field. @returns position after the cell; 0 if it is declined */
function readCell(field: u32, start: usize): usize {
  let at = skipBlanks(start);
  const isQuoted = load<u8>(at) === 0x22;
  // A list of JSON, whose quotes are doubled.
  if (isQuoted && field === ITEMS && (load<u32>(at, 1) & 0xffffff) === 0x22225b) {
    present |= 1 << ITEMS;
    at = doubledItems(at + 1);
    return at === 0 ? 0 : skipBlanks(at);
  }
  at = isQuoted ? quotedEnd(at + 1) : bareEnd(at);
  if (at === 0 || field === UNKNOWN_FIELD) return at;
  if (cellEnd === cellStart) return field === VALUE ? 0 : at;
  present |= 1 << field;
  return holds(field) ? at : 0;
}

@inline
function skipBlanks(at: usize): usize {
  if (delimiter !== 9) while (load<u8>(at) === 0x20) at++;
  return at;
}

/** Find the end of a quoted cell, given the position after its quote. @returns position after it */
function quotedEnd(start: usize): usize {
  const end = stringEnd(start);
  if (end === 0 || load<u8>(end, 1) === 0x22) return 0;
  cellStart = start;
  cellEnd = end;
  return skipBlanks(end + 1);
}

/** Find the end of a cell without quotes. @returns position after it; 0 if it is declined */
function bareEnd(start: usize): usize {
  let at = start;
  while (true) {
    const block = v128.load(at);
    const stops = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(block, i8x16.splat(0x22)), i8x16.eq(block, i8x16.splat(delimiter))),
        i8x16.lt_s(block, i8x16.splat(0x20)),
      ),
    );
    if (stops === 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(stops);
    const byte = load<u8>(at);
    if (byte === delimiter || byte === 10 || byte === 13) break;
    const length: usize = byte < 0x80 ? 0 : sequenceLength(at, byte);
    // White space that is not ASCII may surround a cell, and is left to the parser.
    if (length === 0 || (length === 2 ? byte === 0xc2 : isNearSpace(at, byte))) return 0;
    at += length;
  }
  cellStart = start;
  cellEnd = at;
  if (delimiter !== 9) while (cellEnd > start && load<u8>(cellEnd - 1) === 0x20) cellEnd--;
  return at;
}

/** Whether a character of three bytes or more may be white space. */
function isNearSpace(at: usize, lead: u8): bool {
  const second = load<u8>(at, 1);
  if (lead === 0xe2) return second < 0x82;
  return lead === 0xe1 || lead === 0xef || (lead === 0xe3 && second === 0x80);
}

/** Read the current cell as a field's value. @returns false if it could mean anything else */
function holds(field: u32): bool {
  const start = cellStart;
  const end = cellEnd;
  switch (field) {
    case ID:
    case USER:
    case ITEM:
    case MODEL:
    case EXPOSURE:
    case REQUEST:
    case ACTION:
      if (isOdd(start, end) || (field !== ACTION && end - start > MAX_ID)) return false;
      store<u32>(startsAt + (<usize>field << 2), <u32>start);
      store<u32>(endsAt + (<usize>field << 2), <u32>end);
      return true;
    case TYPE:
      isExposure = load<u64>(start) === 0x657275736f707865;
      if (isExposure) return end - start === 8;
      if (end - start !== 11 || load<u64>(start) !== 0x7463617265746e69) return false;
      return (load<u32>(start, 8) & 0xffffff) === 0x6e6f69;
    case RANDOMIZED_FIELD:
      return holdsFlag(RANDOMIZED);
    case SHOWN_FIELD:
      return holdsFlag(SHOWN);
    case SAMPLED_FIELD:
      return holdsFlag(SAMPLED);
    case ITEMS:
      return holdsItems();
    case TS:
      if (end - start > 16) {
        ts = isoTimestamp(start, end);
        return !isNaN(ts);
      }
      return load<u8>(start) !== 0x6e && readField(field, start) === end;
    case VALUE:
    case CANDIDATES:
    case FIRST_RANK:
    case SHARE:
    case DEPTH:
    case SCORES:
    case PROPENSITIES:
      // null does not count as a missing number.
      return load<u8>(start) !== 0x6e && readField(field, start) === end;
    default:
      return false;
  }
}

function holdsFlag(flag: u32): bool {
  const length = cellEnd - cellStart;
  const word = load<u32>(cellStart) | 0x20202020;
  const first = <u8>word;
  const isOn = first === 0x74 || load<u8>(cellStart) === 0x31;
  flags = isOn ? flags | flag : flags & ~flag;
  if (length === 1) return isOn || first === 0x66 || load<u8>(cellStart) === 0x30;
  if (length === 4) return word === 0x65757274;
  return length === 5 && word === 0x736c6166 && (load<u8>(cellStart, 4) | 0x20) === 0x65;
}

/** Read a quoted JSON list, whose own quotes are doubled. @returns position after the cell */
function doubledItems(at: usize): usize {
  stamp++;
  while (true) {
    at = skipSpace(at + 1);
    if (load<u16>(at) !== 0x2222) return 0;
    const start = at + 2;
    at = stringEnd(start);
    if (at === 0 || load<u16>(at) !== 0x2222 || !takeItem(start, at)) return 0;
    at = skipSpace(at + 2);
    const after = load<u8>(at);
    if (after === 0x5d) return load<u8>(at, 1) === 0x22 && load<u8>(at, 2) !== 0x22 ? at + 2 : 0;
    if (after !== 0x2c) return 0;
  }
}

/**
 * Read a list like `listCell`: bracketed items, bare or in single quotes, or items between bars.
 */
function holdsItems(): bool {
  stamp++;
  const first = load<u8>(cellStart);
  const isBracketed = first === 0x5b || first === 0x7b;
  if (isBracketed) {
    const last = load<u8>(cellEnd - 1);
    return (last === 0x5d || last === 0x7d) && bracketedItems(cellStart + 1, cellEnd - 1);
  }
  let at = cellStart;
  while (true) {
    const start = at;
    while (at < cellEnd && isPlain(load<u8>(at))) at++;
    if (isOdd(start, at) || !takeItem(start, at)) return false;
    if (at === cellEnd) return true;
    if (load<u8>(at) !== 0x7c) return false;
    at++;
  }
}

function bracketedItems(from: usize, end: usize): bool {
  let at = from;
  while (true) {
    at = skipBlanks(at);
    const isQuoted = load<u8>(at) === 0x27;
    if (isQuoted) at++;
    const start = at;
    if (isQuoted) while (at < end && load<u8>(at) !== 0x27 && load<u8>(at) !== 0x5c) at++;
    else while (at < end && isPlain(load<u8>(at))) at++;
    // Three points mark omitted items.
    if (load<u8>(start) === 0x2e || (!isQuoted && isOdd(start, at))) return false;
    if (at > end || !takeItem(start, at)) return false;
    if (isQuoted) {
      if (load<u8>(at) !== 0x27) return false;
      at++;
    }
    at = skipBlanks(at);
    if (at >= end) return at === end;
    if (load<u8>(at) !== 0x2c) return false;
    at++;
  }
}

/** Whether a byte has no special meaning in a list written as text. */
@inline
function isPlain(byte: u8): bool {
  if (byte <= 0x22 || byte >= 0x7b) return false;
  if (byte === 0x27 || byte === 0x28 || byte === 0x29 || byte === 0x2c || byte === 0x3b) return false;
  return byte !== 0x5b && byte !== 0x5c && byte !== 0x5d;
}

/** Whether a text could mean null, or a number with a point or comma, which the parser decides. */
function isOdd(start: usize, end: usize): bool {
  const first = load<u8>(start);
  const length = <u32>(end - start);
  if (length >= 2 && length <= 4) {
    if (first === 0x5c || first === 0x3c || first === 0x23) return true;
    const word = (load<u32>(start) | 0x20202020) & <u32>upTo(length);
    // null, none, nan, nat and n/a
    if (word === 0x6c6c756e || word === 0x656e6f6e || word === 0x6e616e) return true;
    if (word === 0x74616e || word === 0x612f6e) return true;
  }
  if (first !== 0x2d && digitAt(start) > 9) return false;
  for (let at = start; at < end; at++) {
    const byte = load<u8>(at);
    if (byte === 0x2e || byte === 0x2c) return true;
  }
  return false;
}

// ---- ids ----

@inline
function upTo(bytes: u32): u64 {
  return bytes >= 8 ? ~(<u64>0) : ((<u64>1) << (<u64>bytes << 3)) - 1;
}

@inline
function makeShortKey(at: usize, length: u32): void {
  low = load<u64>(at) & upTo(length);
  high = length > 8 ? load<u64>(at, 8) & upTo(length - 8) : 0;
}

/**
 * Make the key of an id: its bytes if they are up to 16, or else a hash that finds the slot, where
 * the texts are compared.
 */
function makeKey(at: usize, length: u32): void {
  if (length <= 16) {
    makeShortKey(at, length);
    return;
  }
  let a: u64 = seed ^ <u64>length;
  let b: u64 = seed;
  const last = at + length - 8;
  for (let p = at; p < last; p += 8) {
    const word = load<u64>(p);
    a = rotl(a ^ (word * 0x9fb21c651e98df25), 29) * 0xbf58476d1ce4e5b9;
    b = (rotl(b + word, 31) * 0x94d049bb133111eb) ^ a;
  }
  const word = load<u64>(last);
  low = rotl(a ^ (word * 0x9fb21c651e98df25), 29) * 0xbf58476d1ce4e5b9;
  high = (rotl(b + word, 31) * 0x94d049bb133111eb) ^ low;
}

@inline
function slotOf(first: u64, second: u64): u32 {
  let hash = (first ^ seed) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 32) ^ second) * 0xbf58476d1ce4e5b9;
  return <u32>(hash >> 32) ^ <u32>hash;
}

/** Look up an id, after making its key. @returns its number plus two; 0 if it is unknown */
function find(which: u32, start: usize, end: usize): u32 {
  const length = <u32>(end - start);
  makeKey(start, length);
  const table = tables + (<usize>which << 4);
  const slots = <usize>load<u32>(table);
  const mask = load<u32>(table, 4);
  let s = slotOf(low, high);
  while (true) {
    const slot = slots + <usize>(s & mask) * SLOT;
    const found = load<u32>(slot, 16);
    if (found === 0) return 0;
    if (load<u64>(slot) === low && load<u64>(slot, 8) === high) {
      const text = <usize>load<u32>(slot, 20);
      if (text === 0 ? length <= 16 : isText(text, start, length)) return found;
    }
    s++;
  }
}

function isText(text: usize, start: usize, length: u32): bool {
  return load<u32>(text) === length && memory.compare(text + 4, start, length) === 0;
}

/** Number of the id in a field, interned if it is new; below 0 if its table rejects it. */
function numberOf(which: u32, field: u32): i32 {
  const start = <usize>load<u32>(startsAt + (<usize>field << 2));
  const end = <usize>load<u32>(endsAt + (<usize>field << 2));
  const found = find(which, start, end);
  return found === 0 ? learn(which, start, end) : <i32>(found - 2);
}

/** Have the host intern an unknown id, and cache its number. */
function learn(which: u32, start: usize, end: usize): i32 {
  const own = internOutside(which, start, end);
  if (own < 0 && which !== ACTIONS) return own;
  const table = tables + (<usize>which << 4);
  const count = load<u32>(table, 8) + 1;
  if (count * 3 > (load<u32>(table, 4) + 1) * 2) grow(table);
  store<u32>(table, count, 8);
  const length = <u32>(end - start);
  makeKey(start, length);
  let text: usize = 0;
  if (length > 16) {
    text = alloc(4 + length);
    store<u32>(text, length);
    memory.copy(text + 4, start, length);
  }
  enter(load<u32>(table), load<u32>(table, 4), low, high, <u32>(own + 2), <u32>text);
  return own;
}

function enter(slots: usize, mask: u32, first: u64, second: u64, found: u32, text: u32): void {
  let s = slotOf(first, second) & mask;
  while (load<u32>(slots + <usize>s * SLOT, 16) !== 0) s = (s + 1) & mask;
  const slot = slots + <usize>s * SLOT;
  store<u64>(slot, first);
  store<u64>(slot, second, 8);
  store<u32>(slot, found, 16);
  store<u32>(slot, text, 20);
}

function grow(table: usize): void {
  const old = <usize>load<u32>(table);
  const size = load<u32>(table, 4) + 1;
  const slots = alloc(<usize>size * 2 * SLOT);
  const end = old + <usize>size * SLOT;
  for (let from = old; from < end; from += SLOT) {
    const found = load<u32>(from, 16);
    if (found === 0) continue;
    enter(slots, size * 2 - 1, load<u64>(from), load<u64>(from, 8), found, load<u32>(from, 20));
  }
  store<u32>(table, <u32>slots);
  store<u32>(table, size * 2 - 1, 4);
}

/** Store the `hash64` of an id field. */
function storeHash(field: u32, toHigh: usize, toLow: usize): void {
  const end = <usize>load<u32>(endsAt + (<usize>field << 2));
  let at = <usize>load<u32>(startsAt + (<usize>field << 2));
  const length = <u32>(end - at);
  let h: u32 = 0x2c1b3c6d;
  let l: u32 = 0x297a2d39;
  for (; at < end; at += 4) {
    const left = end - at;
    const word = left >= 4 ? load<u32>(at) : load<u32>(at) & ((1 << (<u32>left << 3)) - 1);
    h = rotl(h ^ (rotl(word * 0x239b961b, 15) * 0xab0e9789), 13) * 5 + 0x561ccd1b;
    l = rotl(l ^ (rotl(word * 0x9e3779b1, 11) * 0x38b34ae5), 17) * 9 + 0x0bcaa747;
  }
  store<u32>(toHigh, finish(h ^ length));
  store<u32>(toLow, finish(l ^ length));
}

@inline
function finish(hash: u32): u32 {
  let folded = (hash ^ (hash >> 16)) * 0x85ebca6b;
  folded = (folded ^ (folded >> 13)) * 0xc2b2ae35;
  return folded ^ (folded >> 16);
}

// ---- JSON tokens ----

/** Position after white space; a line feed is white space only in a single event. */
@inline
function skipSpace(at: usize): usize {
  let byte = load<u8>(at);
  while (byte <= 0x20 && (byte === 0x20 || byte === 9 || byte === 13 || (byte === 10 && isSingle))) {
    byte = load<u8>(++at);
  }
  return at;
}

/** Position of the quote that ends a string; 0 on escapes, controls and ill-formed UTF-8. */
function stringEnd(at: usize): usize {
  while (true) {
    const block = v128.load(at);
    const stops = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(block, i8x16.splat(0x22)), i8x16.eq(block, i8x16.splat(0x5c))),
        // Control characters, and bytes that are not ASCII, which are negative as int8.
        i8x16.lt_s(block, i8x16.splat(0x20)),
      ),
    );
    if (stops === 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(stops);
    const byte = load<u8>(at);
    if (byte === 0x22) return at;
    if (byte < 0x80) return 0;
    const length = sequenceLength(at, byte);
    if (length === 0) return 0;
    at += length;
  }
}

/** Length of a UTF-8 sequence, like `utf8SequenceLength`; 0 if it is ill-formed. */
function sequenceLength(at: usize, lead: u8): usize {
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const second = load<u8>(at, 1);
  const lowest: u8 = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest: u8 = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  if (lead < 0xe0) return 2;
  if ((load<u8>(at, 2) & 0xc0) !== 0x80) return 0;
  if (lead < 0xf0) return 3;
  return (load<u8>(at, 3) & 0xc0) === 0x80 ? 4 : 0;
}

@inline
function digitAt(at: usize): u32 {
  return <u32>load<u8>(at) - 48;
}

/**
 * Read a JSON number into `number` and `isExact`; a number with an exponent is skipped and gives
 * NaN.
 *
 * @returns position after it; 0 if it is declined
 */
function readNumber(at: usize): usize {
  const isNegative = load<u8>(at) === 0x2d;
  if (isNegative) at++;
  const first = at;
  let mantissa: u64 = 0;
  let dropped: i32 = 0;
  let digit = digitAt(at);
  for (; digit < 10; digit = digitAt(++at)) {
    if (mantissa < 100000000000000000) mantissa = mantissa * 10 + digit;
    else dropped++;
  }
  let digits = <i32>(at - first);
  if (digits === 0 || (digits > 1 && load<u8>(first) === 48)) return 0;
  let decimals: i32 = 0;
  if (load<u8>(at) === 0x2e) {
    const point = ++at;
    for (digit = digitAt(at); digit < 10; digit = digitAt(++at)) {
      if (mantissa < 100000000000000000) mantissa = mantissa * 10 + digit;
      else dropped++;
    }
    decimals = <i32>(at - point);
    if (decimals === 0) return 0;
    digits += decimals;
  }
  const exponent = dropped - decimals;
  if (abs(exponent) > 22) return 0;
  isExact = digits <= 15;
  const power = load<f64>(powers + (<usize>abs(exponent) << 3));
  number = exponent < 0 ? <f64>mantissa / power : <f64>mantissa * power;
  if (isNegative) number = 0 - number;
  return (load<u8>(at) | 0x20) === 0x65 ? skipExponent(at + 1) : at;
}

function skipExponent(at: usize): usize {
  const sign = load<u8>(at);
  if (sign === 0x2d || sign === 0x2b) at++;
  const first = at;
  while (digitAt(at) < 10) at++;
  isExact = false;
  number = NaN;
  return at === first || at - first > 2 ? 0 : at;
}

function readExact(at: usize): usize {
  const after = readNumber(at);
  return isExact ? after : 0;
}

/** Skip a value that is not needed. @returns position after it; 0 if it is not valid plain JSON */
function skipValue(at: usize, depth: u32): usize {
  switch (load<u8>(at)) {
    case 0x22: {
      const end = stringEnd(at + 1);
      return end === 0 ? 0 : end + 1;
    }
    case 0x6e:
      return literal(at, 0x6c6c756e);
    case 0x74:
      return literal(at, 0x65757274);
    case 0x66:
      return readFalse(at);
    case 0x7b:
      return skipMembers(at, 0x7d, depth + 1);
    case 0x5b:
      return skipMembers(at, 0x5d, depth + 1);
    default:
      return readNumber(at);
  }
}

/** Skip an object or a list, from its opening bracket on. */
function skipMembers(at: usize, close: u8, depth: u32): usize {
  if (depth > DEEPEST) return 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) === close) return at + 1;
  while (true) {
    if (close === 0x7d) {
      if (load<u8>(at) !== 0x22) return 0;
      at = stringEnd(at + 1);
      if (at === 0) return 0;
      at = skipSpace(at + 1);
      if (load<u8>(at) !== 0x3a) return 0;
      at = skipSpace(at + 1);
    }
    at = skipValue(at, depth);
    if (at === 0) return 0;
    at = skipSpace(at);
    const after = load<u8>(at);
    if (after === close) return at + 1;
    if (after !== 0x2c) return 0;
    at = skipSpace(at + 1);
  }
}

// ---- times, like `isoTimestampMs` ----

/** Value of `count` decimal digits; −1 if one of the bytes is not a digit. */
function digitsAt(at: usize, count: u32): i32 {
  let all: i32 = 0;
  for (const end = at + count; at < end; at++) {
    const digit = digitAt(at);
    if (digit > 9) return -1;
    all = all * 10 + <i32>digit;
  }
  return all;
}

function isoTimestamp(start: usize, end: usize): f64 {
  if (end - start < 17 || end - start > 64) return NaN;
  const year = digitsAt(start, 4);
  const month = digitsAt(start + 5, 2);
  const day = digitsAt(start + 8, 2);
  const hour = digitsAt(start + 11, 2);
  const minute = digitsAt(start + 14, 2);
  if (load<u8>(start, 4) !== 0x2d || load<u8>(start, 7) !== 0x2d) return NaN;
  if (load<u8>(start, 10) !== 0x54 || load<u8>(start, 13) !== 0x3a) return NaN;
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return NaN;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return NaN;
  let at = start + 16;
  let second: i32 = 0;
  let millisecond: i32 = 0;
  if (load<u8>(at) === 0x3a && end - at > 3) {
    second = digitsAt(at + 1, 2);
    if (second < 0 || second > 59) return NaN;
    at += 3;
    if (load<u8>(at) === 0x2e || load<u8>(at) === 0x2c) {
      const first = ++at;
      let unit: i32 = 100;
      for (; at < end && digitAt(at) < 10; at++, unit /= 10) millisecond += <i32>digitAt(at) * unit;
      if (at === first) return NaN;
    }
  }
  const zone = zoneMinutes(at, end);
  if (zone === i32.MIN_VALUE) return NaN;
  const minutes = (<i64>daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute - zone;
  return <f64>((minutes * 60 + second) * 1000 + millisecond);
}

function daysIn(year: i32, month: i32): i32 {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function daysSinceEpoch(year: i32, month: i32, day: i32): i32 {
  const years = month > 2 ? year : year - 1;
  const dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  // `years` is −1 at least, for which the quotients must be rounded down.
  const leapDays = years < 0 ? -1 : years / 4 - years / 100 + years / 400;
  return years * 365 + leapDays + dayOfYear - 719468;
}

/** Offset from UTC in minutes, read from the rest of the text; `i32.MIN_VALUE` if it is invalid. */
function zoneMinutes(at: usize, end: usize): i32 {
  const length = end - at;
  const first = load<u8>(at);
  if (length === 1 && first === 0x5a) return 0;
  if (first !== 0x2b && first !== 0x2d) return i32.MIN_VALUE;
  if (length !== 3 && length !== 5 && !(length === 6 && load<u8>(at, 3) === 0x3a)) {
    return i32.MIN_VALUE;
  }
  const hours = digitsAt(at + 1, 2);
  const minutes = length === 3 ? 0 : digitsAt(end - 2, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return i32.MIN_VALUE;
  return (first === 0x2d ? -1 : 1) * (hours * 60 + minutes);
}
