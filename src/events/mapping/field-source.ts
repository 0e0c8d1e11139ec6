import type { EventFields } from '../decoding/found.js';
import type { Field } from '../field.js';
import { fault, requireKeys, requireObject } from './mapping-fault.js';
import { parsePointer, resolvePointer } from './pointer.js';

/**
 * Where a field comes from: a JSON Pointer, several of which the first that leads to something
 * counts, or a constant.
 */
export type FieldSource =
  | string
  | readonly string[]
  | { readonly constant: string | number | boolean };

/** Where a list comes from: as a field, or from a list of objects by a pointer inside each. */
export type ListSource = FieldSource | { readonly path: string; readonly each: string };

/** How the numbers of `ts` count; `iso` for text only. Text in ISO 8601 is read in every case. */
export const TS_UNITS = ['ms', 's', 'us', 'iso'] as const;
export type TsUnit = (typeof TS_UNITS)[number];

const LISTS: ReadonlySet<string> = new Set(['items', 'scores', 'propensities']);
export const ID_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'user',
  'item',
  'model',
  'exposure',
  'request',
]);

export type Tokens = readonly string[];

/** A source that has been checked. */
export interface CompiledField {
  readonly field: Field;
  readonly pointers: readonly Tokens[];
  readonly constant: unknown;
  readonly each: Tokens | undefined;
  /** The source as it was written, for faults. */
  readonly text: string;
}

/** Checks where a field comes from. `at` is its path in faults. */
export function compileSource(field: Field, source: ListSource, at: string): CompiledField {
  if (typeof source === 'string') {
    return sourceOf(field, { pointers: [pointerAt(source, at)], text: source });
  }
  if (Array.isArray(source)) {
    if (source.length === 0) throw fault(at, 'expected at least one JSON Pointer');
    const pointers = source.map((pointer, i) => pointerAt(pointer, `${at}[${i}]`));
    return sourceOf(field, { pointers, text: source.join(' or ') });
  }
  requireObject(source, at, 'a JSON Pointer, a list of them, or an object with constant');
  if ('constant' in source) {
    requireKeys(source, ['constant'], at);
    const { constant } = source;
    if (constant === null || typeof constant === 'object') {
      throw fault(`${at}.constant`, 'expected text, a number or a boolean', constant);
    }
    return sourceOf(field, { constant, text: 'a constant' });
  }
  const { path, each } = source as { path: string; each: string };
  if (!LISTS.has(field)) throw fault(at, `path and each are for lists, and ${field} is none`);
  requireKeys(source, ['path', 'each'], at);
  return sourceOf(field, {
    pointers: [pointerAt(path, `${at}.path`)],
    each: pointerAt(each, `${at}.each`),
    text: `${path} ${each}`,
  });
}

function sourceOf(field: Field, source: Partial<CompiledField> & { text: string }): CompiledField {
  return { field, pointers: [], constant: undefined, each: undefined, ...source };
}

/** @throws UnskewError if `pointer` is not a JSON Pointer */
export function pointerAt(pointer: unknown, at: string): Tokens {
  const tokens = typeof pointer === 'string' ? parsePointer(pointer) : null;
  if (tokens === null) throw fault(at, 'expected a JSON Pointer such as /user/id', pointer);
  return tokens;
}

/** What a foreign event has for a field; undefined or null where it has nothing. */
export function sourceValue(compiled: CompiledField, event: EventFields, unit: TsUnit): unknown {
  if (compiled.constant !== undefined) return compiled.constant;
  let found: unknown;
  for (const tokens of compiled.pointers) {
    found = resolvePointer(event, tokens);
    if (found !== undefined && found !== null) break;
  }
  const { each, field } = compiled;
  if (Array.isArray(found)) {
    const list = each === undefined ? found : found.map((entry) => resolvePointer(entry, each));
    return field === 'items' ? list.map(idText) : list;
  }
  if (field === 'ts') return timestampMs(found, unit);
  return ID_FIELDS.has(field) ? idText(found) : found;
}

/** Ids that are integers become their decimal text. */
export function idText(id: unknown): unknown {
  return Number.isSafeInteger(id) || typeof id === 'bigint' ? String(id) : id;
}

/** ms of a number in `unit`, also of one written as text; other text stays for ISO 8601. */
export function timestampMs(found: unknown, unit: TsUnit): unknown {
  const isNumeral = typeof found === 'string' && /^-?\d{1,17}(\.\d{1,9})?$/.test(found);
  if (unit === 'iso') return typeof found === 'number' ? String(found) : found;
  if (typeof found !== 'number' && !isNumeral) return found;
  const number = Number(found);
  if (unit === 'us') return Math.floor(number / 1000);
  // Through whole microseconds, so that 0.123 s is 123 ms and not the 122 of its binary fraction.
  return unit === 's' ? Math.floor(Math.round(number * 1e6) / 1000) : number;
}
