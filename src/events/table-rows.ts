import type { EventKind } from './check.js';
import type { Field } from './field.js';
import {
  type CompiledField,
  isComputed,
  type Tokens,
  type TsUnit,
} from './mapping/field-source.js';
import {
  type CompiledMapping,
  EXPOSURE_FIELDS,
  INTERACTION_FIELDS,
  REQUIRED,
} from './mapping/mapping.js';
import type { EventRole } from './parse.js';
import type { Texts } from './texts.js';

/** Source of an event field in a table. */
export interface TableSource {
  readonly field: Field;
  /**
   * Paths of the value, which begin with a column. The first path with a value in the row counts.
   */
  readonly pointers: readonly Tokens[];
  /** Path of the value in each entry of a list; for list fields only. */
  readonly each: Tokens | undefined;
  /** Value of the field in all rows; it is from the path of the file or from the mapping. */
  readonly constant: unknown;
  /** Mapped source, if the value must be computed from the columns; absent if it is copied. */
  readonly computed?: CompiledField;
}

/** Columns of a table to read, by event field. */
export interface ColumnPlan {
  /**
   * Where a row states its kind. Undefined if all rows have the same kind, or if each is both a
   * list and an interaction.
   */
  readonly kind: TableSource | undefined;
  readonly exposure: readonly TableSource[] | undefined;
  readonly interaction: readonly TableSource[] | undefined;
  readonly unit: TsUnit;
}

/** Columns of a table of events to read, and the kind of its rows. */
export interface TablePlan extends ColumnPlan {
  /**
   * Kind of the rows. In a `mixed` table each row states its kind, or is both a list and an
   * interaction.
   */
  readonly role: EventRole;
  /** Whether each row is one event, whose fields come from columns. */
  readonly isPlain: boolean;
}

interface TableNames {
  /** Top-level columns of the table's schema. */
  readonly columns: ReadonlySet<string>;
  /**
   * Values from the path of the file, by column: the path `day=2026-01-01/part.parquet` has the
   * column `day`.
   */
  readonly partitions: ReadonlyMap<string, string>;
}

const KINDS: readonly EventKind[] = ['exposure', 'interaction'];

/**
 * Decide from which columns event fields are read: the mapped columns or, without a mapping,
 * columns with the names of the fields. If the file and its path have the same column, the file's
 * counts.
 *
 * If no column states the kind of an event, the kind is the one whose required columns are all
 * present.
 *
 * @returns the plan, or a message about what is missing if the table cannot hold events
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
    pointers: mapping === undefined ? [['type']] : mapping.kindPlaces,
  });
  const found = Object.fromEntries(
    KINDS.map((name) => [name, sourcesOf(names, mapping, name)]),
  ) as Record<EventKind, readonly TableSource[] | string>;
  if (mapping !== undefined && mapping.kindPlaces.length > 0 && kind === undefined) {
    const places = mapping.kindPlaces.map((tokens) => `/${tokens.join('/')}`).join(' or ');
    return `it has no column ${places}, which the mapping uses for the kind of an event`;
  }
  const impression = impressionIn(names, mapping);
  const whole = KINDS.filter((name) => typeof found[name] !== 'string');
  const areRowsOfLists = impression === true;
  if (whole.length === 0 && !areRowsOfLists) {
    const missing = typeof impression === 'string' ? [impression] : [];
    return [...missing, ...KINDS.map((name) => found[name])]
      .filter((why) => !String(why).endsWith('not in the mapping'))
      .join('; ');
  }
  const areBoth = whole.includes('interaction') && (areRowsOfLists || whole.length === 2);
  if (kind === undefined && areBoth && mapping?.isBoth !== true) {
    return 'its columns fit both exposures and interactions, and no column says which of them a row is';
  }
  const only = whole.includes('interaction') ? 'interactions' : 'exposures';
  const of = (name: EventKind) => {
    const sources = found[name];
    return typeof sources === 'string' ? undefined : sources;
  };
  return {
    kind,
    exposure: of('exposure'),
    interaction: of('interaction'),
    unit: mapping?.unit ?? 'ms',
    role: kind !== undefined || areBoth ? 'mixed' : only,
    isPlain: !areRowsOfLists && !(kind === undefined && areBoth) && !mapping?.takesOfRecord,
  };
}

/**
 * Whether the table's columns have all fields of the mapped impressions. Returns a message about
 * missing fields, or false if impressions are not mapped.
 */
function impressionIn(names: TableNames, mapping: CompiledMapping | undefined): boolean | string {
  const { impression } = mapping ?? {};
  if (impression === undefined) return false;
  const found = new Set(
    impression.fields.flatMap(({ to, source }) =>
      sourceIn(names, source) === undefined ? [] : to,
    ),
  );
  const missing = REQUIRED.exposure.filter((field) => !found.has(field));
  return missing.length === 0 || `to be impressions, its rows lack ${missing.join(', ')}`;
}

function sourcesOf(
  names: TableNames,
  mapping: CompiledMapping | undefined,
  kind: EventKind,
): readonly TableSource[] | string {
  const wanted = mapping === undefined ? canonical(kind) : mapping.fields[kind];
  if (wanted === undefined) return `${kind}s are not in the mapping`;
  // Segments have no column of their own.
  const single = wanted.filter(({ field }) => field !== 'segments');
  const sources = single.flatMap((source) => sourceIn(names, source) ?? []);
  const missing = REQUIRED[kind].filter(
    (field) => !sources.some((source) => source.field === field),
  );
  return missing.length === 0 ? sources : `to be ${kind}s, its rows lack ${missing.join(', ')}`;
}

function canonical(kind: EventKind): readonly Pick<CompiledField, 'field' | 'pointers'>[] {
  const fields = kind === 'exposure' ? EXPOSURE_FIELDS : INTERACTION_FIELDS;
  return fields.map((field) => ({
    field,
    pointers: [[field]],
  }));
}

/**
 * Where a mapped field is in this table; undefined if the table has none of the field's columns.
 */
function sourceIn(
  { columns, partitions }: TableNames,
  source: Pick<CompiledField, 'field' | 'pointers'> & Partial<CompiledField>,
): TableSource | undefined {
  const { field, pointers, each, constant, fallback } = source;
  const isList = COLUMN_KINDS[field] === 'texts' || COLUMN_KINDS[field] === 'numbers';
  const constantly = (value: unknown): TableSource => ({
    field,
    pointers: [],
    each,
    constant: isList ? [value] : value,
  });
  if (constant !== undefined) return constantly(constant);
  // Every row has the parts of its record, such as the position.
  if (source.record !== undefined) return constantly('');
  const found = pointers.filter(([first]) => first !== undefined && columns.has(first));
  if ('text' in source && isComputed(source as CompiledField)) {
    const computed = {
      ...(source as CompiledField),
      pointers: found,
    };
    if (found.length > 0) {
      return {
        field,
        pointers: found,
        each,
        constant,
        computed,
      };
    }
    return fallback === undefined ? undefined : constantly(fallback);
  }
  if (found.length > 0) {
    return {
      field,
      pointers: found,
      each,
      constant,
    };
  }
  const ofPath = pointers.find((tokens) => tokens.length === 1 && partitions.has(tokens[0]));
  if (ofPath === undefined) return undefined;
  return {
    field,
    pointers: [],
    each,
    constant: typed(field, partitions.get(ofPath[0])!),
  };
}

/** Convert a text from the file's path to the type of a field. */
function typed(field: Field, text: string): string | number | boolean {
  const kind = COLUMN_KINDS[field];
  if (kind === 'flag' && (text === 'true' || text === 'false')) return text === 'true';
  return kind === 'number' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/**
 * Values that their column's array cannot hold, such as a text in a column of numbers or a list
 * with a gap, by row. They are kept in their original form.
 */
type OddValues = ReadonlyMap<number, unknown>;

/**
 * Column of texts: `at` has, for each row, the number of its text in `texts`; −1 if the row has
 * none.
 */
export interface TextColumn {
  readonly kind: 'text';
  readonly texts: Texts;
  readonly at: Int32Array;
  readonly odd: OddValues;
}

/** Column of numbers. A row with `isAbsent` 1 has no number. */
export interface NumberColumn {
  readonly kind: 'number';
  readonly values: Float64Array;
  readonly isAbsent: Uint8Array;
  readonly odd: OddValues;
}

/** Column of flags: 0 or 1 for each row; −1 if the row has none. */
export interface FlagColumn {
  readonly kind: 'flag';
  readonly values: Int8Array;
  readonly odd: OddValues;
}

/**
 * Column of lists of texts. If isAbsent[r] is 0, the list of row r is at[starts[r]] to at[starts[r
 * + 1] − 1], each a number of a text in `texts`.
 */
export interface TextsColumn {
  readonly kind: 'texts';
  readonly texts: Texts;
  readonly starts: Int32Array;
  readonly at: Int32Array;
  readonly isAbsent: Uint8Array;
  readonly odd: OddValues;
}

/** Column of lists of numbers: row r has values[starts[r]] to values[starts[r + 1] − 1]. */
export interface NumbersColumn {
  readonly kind: 'numbers';
  readonly starts: Int32Array;
  readonly values: Float64Array;
  readonly isAbsent: Uint8Array;
  readonly odd: OddValues;
}

export type FieldColumn = TextColumn | NumberColumn | FlagColumn | TextsColumn | NumbersColumn;
export type ColumnKind = FieldColumn['kind'];

/** Type of the column that stores each event field. */
export const COLUMN_KINDS: Readonly<Record<Field, ColumnKind>> = {
  id: 'text',
  ts: 'number',
  user: 'text',
  item: 'text',
  model: 'text',
  exposure: 'text',
  request: 'text',
  type: 'text',
  action: 'text',
  value: 'number',
  randomized: 'flag',
  shown: 'flag',
  sampled: 'flag',
  candidates: 'number',
  items: 'texts',
  scores: 'numbers',
  propensities: 'numbers',
  firstRank: 'number',
  share: 'number',
  depth: 'number',
  propensityOf: 'text',
  // No column holds it; see `tablePlan`.
  segments: 'text',
  received: 'number',
};

/**
 * Fields whose texts mostly differ from row to row, so that looking for equal texts does not pay.
 * The texts of a Parquet dictionary are distinct anyway.
 */
export const ONCE_ONLY: ReadonlySet<Field> = new Set(['id', 'exposure', 'request', 'user', 'item']);

export type FieldColumns = Partial<Record<Field, FieldColumn>>;

/** Some rows of a table, as columns of the events' fields. */
export interface TableRows {
  readonly length: number;
  /** Column that states the kind of each row; absent if the table has one kind. */
  readonly kind?: TextColumn;
  readonly exposure?: FieldColumns;
  readonly interaction?: FieldColumns;
}

/** Value of a row as JSON would have it; undefined if absent. */
export function valueAt(column: FieldColumn, row: number): unknown {
  if (column.odd.has(row)) return column.odd.get(row);
  switch (column.kind) {
    case 'text':
      return column.at[row] < 0 ? undefined : column.texts.string(column.at[row]);
    case 'number':
      return column.isAbsent[row] === 1 ? undefined : column.values[row];
    case 'flag':
      return column.values[row] < 0 ? undefined : column.values[row] === 1;
    case 'texts': {
      const { at, starts, texts } = column;
      if (column.isAbsent[row] === 1) return undefined;
      return Array.from(at.subarray(starts[row], starts[row + 1]), (n) => texts.string(n));
    }
    case 'numbers':
      if (column.isAbsent[row] === 1) return undefined;
      return [...column.values.subarray(column.starts[row], column.starts[row + 1])];
  }
}
