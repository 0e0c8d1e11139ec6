/** Array types of numeric columns. */
export type ColumnArray = Uint8Array | Uint16Array | Int32Array | Float32Array | Float64Array;

interface Column {
  readonly array:
    | Uint8ArrayConstructor
    | Uint16ArrayConstructor
    | Int32ArrayConstructor
    | Float32ArrayConstructor
    | Float64ArrayConstructor;
  /**
   * Table of ids that gives the integers in the column; absent if the column does not contain ids.
   */
  readonly names?: 'users' | 'items' | 'models';
}

/** Columns of one kind of row, such as interactions, by name. Their order is the stored order. */
export type ColumnTable = Readonly<Record<string, Column>>;

type ArrayOf<C extends Column> = C['array'] extends Uint8ArrayConstructor
  ? Uint8Array
  : C['array'] extends Uint16ArrayConstructor
    ? Uint16Array
    : C['array'] extends Int32ArrayConstructor
      ? Int32Array
      : C['array'] extends Float32ArrayConstructor
        ? Float32Array
        : Float64Array;

/** The arrays of a table, by name. */
export type ColumnsOf<T extends ColumnTable> = { -readonly [Name in keyof T]: ArrayOf<T[Name]> };

type Arrays = Record<string, ColumnArray>;

/** Create a class of row batches, with `length` and an array for each column of the table. */
export function withColumns<T extends ColumnTable>(
  table: T,
): new (
  capacity: number,
) => { length: number } & ColumnsOf<T> {
  const columns = Object.entries(table);
  return class {
    length = 0;

    // The same names in the same order: all objects of the class have one shape.
    constructor(capacity: number) {
      for (const [name, { array }] of columns) {
        (this as unknown as Arrays)[name] = new array(capacity);
      }
    }
  } as unknown as new (
    capacity: number,
  ) => { length: number } & ColumnsOf<T>;
}

/** Enlarge every column to `capacity` rows. */
export function enlarge<T extends ColumnTable>(
  table: T,
  rows: ColumnsOf<T>,
  capacity: number,
): void {
  const arrays = rows as unknown as Arrays;
  for (const name of Object.keys(table)) {
    arrays[name] = enlarged(arrays[name], capacity);
  }
}

/**
 * Copy some rows of every column to the same columns of `into`, where the first copy is row `at`.
 */
export function gather<T extends ColumnTable>(
  table: T,
  from: ColumnsOf<T>,
  rows: Int32Array,
  into: ColumnsOf<T>,
  at: number,
): void {
  const sources = from as unknown as Arrays;
  const targets = into as unknown as Arrays;
  for (const name of Object.keys(table)) {
    gatherColumn(sources[name], rows, targets[name], at);
  }
}

/** Keep some rows of every column, in new arrays of the same capacity. */
export function keepRows<T extends ColumnTable>(table: T, columns: ColumnsOf<T>, rows: Int32Array) {
  const arrays = columns as unknown as Arrays;
  for (const name of Object.keys(table)) {
    const kept = ofSameKind(arrays[name], arrays[name].length);
    gatherColumn(arrays[name], rows, kept, 0);
    arrays[name] = kept;
  }
}

/** Copy some rows of one column to the column `into`, where the first copy is row `at`. */
export function gatherColumn<A extends ColumnArray>(
  from: A,
  rows: Int32Array,
  into: A,
  at: number,
): void {
  for (let n = 0; n < rows.length; n++) {
    into[at + n] = from[rows[n]];
  }
}

/** A longer copy of an array. */
export function enlarged<A extends ColumnArray>(values: A, capacity: number): A {
  const larger = ofSameKind(values, capacity);
  larger.set(values);
  return larger;
}

function ofSameKind<A extends ColumnArray>(values: A, length: number): A {
  return new (values.constructor as new (length: number) => A)(length);
}
