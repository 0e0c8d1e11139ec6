import { ActionWorths } from './action-worths.js';
import { EventChecker, type EventKind } from './check.js';
import {
  HAS_PROPENSITIES,
  HAS_REQUEST,
  HAS_SCORES,
  type IdTable,
  NAMES_EXPOSURE,
  OFF_SCALE,
  RANDOMIZED,
  RATED,
  SAMPLED,
  SHOWN,
} from './columns.js';
import { type DecoderOptions, WITHHELD } from './decode.js';
import { type EventBatch, EventDraft, type EventTables } from './draft.js';
import { ACCEPTED, ASKS_FOR_VALUES, IGNORED, OVER_ITEM_LIMIT } from './fault.js';
import { type Field, MAX_LIST_LENGTH } from './field.js';
import { type RecordContext, withId } from './found.js';
import { hash64View } from './hash.js';
import { type CompiledMapping, compileMapping } from './mapping/mapping.js';
import { Pseudonyms } from './pseudonyms.js';
import { isRating, type RatingScale } from './rating-scale.js';
import type { ReadingTally } from './readings.js';
import {
  type FieldColumn,
  type FieldColumns,
  type FlagColumn,
  type NumberColumn,
  type NumbersColumn,
  type TableRows,
  type TextColumn,
  type TextsColumn,
  valueAt,
} from './table-rows.js';
import { PLAIN, type Texts } from './texts.js';
import { LEAST_MS, LEAST_SECONDS, MAX_TIMESTAMP_MS } from './timestamp.js';

/** Result for a row that the fast path cannot read, so that the checker must. */
const DECLINED = -9;
const LONGEST_DETAIL = 300;
const KINDS: readonly EventKind[] = ['exposure', 'interaction'];

/**
 * Decodes rows of a table into rows of event columns, as `Decoder` does with bytes. Valid rows in
 * plain form go straight to the columns, all others through the checker, which is authoritative.
 *
 * @throws UnskewError USAGE from the constructor if the mapping is wrong
 */
export class RowDecoder {
  /** After a fault: a one-line description. */
  detail = '';
  /** Kind of the last decoded event. */
  kind: EventKind = 'interaction';
  readonly mapping: CompiledMapping | undefined;
  readonly #maxFutureMs: number;
  readonly #scale: RatingScale | undefined;
  readonly #worths: IdTable | undefined;
  readonly #draft = new EventDraft();
  readonly #checker = new EventChecker(this.#draft);
  readonly #halves = new Int32Array(2);
  #rows: TableRows = { length: 0 };
  #from: ((row: number) => RecordContext) | undefined;
  #kinds: (EventKind | 'ignored' | undefined)[] = [];
  /** Stamp of the latest list with each text, by the text's number; it reveals repeated items. */
  #stamps = new Int32Array(1024);
  #stamp = 0;

  constructor(options: DecoderOptions) {
    const { mapping, actions, earning, maxFutureMs, ratings, pseudonyms, takePart } = options;
    this.mapping = mapping && compileMapping(mapping, 'mapping', takePart !== undefined);
    this.#maxFutureMs = maxFutureMs;
    this.#scale = ratings;
    this.#worths = actions && new ActionWorths(actions, earning);
    this.#draft.pseudonyms = pseudonyms && new Pseudonyms(pseudonyms);
    this.#draft.worths = this.#worths;
    this.#draft.scale = ratings;
  }

  /** See `EventChecker.areValued`. */
  set areValued(areValued: EventChecker['areValued']) {
    this.#checker.areValued = areValued;
  }

  /** Number of events with each interpretation of an ambiguous value. */
  get readings(): ReadingTally {
    return this.#draft.readings;
  }

  /**
   * Set the rows that `decode` reads.
   *
   * @param from position of a row in its file, which becomes the id of an event that has none
   */
  take(rows: TableRows, from?: (row: number) => RecordContext): void {
    this.#rows = rows;
    this.#from = from;
    this.#kinds = [];
    this.#stamp = 0;
    this.#stamps.fill(0);
  }

  /** Forget the numbers of ids, which the tables may have reused. */
  forgetIds(): void {
    for (const columns of [this.#rows.exposure, this.#rows.interaction]) {
      for (const column of Object.values(columns ?? {})) {
        if (column.kind === 'text' || column.kind === 'texts') {
          column.texts.forgetIds();
        }
      }
    }
  }

  /** Decode a row and append it to the columns of its kind. @returns as `Decoder.decode` */
  decode(row: number, referenceTs: number, tables: EventTables, into: EventBatch): number {
    const kind = this.#kindAt(row);
    if (kind === 'ignored') return IGNORED;
    const columns = kind && this.#rows[kind];
    if (kind === undefined || columns === undefined) return this.#wrongKind(row);
    this.kind = kind;
    const latestTs = referenceTs + this.#maxFutureMs;
    const code =
      kind === 'interaction'
        ? this.#interaction(columns, row, latestTs, tables, into)
        : this.#exposure(columns, row, latestTs, tables, into);
    return code === DECLINED ? this.#checked(columns, row, latestTs, tables, into) : code;
  }

  /** Id of a row's event, as text; only for the row that was accepted last. */
  eventId(row: number): string {
    return String(valueAt(this.#rows[this.kind]!.id!, row));
  }

  #kindAt(row: number): EventKind | 'ignored' | undefined {
    const { kind, exposure } = this.#rows;
    if (kind === undefined) return exposure === undefined ? 'interaction' : 'exposure';
    const n = kind.at[row];
    if (n < 0) return undefined;
    if (!(n in this.#kinds)) {
      const text = kind.texts.string(n);
      const named = this.mapping
        ? this.mapping.kindNamed(text)
        : KINDS.find((name) => name === text);
      this.#kinds[n] = named === 'impression' ? undefined : named;
    }
    return this.#kinds[n];
  }

  #wrongKind(row: number): number {
    const { kind } = this.#rows;
    const found = kind && valueAt(kind, row);
    if (found === undefined) {
      return this.#fail('missing_field', 'type: missing, expected "exposure" or "interaction"');
    }
    const text = `the string ${JSON.stringify(String(found)).slice(0, 60)}`;
    const known = KINDS.find((name) => name === found);
    return this.#fail(
      'unknown_type',
      known === undefined || this.mapping !== undefined
        ? `type: expected a known type, found ${text}`
        : `type: the table lacks columns that a row of type ${known} needs`,
    );
  }

  #fail(reason: 'missing_field' | 'unknown_type' | 'invalid_utf8', detail: string): number {
    this.#tell(detail);
    return this.#checker.fail(reason, detail);
  }

  #tell(detail: string): void {
    this.detail = this.#draft.pseudonyms ? WITHHELD : detail.slice(0, LONGEST_DETAIL);
  }

  #userIn(table: IdTable, { user }: FieldColumns, n: number, ts: number): number {
    const { texts } = user as TextColumn;
    const { pseudonyms } = this.#draft;
    if (pseudonyms === undefined) return texts.idIn(table, n);
    return pseudonyms.intern(table, ts, texts.text.bytes, texts.starts[n], texts.starts[n + 1]);
  }

  #interaction(
    columns: FieldColumns,
    row: number,
    latestTs: number,
    tables: EventTables,
    { interactions }: EventBatch,
  ): number {
    const ts = timeAt(columns.ts as NumberColumn, row, latestTs);
    const id = plainAt(columns.id as TextColumn, row);
    const user = plainAt(columns.user as TextColumn, row);
    const item = plainAt(columns.item as TextColumn, row);
    if (Number.isNaN(ts) || id < 0 || user < 0 || item < 0) return DECLINED;
    const action = optionalAt(columns.action as TextColumn | undefined, row, false);
    const exposure = optionalAt(columns.exposure as TextColumn | undefined, row, true);
    const value = numberAt(columns.value as NumberColumn | undefined, row, 1);
    const randomized = flagAt(columns.randomized as FlagColumn | undefined, row, 0);
    if (action === DECLINED || exposure === DECLINED || randomized === DECLINED) return DECLINED;
    if (!isPlainReceived(columns, row)) return DECLINED;
    if (!Number.isFinite(value) || isNull(columns.value, row)) return DECLINED;
    const itemId = (columns.item as TextColumn).texts.idIn(tables.items, item);
    if (itemId < 0) return OVER_ITEM_LIMIT;
    interactions.reserve();
    const at = interactions.length;
    interactions.ts[at] = ts + 0;
    interactions.value[at] = value + 0;
    const actions = tables.actions ?? this.#worths;
    interactions.action[at] =
      actions === undefined || action < 0
        ? -1
        : (columns.action as TextColumn).texts.idIn(actions, action);
    interactions.user[at] = this.#userIn(tables.users, columns, user, ts);
    interactions.item[at] = itemId;
    const halves = this.#halves;
    hashOf((columns.id as TextColumn).texts, id, halves);
    interactions.idHigh[at] = halves[0];
    interactions.idLow[at] = halves[1];
    let flags = randomized === 1 ? RANDOMIZED : 0;
    if (this.#scale !== undefined && isPresent(columns.value as NumberColumn | undefined, row)) {
      flags |= isRating(this.#scale, value) ? RATED : OFF_SCALE;
    }
    if (exposure >= 0) {
      flags |= NAMES_EXPOSURE;
      hashOf((columns.exposure as TextColumn).texts, exposure, halves);
    } else {
      halves.fill(0);
    }
    interactions.exposureHigh[at] = halves[0];
    interactions.exposureLow[at] = halves[1];
    interactions.flags[at] = flags;
    noteReceived(columns, row, interactions, at);
    interactions.length = at + 1;
    return ACCEPTED;
  }

  #exposure(
    columns: FieldColumns,
    row: number,
    latestTs: number,
    tables: EventTables,
    { exposures }: EventBatch,
  ): number {
    const ts = timeAt(columns.ts as NumberColumn, row, latestTs);
    const id = plainAt(columns.id as TextColumn, row);
    const user = plainAt(columns.user as TextColumn, row);
    const model = plainAt(columns.model as TextColumn, row);
    const items = columns.items as TextsColumn;
    if (Number.isNaN(ts) || id < 0 || user < 0 || model < 0) return DECLINED;
    if (!this.#isPlainList(items, row) || !hasPlainRest(columns, row)) return DECLINED;
    const shown = flagAt(columns.shown as FlagColumn | undefined, row, 1);
    const randomized = flagAt(columns.randomized as FlagColumn | undefined, row, 0);
    const sampled = flagAt(columns.sampled as FlagColumn | undefined, row, 0);
    if (shown === DECLINED || randomized === DECLINED || sampled === DECLINED) return DECLINED;
    if (!isPlainReceived(columns, row)) return DECLINED;
    const start = items.starts[row];
    const end = items.starts[row + 1];
    const size = end - start;
    const scores = plainNumbers(columns.scores as NumbersColumn | undefined, row, size, false);
    const chances = plainNumbers(
      columns.propensities as NumbersColumn | undefined,
      row,
      size,
      true,
    );
    const request = optionalAt(columns.request as TextColumn | undefined, row, true);
    if (scores === DECLINED || chances === DECLINED || request === DECLINED) return DECLINED;
    const candidates = numberAt(columns.candidates as NumberColumn | undefined, row, -1);
    const isStated = isPresent(columns.candidates as NumberColumn | undefined, row);
    if (isStated && !(Number.isSafeInteger(candidates) && candidates >= size)) return DECLINED;
    exposures.reserve(size);
    const at = exposures.length;
    const first = exposures.listStart[at];
    for (let i = 0; i < size; i++) {
      const item = items.texts.idIn(tables.items, items.at[start + i]);
      if (item < 0) return OVER_ITEM_LIMIT;
      exposures.items[first + i] = item;
    }
    exposures.ts[at] = ts + 0;
    exposures.user[at] = this.#userIn(tables.users, columns, user, ts);
    exposures.model[at] = (columns.model as TextColumn).texts.idIn(tables.models, model);
    const halves = this.#halves;
    hashOf((columns.id as TextColumn).texts, id, halves);
    exposures.idHigh[at] = halves[0];
    exposures.idLow[at] = halves[1];
    let flags = shown === 1 ? SHOWN : 0;
    if (randomized === 1) {
      flags |= RANDOMIZED;
    }
    if (sampled === 1) {
      flags |= SAMPLED;
    }
    exposures.candidates[at] = candidates;
    if (chances >= 0) {
      flags |= HAS_PROPENSITIES;
      exposures.reservePropensities();
      const { values } = columns.propensities as NumbersColumn;
      for (let i = 0; i < size; i++) {
        exposures.propensities[first + i] = values[chances + i];
      }
    }
    if (scores >= 0 && this.#scale !== undefined) {
      flags |= HAS_SCORES;
      exposures.reserveScores();
      const { values } = columns.scores as NumbersColumn;
      for (let i = 0; i < size; i++) {
        exposures.scores[first + i] = values[scores + i];
      }
    }
    if (request >= 0) {
      flags |= HAS_REQUEST;
      exposures.reserveRequest();
      const { requests } = exposures;
      hashOf((columns.request as TextColumn).texts, request, halves);
      requests.requestHigh[at] = halves[0];
      requests.requestLow[at] = halves[1];
      requests.share[at] = Number.NaN;
      requests.depth[at] = 0;
      requests.firstRank[at] = 0;
      requests.propensityOf[at] = 0;
    }
    exposures.flags[at] = flags;
    noteReceived(columns, row, exposures, at);
    exposures.listStart[at + 1] = first + size;
    exposures.length = at + 1;
    return ACCEPTED;
  }

  /** Whether a row's list has 1 to 10,000 items, which are valid ids without repeats. */
  #isPlainList({ at, starts, isAbsent, texts, odd }: TextsColumn, row: number): boolean {
    if (isAbsent[row] === 1 || (odd.size > 0 && odd.has(row))) return false;
    const start = starts[row];
    const end = starts[row + 1];
    if (end === start || end - start > MAX_LIST_LENGTH) return false;
    if (this.#stamps.length < texts.count) {
      this.#stamps = new Int32Array(2 * texts.count);
    }
    const stamps = this.#stamps;
    const stamp = ++this.#stamp;
    for (let i = start; i < end; i++) {
      const n = at[i];
      if (texts.states[n] !== PLAIN || stamps[n] === stamp) return false;
      stamps[n] = stamp;
    }
    return true;
  }

  #checked(
    columns: FieldColumns,
    row: number,
    latestTs: number,
    tables: EventTables,
    into: EventBatch,
  ): number {
    const { kind, mapping } = this;
    const event: Record<string, unknown> = {};
    for (const [field, column] of Object.entries(columns)) {
      if (hasBroken(column, row)) {
        return this.#fail('invalid_utf8', `${field}: the bytes are not well-formed UTF-8`);
      }
      const value = valueAt(column, row);
      event[field] = field === 'value' && (value ?? Number.NaN) !== value ? null : value;
    }
    if (mapping?.passesOver(event)) return IGNORED;
    const whole = this.#from === undefined ? event : withId(event, this.#from(row));
    const lines = mapping?.linesOf(kind, whole) ?? [whole];
    let answer = lines.length === 0 ? IGNORED : ACCEPTED;
    for (const line of lines) {
      const nameOf = (path: string) => mapping?.nameOf(kind, path) ?? path;
      const code = this.#checker.check(kind, line, latestTs, nameOf);
      if (code === ASKS_FOR_VALUES) return code;
      if (code === ACCEPTED) {
        const own = this.#draft.append(tables, into);
        if (answer === ACCEPTED) {
          answer = own;
        }
      } else if (answer === ACCEPTED) {
        // The first invalid line of a basket is reported; its valid lines count.
        this.#tell(this.#checker.detail);
        answer = code;
      }
    }
    return answer;
  }
}

/** Whether a column of numbers exists and is null in a row. */
function isNull(column: FieldColumn | undefined, row: number): boolean {
  return column?.kind === 'number' && column.isAbsent[row] === 1;
}

/** Fields that few lists have; a row with one of them goes through the checker. */
const SELDOM: readonly Field[] = ['firstRank', 'share', 'depth', 'propensityOf'];

function hasPlainRest(columns: FieldColumns, row: number): boolean {
  for (const field of SELDOM) {
    const column = columns[field];
    if (column !== undefined && valueAt(column, row) !== undefined) return false;
  }
  return true;
}

/** Whether a row has no `received` time, or a valid one in whole ms. */
function isPlainReceived(columns: FieldColumns, row: number): boolean {
  const column = columns.received as NumberColumn | undefined;
  if (column === undefined) return true;
  const isNull = column.isAbsent[row] === 1 && !column.odd.has(row);
  return isNull || !Number.isNaN(timeAt(column, row, Number.POSITIVE_INFINITY));
}

/** Copy the `received` time of a plain row to the event columns, if it has one. */
function noteReceived(
  columns: FieldColumns,
  row: number,
  into: { noteReceived(row: number, ms: number): void },
  at: number,
): void {
  const column = columns.received as NumberColumn | undefined;
  if (column === undefined || column.isAbsent[row] === 1) return;
  into.noteReceived(at, column.values[row] + 0);
}

/** Time of a row, ms; NaN if it is not valid, or needs the checker. */
function timeAt({ values, isAbsent, odd }: NumberColumn, row: number, latestTs: number): number {
  if (isAbsent[row] === 1 || (odd.size > 0 && odd.has(row))) return Number.NaN;
  const ts = values[row];
  // A time in seconds is left to the checker.
  const isMs = ts < LEAST_SECONDS || ts >= LEAST_MS;
  const isSound =
    isMs && Number.isInteger(ts) && Math.abs(ts) <= MAX_TIMESTAMP_MS && !(ts > latestTs);
  return isSound ? ts : Number.NaN;
}

function plainAt({ at, texts, odd }: TextColumn, row: number): number {
  const n = at[row];
  if (n < 0 || texts.states[n] !== PLAIN || (odd.size > 0 && odd.has(row))) return DECLINED;
  return n;
}

/** Number of a row's text; −1 if the row has none, `DECLINED` if it needs the checker. */
function optionalAt(column: TextColumn | undefined, row: number, isId: boolean): number {
  if (column === undefined) return -1;
  const { at, texts, odd } = column;
  if (odd.size > 0 && odd.has(row)) return DECLINED;
  const n = at[row];
  if (n < 0) return -1;
  return isId ? plainAt(column, row) : texts.states[n] === PLAIN ? n : DECLINED;
}

function numberAt(column: NumberColumn | undefined, row: number, otherwise: number): number {
  if (column === undefined) return otherwise;
  if (column.odd.size > 0 && column.odd.has(row)) return Number.NaN;
  return column.isAbsent[row] === 1 ? otherwise : column.values[row];
}

function isPresent(column: NumberColumn | undefined, row: number): boolean {
  return column !== undefined && column.isAbsent[row] === 0;
}

function flagAt(column: FlagColumn | undefined, row: number, otherwise: number): number {
  if (column === undefined) return otherwise;
  if (column.odd.size > 0 && column.odd.has(row)) return DECLINED;
  return column.values[row] < 0 ? otherwise : column.values[row];
}

/** Index of a row's first number; −1 if the row has none, `DECLINED` if it needs the checker. */
function plainNumbers(
  column: NumbersColumn | undefined,
  row: number,
  size: number,
  areChances: boolean,
): number {
  if (column === undefined) return -1;
  const { starts, values, isAbsent, odd } = column;
  if (odd.size > 0 && odd.has(row)) return DECLINED;
  if (isAbsent[row] === 1) return -1;
  const start = starts[row];
  const end = starts[row + 1];
  if (end - start !== size) return DECLINED;
  for (let i = start; i < end; i++) {
    const value = values[i];
    // Numbers beyond the range of float32 are left to the draft, which clamps them.
    if (!(Math.abs(value) < 1e38)) return DECLINED;
    if (areChances && !(value > 1e-37 && value <= 1)) return DECLINED;
  }
  return start;
}

function hashOf(texts: Texts, n: number, halves: Int32Array): void {
  hash64View(texts.text.view, texts.starts[n], texts.starts[n + 1], halves);
}

function hasBroken(column: FieldColumns[Field], row: number): boolean {
  if (column === undefined || column.odd.has(row)) return false;
  if (column.kind === 'text') {
    return column.at[row] >= 0 && column.texts.states[column.at[row]] === 2;
  }
  if (column.kind !== 'texts' || column.isAbsent[row] === 1) return false;
  const { at, starts, texts } = column;
  return at.subarray(starts[row], starts[row + 1]).some((n) => texts.states[n] === 2);
}
