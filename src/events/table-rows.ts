import type { Field } from './field.js';
import type { Texts } from './texts.js';

/**
 * What stands in a row as it was found, where it does not fit its column: a text where a number was
 * expected, or a list with a gap.
 */
type OddValues = ReadonlyMap<number, unknown>;

/** A text in each row, or −1. */
export interface TextColumn {
  readonly kind: 'text';
  readonly texts: Texts;
  readonly at: Int32Array;
  readonly odd: OddValues;
}

/** A number in each row where `isAbsent` is 0. */
export interface NumberColumn {
  readonly kind: 'number';
  readonly values: Float64Array;
  readonly isAbsent: Uint8Array;
  readonly odd: OddValues;
}

/** 0 or 1 in each row, or −1. */
export interface FlagColumn {
  readonly kind: 'flag';
  readonly values: Int8Array;
  readonly odd: OddValues;
}

/** A list of texts in each row where `isAbsent` is 0: that of row r is at[starts[r]] … at[starts[r + 1] − 1]. */
export interface TextsColumn {
  readonly kind: 'texts';
  readonly texts: Texts;
  readonly starts: Int32Array;
  readonly at: Int32Array;
  readonly isAbsent: Uint8Array;
  readonly odd: OddValues;
}

/** A list of numbers in each row, as lists of texts. */
export interface NumbersColumn {
  readonly kind: 'numbers';
  readonly starts: Int32Array;
  readonly values: Float64Array;
  readonly isAbsent: Uint8Array;
  readonly odd: OddValues;
}

export type FieldColumn = TextColumn | NumberColumn | FlagColumn | TextsColumn | NumbersColumn;
export type ColumnKind = FieldColumn['kind'];

/** How the column of a field is kept. */
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
};

/** Fields whose texts differ from row to row, so that it does not pay to look for equal ones. */
export const ONCE_ONLY: ReadonlySet<Field> = new Set(['id', 'exposure', 'request']);

export type FieldColumns = Partial<Record<Field, FieldColumn>>;

/** Some rows of a table, as columns of the events' fields. */
export interface TableRows {
  readonly length: number;
  /** What tells the kind, where the table does not hold one kind only. */
  readonly kind?: TextColumn;
  readonly exposure?: FieldColumns;
  readonly interaction?: FieldColumns;
}

/** What stands in a row, as JSON would have it; undefined where nothing does. */
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
