import type { EventKind } from './check.js';
import type { Field } from './field.js';
import type { CompiledField, Tokens, TsUnit } from './mapping/field-source.js';
import {
  type CompiledMapping,
  EXPOSURE_FIELDS,
  INTERACTION_FIELDS,
  REQUIRED,
} from './mapping/mapping.js';
import { COLUMN_KINDS } from './table-rows.js';

/** Where a field of a table's events comes from. */
export interface TableSource {
  readonly field: Field;
  /** Columns of the table, the first that has a value in the row. */
  readonly pointers: readonly Tokens[];
  /** Of lists: where the value is in each of their elements. */
  readonly each: Tokens | undefined;
  /** What every row has: from the path of the file, or of the mapping. */
  readonly constant: unknown;
}

/** Which columns of a table are read, and what for. */
export interface TablePlan {
  /** What gives the kind of each row; undefined where all are of one kind. */
  readonly kind: TableSource | undefined;
  readonly exposure: readonly TableSource[] | undefined;
  readonly interaction: readonly TableSource[] | undefined;
  readonly unit: TsUnit;
}

export interface TableNames {
  /** Columns at the top of the table's schema. */
  readonly columns: ReadonlySet<string>;
  /** Columns that the path of the file gives, as `day` in `day=2026-01-01/part.parquet`. */
  readonly partitions: ReadonlyMap<string, string>;
}

const KINDS: readonly EventKind[] = ['exposure', 'interaction'];

/**
 * Which columns the fields of events come from: by the mapping, or by their own names. A column of
 * the file goes before one of its path.
 *
 * Where nothing in the table tells the kind of an event, it is that for which all columns are there.
 *
 * @returns what is missing, for people, where the table can hold no events
 * @example
 * const columns = new Set(['id', 'ts', 'user', 'item']);
 * const plan = tablePlan({ columns, partitions: new Map() }, undefined);
 * typeof plan === 'object' && plan.exposure === undefined;
 */
export function tablePlan(
  names: TableNames,
  mapping: CompiledMapping | undefined,
): TablePlan | string {
  const kind = sourceIn(names, {
    field: 'type',
    pointers: mapping === undefined ? [['type']] : mapping.kindTokens ? [mapping.kindTokens] : [],
  });
  const found = Object.fromEntries(
    KINDS.map((name) => [name, sourcesOf(names, mapping, name)]),
  ) as Record<EventKind, readonly TableSource[] | string>;
  if (mapping?.kindTokens !== undefined && kind === undefined) {
    return `nothing stands at /${mapping.kindTokens.join('/')}, which tells the kind of an event`;
  }
  const whole = KINDS.filter((name) => typeof found[name] !== 'string');
  if (whole.length === 0) return KINDS.map((name) => found[name]).join('; ');
  if (kind === undefined && whole.length === 2) {
    return 'its columns are those of exposures and of interactions, and nothing tells which a row is';
  }
  const of = (name: EventKind) => {
    const sources = found[name];
    return typeof sources === 'string' ? undefined : sources;
  };
  return {
    kind,
    exposure: of('exposure'),
    interaction: of('interaction'),
    unit: mapping?.unit ?? 'ms',
  };
}

function sourcesOf(
  names: TableNames,
  mapping: CompiledMapping | undefined,
  kind: EventKind,
): readonly TableSource[] | string {
  const wanted = mapping === undefined ? canonical(kind) : mapping.fields[kind];
  if (wanted === undefined) return `${kind}s are not in the mapping`;
  // Segments are not read from tables.
  const single = wanted.filter(({ field }) => field !== 'segments');
  const sources = single.flatMap((source) => sourceIn(names, source) ?? []);
  const missing = REQUIRED[kind].filter(
    (field) => !sources.some((source) => source.field === field),
  );
  return missing.length === 0 ? sources : `as ${kind}s its rows have no ${missing.join(', ')}`;
}

function canonical(kind: EventKind): readonly Pick<CompiledField, 'field' | 'pointers'>[] {
  const fields = kind === 'exposure' ? EXPOSURE_FIELDS : INTERACTION_FIELDS;
  return fields.map((field) => ({ field, pointers: [[field]] }));
}

/** What of a source the table has; undefined for nothing. */
function sourceIn(
  { columns, partitions }: TableNames,
  {
    field,
    pointers,
    each,
    constant,
  }: Pick<CompiledField, 'field' | 'pointers'> & Partial<CompiledField>,
): TableSource | undefined {
  if (constant !== undefined) return { field, pointers: [], each, constant };
  const found = pointers.filter(([first]) => first !== undefined && columns.has(first));
  if (found.length > 0) return { field, pointers: found, each, constant };
  const ofPath = pointers.find((tokens) => tokens.length === 1 && partitions.has(tokens[0]));
  if (ofPath === undefined) return undefined;
  return { field, pointers: [], each, constant: typed(field, partitions.get(ofPath[0])!) };
}

/** What a text of a path stands for in a field that holds no text. */
function typed(field: Field, text: string): string | number | boolean {
  const kind = COLUMN_KINDS[field];
  if (kind === 'flag' && (text === 'true' || text === 'false')) return text === 'true';
  return kind === 'number' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
