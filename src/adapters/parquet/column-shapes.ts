import type { FileMetaData, SchemaElement } from 'hyparquet';
import type { Field } from '../../events/field.js';
import { COLUMN_KINDS } from '../../events/table-rows.js';
import type { RowValues } from './field-columns.js';

const MS_A_DAY = 86_400_000;

/**
 * Remove the logical type of a schema element, so that hyparquet returns raw numbers or bytes. This
 * module converts them.
 */
export function unconverted(element: SchemaElement): SchemaElement {
  const { converted_type: _, logical_type: __, ...plain } = element;
  return plain;
}

/** Convert raw values of a timestamp or date column to ms since the epoch. */
export function instants(values: RowValues, element: SchemaElement): RowValues {
  const { converted_type, logical_type, type } = element;
  const unit = logical_type?.type === 'TIMESTAMP' ? logical_type.unit : undefined;
  if (converted_type === 'DATE' || logical_type?.type === 'DATE') {
    return Array.from(values, (days) => (isGap(days) ? null : Number(days) * MS_A_DAY));
  }
  // hyparquet converts INT96 by itself.
  if (type === 'INT96') return values;
  const perMs =
    unit === 'NANOS' ? 1e6 : unit === 'MICROS' || converted_type === 'TIMESTAMP_MICROS' ? 1e3 : 1;
  if (values instanceof BigInt64Array) return wholeMs(values, perMs);
  return Array.from(values, (value) => {
    if (isGap(value)) return null;
    return typeof value === 'bigint' ? floored(value, perMs) : Math.floor(Number(value) / perMs);
  });
}

/**
 * Round times down to whole ms, with the same results as `floored`. Values that are exact doubles
 * need no BigInt, which is faster.
 */
function wholeMs(values: BigInt64Array, perMs: number): Float64Array {
  const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  const ms = new Float64Array(values.length);
  for (let i = 0; i < ms.length; i++) {
    const high = halves[2 * i + 1];
    const isExact = high < 0x1fffff && high >= -0x200000;
    ms[i] = isExact
      ? Math.floor((high * 0x100000000 + (halves[2 * i] >>> 0)) / perMs)
      : floored(values[i], perMs);
  }
  return ms;
}

/** Round a time down to whole ms, also before 1970. */
function floored(value: bigint, perMs: number): number {
  const divisor = BigInt(perMs);
  const quotient = value / divisor;
  return Number(value < 0n && quotient * divisor !== value ? quotient - 1n : quotient);
}

export function msOfNanos(nanos: bigint): number {
  return floored(nanos, 1e6);
}

/** Convert decimals to the nearest doubles. */
export function decimals(values: RowValues, element: SchemaElement): RowValues {
  const { logical_type } = element;
  const scale = logical_type?.type === 'DECIMAL' ? logical_type.scale : (element.scale ?? 0);
  const numberOf = (value: unknown): unknown => {
    if (isGap(value)) return null;
    if (Array.isArray(value)) return value.map(numberOf);
    const units = value instanceof Uint8Array ? bigEndian(value) : BigInt(value as number);
    const isExact = scale <= 22 && units < 1n << 53n && units > -(1n << 53n);
    return isExact ? Number(units) / 10 ** scale : Number(`${units}e-${scale}`);
  };
  return Array.from(values, numberOf);
}

/** Decode a big-endian two's complement number. */
function bigEndian(bytes: Uint8Array): bigint {
  let units = 0n;
  for (const byte of bytes) {
    units = units * 256n + BigInt(byte);
  }
  return BigInt.asIntN(bytes.length * 8, units);
}

function isGap(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** Kind of a column's values, as named in messages. */
export type Shape =
  | 'text'
  | 'integers'
  | 'numbers'
  | 'decimals'
  | 'booleans'
  | 'timestamps'
  | 'dates'
  | 'bytes'
  | 'a structure'
  | { readonly listOf: Shape };

/** A top-level column of a schema. */
export interface RootColumn {
  readonly name: string;
  readonly shape: Shape;
  /** The only leaf of a flat column or a list of flat values. */
  readonly leaf: SchemaElement;
  /** Range of the column in the list of schema elements: first ≤ index < end. */
  readonly first: number;
  readonly end: number;
}

const TEXT: readonly Shape[] = ['text', 'integers'];
const NUMBER: readonly Shape[] = ['integers', 'numbers', 'decimals'];

/**
 * Whether a column of this shape can hold a field of events. For a list, the shape of its elements
 * decides.
 */
function fits(field: Field, shape: Shape): boolean {
  if (field === 'ts' || field === 'received') {
    return ['timestamps', 'dates', 'text', ...NUMBER].some((known) => known === shape);
  }
  switch (COLUMN_KINDS[field]) {
    case 'text':
      return TEXT.includes(shape) || (field === 'type' && shape === 'booleans');
    case 'number':
      return NUMBER.includes(shape);
    case 'flag':
      return shape === 'booleans';
    case 'texts':
      return typeof shape === 'object' && TEXT.includes(shape.listOf);
    case 'numbers':
      return typeof shape === 'object' && NUMBER.includes(shape.listOf);
  }
}

/** Check that a column can hold a field. @returns the problem as text; undefined if it can */
export function misfit(field: Field, column: RootColumn): string | undefined {
  if (fits(field, column.shape)) return undefined;
  const cure = column.shape === 'bytes' ? ': write it as text or UUID' : '';
  return `column ${column.name} holds ${wordsOf(column.shape)}, which cannot be ${field}${cure}`;
}

/**
 * Whether a column of an unfitting shape can still be used for a field, by parsing its values like
 * CSV cells.
 */
export function canBeRead(field: Field, { shape }: RootColumn): boolean {
  const isNumber = NUMBER.some((known) => known === shape);
  switch (COLUMN_KINDS[field]) {
    case 'text':
      return isNumber || field === 'segments';
    case 'number':
      return shape === 'text';
    case 'flag':
      return shape === 'text' || shape === 'integers';
    case 'texts':
    case 'numbers':
      return (
        shape === 'text' || isNumber || (typeof shape === 'object' && NUMBER.includes(shape.listOf))
      );
  }
}

function wordsOf(shape: Shape): string {
  return typeof shape === 'string' ? shape : `lists of ${wordsOf(shape.listOf)}`;
}

/** Top-level columns of a file's schema, by name. */
export function rootColumns({ schema }: FileMetaData): ReadonlyMap<string, RootColumn> {
  const columns = new Map<string, RootColumn>();
  for (let at = 1; at < schema.length; ) {
    const end = endOf(schema, at);
    const name = schema[at].name;
    columns.set(name, {
      name,
      first: at,
      end,
      ...shapeOf(schema, at, end),
    });
    at = end;
  }
  return columns;
}

function endOf(schema: readonly SchemaElement[], at: number): number {
  let end = at + 1;
  for (let child = 0; child < (schema[at].num_children ?? 0); child++) {
    end = endOf(schema, end);
  }
  return end;
}

function shapeOf(
  schema: readonly SchemaElement[],
  first: number,
  end: number,
): {
  shape: Shape;
  leaf: SchemaElement;
} {
  const element = schema[first];
  if (end === first + 1) {
    const shape = leafShape(element);
    return {
      shape: element.repetition_type === 'REPEATED' ? { listOf: shape } : shape,
      leaf: element,
    };
  }
  const leaf = schema[end - 1];
  const isList =
    (element.converted_type === 'LIST' || element.logical_type?.type === 'LIST') &&
    schema[first + 1].repetition_type === 'REPEATED';
  if (!isList) {
    return {
      shape: 'a structure',
      leaf,
    };
  }
  // A list has three levels in the schema, or two if an old program wrote it.
  if (end === first + 2) {
    return {
      shape: { listOf: leafShape(leaf) },
      leaf,
    };
  }
  if (end === first + 3 && (schema[first + 1].num_children ?? 0) === 1) {
    return {
      shape: { listOf: leafShape(leaf) },
      leaf,
    };
  }
  return {
    shape: { listOf: 'a structure' },
    leaf,
  };
}

function leafShape({ type, converted_type, logical_type }: SchemaElement): Shape {
  const logical = logical_type?.type;
  if (converted_type === 'DECIMAL' || logical === 'DECIMAL') return 'decimals';
  if (converted_type === 'DATE' || logical === 'DATE') return 'dates';
  if (converted_type === 'TIMESTAMP_MILLIS' || converted_type === 'TIMESTAMP_MICROS') {
    return 'timestamps';
  }
  if (logical === 'TIMESTAMP' || type === 'INT96') return 'timestamps';
  if (logical === 'UUID') return 'text';
  if (logical === 'FLOAT16') return 'numbers';
  if (type === 'BYTE_ARRAY') {
    const isText =
      [undefined, 'UTF8', 'JSON', 'ENUM'].includes(converted_type) &&
      [undefined, 'STRING', 'JSON', 'ENUM'].includes(logical);
    return isText ? 'text' : 'bytes';
  }
  if (type === 'BOOLEAN') return 'booleans';
  if (type === 'INT32' || type === 'INT64') return 'integers';
  return type === 'FLOAT' || type === 'DOUBLE' ? 'numbers' : 'bytes';
}

/** Whether this program reads the pages of a field's column itself instead of hyparquet. */
export function isReadPlainly(field: Field, { shape, leaf }: RootColumn): boolean {
  const kind = COLUMN_KINDS[field];
  const isText = kind === 'text' || kind === 'texts';
  const of = typeof shape === 'string' ? shape : shape.listOf;
  // A list in the old form has no level for the list itself.
  if (typeof shape === 'object' && leaf.repetition_type === 'REPEATED') return false;
  if (of === 'text') return isText && leaf.type === 'BYTE_ARRAY';
  if (of === 'booleans') return kind === 'flag';
  if (of === 'timestamps') {
    return (field === 'ts' || field === 'received') && leaf.type === 'INT64';
  }
  return (
    !isText &&
    (of === 'integers' ? isSigned(leaf) : of === 'numbers' && leaf.type !== 'FIXED_LEN_BYTE_ARRAY')
  );
}

function isSigned({ converted_type, logical_type }: SchemaElement): boolean {
  if (logical_type?.type === 'INTEGER') return logical_type.isSigned;
  return !converted_type?.startsWith('UINT');
}

/**
 * Number of units of a timestamp column per ms: 1 or 1000. It is `other` for nanoseconds, and
 * undefined for a column without timestamps.
 */
export function perMsOf({ shape, leaf }: RootColumn): number | undefined | 'other' {
  if (shape !== 'timestamps') return undefined;
  const { converted_type, logical_type } = leaf;
  const unit = logical_type?.type === 'TIMESTAMP' ? logical_type.unit : undefined;
  if (unit === 'NANOS') return 'other';
  return unit === 'MICROS' || converted_type === 'TIMESTAMP_MICROS' ? 1000 : 1;
}

/**
 * Highest definition and repetition levels of a flat column or list, and the lowest definition
 * level at which an element exists.
 */
export function levelsOf(schema: readonly SchemaElement[], { first, end }: RootColumn) {
  let definition = 0;
  let repetition = 0;
  let elementLevel = 0;
  for (const { repetition_type } of schema.slice(first, end)) {
    if (repetition_type !== 'REQUIRED') {
      definition++;
    }
    if (repetition_type !== 'REPEATED') continue;
    repetition++;
    elementLevel = definition;
  }
  return {
    levels: { definition, repetition },
    elementLevel,
  };
}
