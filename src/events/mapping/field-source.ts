import { UnskewError } from '../../errors.js';
import type { Field } from '../field.js';
import {
  describeFound,
  type EventFields,
  partOf,
  RECORD_PARTS,
  type RecordContext,
  type RecordPart,
} from '../found.js';
import { msOfSeconds, WRITTEN_DATE } from '../timestamp.js';

type Scalar = string | number | boolean;

/** Options of a field's source. */
interface SourceNotes {
  /** Value if nothing is found. */
  readonly default?: Scalar;
  /**
   * Field value for each found value, given as text. A found value that is not listed gives
   * `default`, or no value.
   */
  readonly map?: Readonly<Record<string, Scalar>>;
  /** For `value`: factor of a number, such as −1 for a cost. */
  readonly times?: number;
}

/**
 * Source in a list of objects. The first object that has all the values of `where`, each at its
 * pointer, is selected; the field's value is at the pointer `at` of that object.
 */
interface EntrySource {
  readonly where: Readonly<Record<string, Scalar>>;
  readonly at: string;
}

/** A header of the record. */
export interface HeaderSource {
  readonly header: string;
}

/**
 * Source of a field: a constant, a JSON Pointer, or several pointers, of which the first with a
 * value counts. For events of a log, a source can also be a part of the record or a header, and
 * headers can be among several pointers. `join` concatenates the values of several pointers with
 * slashes, as in the ids of assembled lists.
 */
export type FieldSource =
  | string
  | readonly (string | HeaderSource)[]
  | { readonly constant: Scalar }
  | ({ readonly path: string | readonly string[] } & SourceNotes)
  | ({ readonly path: string | readonly string[] } & EntrySource & SourceNotes)
  | { readonly join: readonly string[] }
  | ({ readonly header: string } & SourceNotes)
  | ({ readonly record: RecordPart } & SourceNotes);

/** How a text is split into the elements of a list. */
interface TextList {
  readonly split?: string;
  /**
   * Regular expression with one group, whose match is the element. Texts that do not match are left
   * out.
   */
  readonly match?: string;
}

/**
 * Source of a list: any source of a field, or the path of a list of objects, of which each entry
 * has the value at the pointer `each`.
 */
export type ListSource =
  | FieldSource
  | ({
      readonly path: string | readonly string[];
      readonly each?: string;
    } & TextList);

/** Source of a field that differs between the lines of one event, such as the items of an order. */
export type LineSource =
  | FieldSource
  | ({
      readonly path: string | readonly string[];
      readonly each?: string;
    } & TextList);

/**
 * Units and formats of `ts`. `ms`, `s`, `us` and `ns` are units of numbers; `iso` allows text only;
 * `mdy` is a text such as 11/15/2019 8:05:22 AM, and `dmy` one such as 15.11.2019 08:05. Text in
 * ISO 8601 is read with each of them.
 */
export const TS_UNITS = ['ms', 's', 'us', 'ns', 'iso', 'mdy', 'dmy'] as const;
export type TsUnit = (typeof TS_UNITS)[number];

const LISTS: ReadonlySet<string> = new Set(['items', 'scores', 'propensities']);
/** Fields that may differ between the lines of a basket, one event about several items. */
export const LINE_FIELDS: ReadonlySet<string> = new Set(['item', 'value', 'exposure']);
export const ID_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'user',
  'item',
  'model',
  'exposure',
  'request',
]);

export type Tokens = readonly string[];

/** Selects an entry of a list, and a value inside it. */
export interface CompiledEntry {
  readonly where: readonly {
    readonly tokens: Tokens;
    readonly text: string;
  }[];
  readonly at: Tokens;
}

/** A validated source. */
export interface CompiledField {
  readonly field: Field;
  /** For `segments`: the segment dimension. */
  readonly dimension?: string | undefined;
  readonly pointers: readonly Tokens[];
  /** Pointers and headers in order of preference. Undefined if no header is among the sources. */
  readonly alternatives?: readonly (Tokens | HeaderSource)[] | undefined;
  /** Whether all pointers are joined, instead of using the first with a value. */
  readonly isJoined?: boolean | undefined;
  readonly constant: unknown;
  readonly each: Tokens | undefined;
  /** Separator of a list written as one text. */
  readonly split?: string | undefined;
  readonly match?: RegExp | undefined;
  readonly entry: CompiledEntry | undefined;
  readonly header: string | undefined;
  readonly record: RecordPart | undefined;
  readonly fallback: Scalar | undefined;
  readonly map: ReadonlyMap<string, Scalar> | undefined;
  readonly times?: number | undefined;
  /** Original form of the source, for messages. */
  readonly text: string;
}

/** Validate the source of a field. `at` is its path for messages. */
export function compileSource(field: Field, source: ListSource, at: string): CompiledField {
  if (typeof source === 'string') {
    return sourceOf(field, {
      pointers: [pointerAt(source, at)],
      text: source,
    });
  }
  if (Array.isArray(source)) {
    if (source.length === 0) throw fault(at, 'expected at least one JSON Pointer');
    const { pointers, alternatives, text } = alternativesAt(source, at);
    return sourceOf(field, {
      pointers,
      alternatives,
      text,
    });
  }
  requireObject(source, at, 'a JSON Pointer, a list of them, or an object with constant');
  if ('constant' in source) {
    requireKeys(source, ['constant'], at);
    const { constant } = source;
    if (constant === null || typeof constant === 'object') {
      throw fault(`${at}.constant`, 'expected text, a number or a boolean', constant);
    }
    return sourceOf(field, {
      constant,
      text: 'a constant',
    });
  }
  if ('join' in source) {
    requireKeys(source, ['join'], at);
    const { join } = source;
    if (!Array.isArray(join) || join.length < 2 || !ID_FIELDS.has(field)) {
      throw fault(
        `${at}.join`,
        'expected at least two JSON Pointers; only ids can be joined',
        join,
      );
    }
    const pointers = join.map((pointer, i) => pointerAt(pointer, `${at}.join[${i}]`));
    return sourceOf(field, {
      pointers,
      isJoined: true,
      text: join.join(' with '),
    });
  }
  return compileObject(field, source as SourceObject, at);
}

interface SourceObject extends SourceNotes, TextList {
  readonly path?: string | readonly string[];
  readonly header?: string;
  readonly record?: RecordPart;
  readonly each?: string;
  readonly where?: Readonly<Record<string, Scalar>>;
  readonly at?: string;
}

const NOTES = ['default', 'map', 'times'] as const;

function compileObject(field: Field, source: SourceObject, at: string): CompiledField {
  const { path, header, record, each, split } = source;
  const isList = each !== undefined || split !== undefined;
  const notes = notesOf(field, source, at);
  if (header !== undefined) {
    requireKeys(source, ['header', ...NOTES], at);
    if (typeof header !== 'string') throw fault(`${at}.header`, 'expected a name', header);
    return sourceOf(field, {
      ...notes,
      header,
      text: `the header ${header}`,
    });
  }
  if (record !== undefined) {
    requireKeys(source, ['record', ...NOTES], at);
    if (!RECORD_PARTS.includes(record)) {
      throw fault(`${at}.record`, `expected one of ${RECORD_PARTS.join(', ')}`, record);
    }
    return sourceOf(field, {
      ...notes,
      record,
      text: `the record’s ${record}`,
    });
  }
  if (isList && !LISTS.has(field) && !LINE_FIELDS.has(field)) throw noList(field, at);
  requireKeys(source, ['path', 'each', 'split', 'match', 'where', 'at', ...NOTES], at);
  if (split !== undefined && (typeof split !== 'string' || split === '')) {
    throw fault(`${at}.split`, 'expected the text that separates two elements', split);
  }
  const entry = entryOf(source, at);
  const paths = Array.isArray(path) ? path : [path];
  if (paths.length === 0) throw fault(`${at}.path`, 'expected at least one JSON Pointer');
  return sourceOf(field, {
    ...notes,
    pointers: paths.map((pointer, i) =>
      pointerAt(pointer, Array.isArray(path) ? `${at}.path[${i}]` : `${at}.path`),
    ),
    each: each === undefined ? undefined : pointerAt(each, `${at}.each`),
    split,
    match: matchOf(source, at),
    entry,
    text: each === undefined ? paths.join(' or ') : `${paths.join(' or ')} ${each}`,
  });
}

function matchOf({ split, match }: SourceObject, at: string): RegExp | undefined {
  if (match === undefined) return undefined;
  if (split === undefined) {
    throw fault(at, 'match has an effect only together with split');
  }
  try {
    return new RegExp(match, 'u');
  } catch {
    throw fault(`${at}.match`, 'expected a regular expression', match);
  }
}

/** Create the error for a field that has `each` in its source but is not a list. */
export function noList(field: string, at: string): UnskewError {
  return fault(at, `each and split are for lists, and ${field} is not a list`);
}

function entryOf({ where, at: inside, each }: SourceObject, at: string): CompiledEntry | undefined {
  if (where === undefined && inside === undefined) return undefined;
  if (where === undefined || inside === undefined)
    throw fault(at, 'expected both where and at, or neither');
  if (each !== undefined) throw fault(at, 'expected either each, or where and at');
  requireObject(where, `${at}.where`);
  return {
    where: Object.entries(where).map(([pointer, text]) => {
      requireScalar(text, `${at}.where.${pointer}`);
      return {
        tokens: pointerAt(pointer, `${at}.where`),
        text: String(text),
      };
    }),
    at: pointerAt(inside, `${at}.at`),
  };
}

function notesOf(
  field: Field,
  { default: fallback, map, times }: SourceNotes,
  at: string,
): Pick<CompiledField, 'fallback' | 'map' | 'times'> {
  if (fallback !== undefined) {
    requireScalar(fallback, `${at}.default`);
  }
  if (times !== undefined && (field !== 'value' || !Number.isFinite(times))) {
    throw fault(`${at}.times`, 'expected a number; only value can have times', times);
  }
  if (map === undefined) {
    return {
      fallback,
      times,
      map: undefined,
    };
  }
  requireObject(map, `${at}.map`);
  for (const [found, value] of Object.entries(map)) {
    requireScalar(value, `${at}.map.${found}`);
  }
  return {
    fallback,
    times,
    map: new Map(Object.entries(map)),
  };
}

function requireScalar(value: unknown, at: string): void {
  if (value === null || typeof value === 'object') {
    throw fault(at, 'expected text, a number or a boolean', value);
  }
}

function sourceOf(field: Field, source: Partial<CompiledField> & { text: string }): CompiledField {
  return {
    field,
    pointers: [],
    constant: undefined,
    each: undefined,
    entry: undefined,
    header: undefined,
    record: undefined,
    fallback: undefined,
    map: undefined,
    ...source,
  };
}

/** Whether the value is computed, not just copied from one path. */
export function isComputed({
  map,
  fallback,
  times,
  isJoined,
  entry,
  split,
}: CompiledField): boolean {
  const notes = [map, fallback, times, entry, split];
  return isJoined === true || notes.some((note) => note !== undefined);
}

/**
 * Validate alternative sources. @throws UnskewError if one is neither a JSON Pointer nor a header
 */
export function alternativesAt(
  source: readonly (string | HeaderSource)[],
  at: string,
): Pick<CompiledField, 'pointers' | 'alternatives' | 'text'> {
  const all = source.map((each, i) => {
    const place = source.length === 1 ? at : `${at}[${i}]`;
    if (typeof each !== 'object' || each === null) return pointerAt(each, place);
    requireKeys(each, ['header'], place);
    if (typeof each.header !== 'string') {
      throw fault(`${place}.header`, 'expected a name', each.header);
    }
    return each;
  });
  const pointers = all.filter((each): each is Tokens => !('header' in each));
  const texts = source.map((each) =>
    typeof each === 'string' ? each : `the header ${each.header}`,
  );
  return {
    pointers,
    alternatives: pointers.length < all.length ? all : undefined,
    text: texts.join(' or '),
  };
}

/** Parse a JSON Pointer of a mapping. @throws UnskewError if `pointer` is not a JSON Pointer */
export function pointerAt(pointer: unknown, at: string): Tokens {
  const tokens = typeof pointer === 'string' ? parsePointer(pointer) : null;
  if (tokens === null) throw fault(at, 'expected a JSON Pointer such as /user/id', pointer);
  return tokens;
}

/** Value of a field in a foreign event; undefined or null if there is none. */
export function sourceValue(
  compiled: CompiledField,
  event: EventFields,
  unit: TsUnit,
  from?: RecordContext,
): unknown {
  const { each, field, fallback, map, times } = compiled;
  let found = compiled.constant ?? foundValue(compiled, event, from);
  if (map !== undefined && typeof found !== 'object') {
    found = map.get(String(found));
  }
  found ??= fallback;
  if (compiled.split !== undefined && typeof found === 'string') {
    found = elementsOf(found, compiled);
  }
  // A list of one entry may be written as the entry alone. If there are several pointers, one may
  // lead to a list of objects and another to the value itself.
  const isOneOfSeveral = compiled.pointers.length > 1;
  if (LISTS.has(field) && isScalar(found) && (each === undefined || isOneOfSeveral)) {
    found = [found];
  }
  if (Array.isArray(found)) {
    const list = found.map((entry) => timesOf(inside(entry, each, isOneOfSeveral), times));
    return field === 'items' ? list.map(idText) : list;
  }
  // A value that is not a list is the only line.
  if (LINE_FIELDS.has(field)) {
    found = inside(found, each, isOneOfSeveral);
  }
  if (field === 'ts' || field === 'received') return compiled.constant ?? timestampMs(found, unit);
  found = timesOf(found, times);
  return ID_FIELDS.has(field) ? idText(found) : found;
}

/**
 * Value at the pointer `each` of a list's entry. If `mayBeAlone` is set, an entry that is not an
 * object or a list is itself the value.
 */
function inside(entry: unknown, each: Tokens | undefined, mayBeAlone: boolean): unknown {
  const isAlone = mayBeAlone && isScalar(entry);
  return each === undefined || isAlone ? entry : resolvePointer(entry, each);
}

function timesOf(found: unknown, times: number | undefined): unknown {
  return times !== undefined && typeof found === 'number' ? found * times + 0 : found;
}

/** Split a text into the elements of a list. Texts that do not match `match` are left out. */
function elementsOf(text: string, { split = '', match }: CompiledField): readonly string[] {
  const elements = text.split(split).filter((element) => element !== '');
  if (match === undefined) return elements;
  return elements.flatMap((element) => match.exec(element)?.[1] ?? []);
}

function isScalar(found: unknown): boolean {
  return found !== undefined && found !== null && typeof found !== 'object';
}

function foundValue(
  { pointers, alternatives, header, record, entry, isJoined }: CompiledField,
  event: EventFields,
  from: RecordContext | undefined,
): unknown {
  if (header !== undefined) return from?.headers[header];
  if (record !== undefined) return from && partOf(from, record);
  if (alternatives !== undefined) return firstOf(alternatives, event, from);
  if (isJoined) {
    const texts = pointers.map((tokens) => idText(resolvePointer(event, tokens)));
    const isThere = (text: unknown) => text !== undefined && text !== null && text !== '';
    return isThere(texts[0]) ? texts.filter(isThere).join('/') : undefined;
  }
  let isNull = false;
  for (const tokens of pointers) {
    const whole = resolvePointer(event, tokens);
    const found = entry === undefined ? whole : inEntry(whole, entry);
    if (found !== undefined && found !== null) return found;
    isNull ||= found === null;
  }
  return isNull ? null : undefined;
}

/** Value of the first alternative that has one. */
export function firstOf(
  alternatives: readonly (Tokens | HeaderSource)[],
  event: EventFields,
  from: RecordContext | undefined,
): unknown {
  for (const each of alternatives) {
    const found = 'header' in each ? from?.headers[each.header] : resolvePointer(event, each);
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

function inEntry(list: unknown, { where, at }: CompiledEntry): unknown {
  if (!Array.isArray(list)) return undefined;
  const meant = list.find((entry) =>
    where.every(({ tokens, text }) => {
      const found = resolvePointer(entry, tokens);
      return typeof found !== 'object' && String(found) === text;
    }),
  );
  return resolvePointer(meant, at);
}

/** Convert an id that is an integer to its decimal text; any other value stays unchanged. */
export function idText(id: unknown): unknown {
  return Number.isSafeInteger(id) || typeof id === 'bigint' ? String(id) : id;
}

/** Convert a number in `unit` to ms, also if written as text; other text stays for ISO 8601. */
export function timestampMs(found: unknown, unit: TsUnit): unknown {
  const isNumeral = typeof found === 'string' && /^-?\d{1,19}(\.\d{1,9})?$/.test(found);
  if ((unit === 'mdy' || unit === 'dmy') && typeof found === 'string') {
    return isoOfWritten(found, unit);
  }
  if (unit === 'iso') return typeof found === 'number' ? String(found) : found;
  if (typeof found !== 'number' && typeof found !== 'bigint' && !isNumeral) return found;
  const number = Number(found);
  if (unit === 'us') return Math.floor(number / 1000);
  if (unit === 'ns') return Math.floor(number / 1e6);
  return unit === 's' ? msOfSeconds(number) : number;
}

/** Convert a written date to ISO 8601 in UTC; other text stays unchanged. */
function isoOfWritten(text: string, order: 'mdy' | 'dmy'): string {
  const parts = WRITTEN_DATE.exec(text);
  if (parts === null) return text;
  const [, first, second, year, hour = 0, minute = 0, seconds = 0, half] = parts;
  const [month, day] = order === 'mdy' ? [first, second] : [second, first];
  const isAfternoon = half?.toUpperCase() === 'PM';
  const hours = half === undefined ? hour : (Number(hour) % 12) + (isAfternoon ? 12 : 0);
  const two = (number: unknown) => String(number).padStart(2, '0');
  return `${year}-${two(month)}-${two(day)}T${two(hours)}:${two(minute)}:${two(seconds)}Z`;
}

/** Check a value of a mapping. @throws UnskewError if it is not an object */
export function requireObject(value: unknown, at: string, expected = 'an object'): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  throw fault(at, `expected ${expected}`, value);
}

/** Check the keys of an object. @throws UnskewError if one is unknown, or it is not an object */
export function requireKeys(value: object, known: readonly string[], at: string): void {
  requireObject(value, at);
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      throw fault(`${at}.${key}`, `unknown; known here: ${known.join(', ')}`);
    }
  }
}

/** Create a configuration error with the path of the invalid part. */
export function fault(at: string, text: string, found?: unknown): UnskewError {
  const suffix = found === undefined ? '' : `, found ${describeFound(found)}`;
  return new UnskewError('USAGE', `${at}: ${text}${suffix}`);
}

/**
 * Parse a JSON Pointer into its reference tokens.
 *
 * Source: RFC 6901, sections 3 and 4.
 *
 * @param pointer  '' for the whole value, else '/' before each token; `~1` is '/', `~0` is '~'
 * @returns the tokens; null if the text is not a JSON Pointer
 * @example
 * parsePointer('/a~1b/0') // ['a/b', '0']
 */
export function parsePointer(pointer: string): readonly string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Resolve tokens in `value`, through own properties only; undefined if there is nothing. */
export function resolvePointer(value: unknown, tokens: readonly string[]): unknown {
  let at = value;
  for (const token of tokens) {
    if (typeof at !== 'object' || at === null) return undefined;
    if (Array.isArray(at) && !/^(0|[1-9]\d*)$/.test(token)) return undefined;
    if (!Object.hasOwn(at, token)) return undefined;
    at = (at as Record<string, unknown>)[token];
  }
  return at;
}
