import type { Field } from '../field.js';
import type { EventFields, RecordContext } from '../found.js';
import {
  type CompiledField,
  compileSource,
  type FieldSource,
  fault,
  noList,
  requireKeys,
  sourceValue,
  type TsUnit,
} from './field-source.js';

/**
 * Mapping of records that each state one shown item. The items of a list are its parts, from which
 * the intake assembles the list.
 */
export interface ImpressionMapping {
  readonly id?: FieldSource;
  readonly ts: FieldSource;
  readonly user: FieldSource;
  readonly item: FieldSource;
  /**
   * Model of the list. For this and the other fields of a whole list, the first part's value
   * counts.
   */
  readonly model: FieldSource;
  /** Shared id of the parts of a list, such as a request id; it becomes the list's id. */
  readonly list?: FieldSource;
  /** Slot, shelf or widget; different surfaces give different lists. */
  readonly surface?: FieldSource;
  /** Page of a feed; each page is a separate list. */
  readonly page?: FieldSource;
  /**
   * Position of the item, which orders the parts of a list; by default they are ordered by time.
   */
  readonly place?: FieldSource;
  readonly score?: FieldSource;
  readonly propensity?: FieldSource;
  readonly shown?: FieldSource;
  readonly randomized?: FieldSource;
  readonly sampled?: FieldSource;
  readonly candidates?: FieldSource;
  readonly firstRank?: FieldSource;
  readonly request?: FieldSource;
  readonly share?: FieldSource;
  readonly depth?: FieldSource;
  readonly propensityOf?: FieldSource;
}

/**
 * Fields that assign an impression to a list and a position; `stream/intake/part.ts` validates
 * them.
 */
export const PART_FIELDS = ['list', 'surface', 'page', 'place'] as const;
export type PartField = (typeof PART_FIELDS)[number];

/** Fields of an impression that apply to the whole list. */
const SHARED = [
  'id',
  'ts',
  'user',
  'model',
  'shown',
  'randomized',
  'sampled',
  'candidates',
  'firstRank',
  'request',
  'share',
  'depth',
  'propensityOf',
];
/** List field to which each field of a single item belongs. */
const ENTRIES: Readonly<Record<string, Field>> = {
  item: 'items',
  score: 'scores',
  propensity: 'propensities',
};
const REQUIRED = ['ts', 'user', 'item', 'model'];

/** A validated mapping of impressions. */
export interface CompiledImpression {
  /** Source of each canonical field. The mapping reads an impression as a list with one item. */
  readonly fields: readonly {
    readonly to: Field;
    readonly source: CompiledField;
  }[];
  readonly part: readonly {
    readonly to: PartField;
    readonly source: CompiledField;
  }[];
}

/** Validate a mapping of impressions. @throws UnskewError USAGE with the path of the first fault */
export function compileImpression(mapping: ImpressionMapping, at: string): CompiledImpression {
  requireKeys(mapping, [...SHARED, ...Object.keys(ENTRIES), ...PART_FIELDS], at);
  for (const field of REQUIRED) {
    if (!Object.hasOwn(mapping, field)) throw fault(`${at}.${field}`, 'missing');
  }
  const given = Object.entries(mapping).filter(([, source]) => source !== undefined);
  const listed = given.find(([, source]) => typeof source === 'object' && 'each' in source);
  if (listed !== undefined) throw noList(listed[0], `${at}.${listed[0]}`);
  const isPart = (name: string): name is PartField => PART_FIELDS.some((field) => field === name);
  return {
    fields: given
      .filter(([name]) => !isPart(name))
      .map(([name, source]) => ({
        to: ENTRIES[name] ?? (name as Field),
        source: compileSource(fieldAs(name), source, `${at}.${name}`),
      })),
    part: given
      .filter(([name]) => isPart(name))
      .map(([name, source]) => ({
        to: name as PartField,
        source: compileSource(fieldAs(name), source, `${at}.${name}`),
      })),
  };
}

/**
 * Canonical field with the same conversion as a field of an impression. For example `surface` is
 * converted like `item`, since both are ids that may be integers.
 */
function fieldAs(name: string): Field {
  if (name === 'list' || name === 'surface' || name === 'page') return 'item';
  if (name === 'place' || name === 'score' || name === 'propensity') return 'value';
  return name as Field;
}

/** Read an impression as the canonical fields of a list with one item, not yet validated. */
export function fieldsOfImpression(
  { fields }: CompiledImpression,
  event: EventFields,
  unit: TsUnit,
  from: RecordContext | undefined,
): EventFields {
  const found: Record<string, unknown> = {};
  for (const { to, source } of fields) {
    const value = sourceValue(source, event, unit, from);
    const isEntry = to === 'items' || to === 'scores' || to === 'propensities';
    found[to] = isEntry && value !== undefined && value !== null ? [value] : value;
  }
  return found;
}

/** Read the fields that assign an impression to a list and a position, not yet validated. */
export function partFieldsOf(
  { part }: CompiledImpression,
  event: EventFields,
  unit: TsUnit,
  from: RecordContext | undefined,
): Readonly<Partial<Record<PartField, unknown>>> {
  return Object.fromEntries(
    part.map(({ to, source }) => [to, sourceValue(source, event, unit, from)]),
  );
}

/** Name of a field in messages: its canonical path and the source from which it was mapped. */
export function nameInImpression({ fields }: CompiledImpression, path: string): string {
  const [name] = path.split('/', 1);
  const found = fields.find(({ to }) => to === name);
  return found === undefined ? path : `${path} (from ${found.source.text})`;
}
