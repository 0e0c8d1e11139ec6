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

/** How one record of one item that was shown becomes a part of a list. */
export interface ImpressionMapping {
  readonly id?: FieldSource;
  readonly ts: FieldSource;
  readonly user: FieldSource;
  readonly item: FieldSource;
  /** Of the list; that of its first part counts. So with all that a list says once. */
  readonly model: FieldSource;
  /** What the parts of one list share, such as a request's id; it becomes the list's id. */
  readonly list?: FieldSource;
  /** The slot, shelf or widget: what stands in two of them is two lists. */
  readonly surface?: FieldSource;
  /** Of a feed: each page is a list of its own. */
  readonly page?: FieldSource;
  /** A number by which the parts are put in order; without it their times are. */
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

/** What a part says of its place among others, as it was found; checked by `partOfList`. */
export const PART_FIELDS = ['list', 'surface', 'page', 'place'] as const;
export type PartField = (typeof PART_FIELDS)[number];

/** Fields of an impression that a list has once, under the same name. */
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
/** And those that are an entry of a list. */
const ENTRIES: Readonly<Record<string, Field>> = {
  item: 'items',
  score: 'scores',
  propensity: 'propensities',
};
const REQUIRED = ['ts', 'user', 'item', 'model'];

/** A mapping of impressions that has been checked. */
export interface CompiledImpression {
  /** Of a list of one item. */
  readonly fields: readonly {
    readonly to: Field;
    readonly source: CompiledField;
  }[];
  readonly part: readonly {
    readonly to: PartField;
    readonly source: CompiledField;
  }[];
}

/** @throws UnskewError USAGE that names the path of the first thing that is wrong */
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

/** The field whose rules for values hold: ids may be integers, for one. */
function fieldAs(name: string): Field {
  if (name === 'list' || name === 'surface' || name === 'page') return 'item';
  if (name === 'place' || name === 'score' || name === 'propensity') return 'value';
  return name as Field;
}

/** The canonical fields of a list of this one item, still to be checked. */
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

/** What it says of its place among the parts of its list. */
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

/** A canonical path with the place that it is mapped from, for faults. */
export function nameInImpression({ fields }: CompiledImpression, path: string): string {
  const [name] = path.split('/', 1);
  const found = fields.find(({ to }) => to === name);
  return found === undefined ? path : `${path} (from ${found.source.text})`;
}
