import type { ColumnArray, ColumnsOf, ColumnTable } from '../../events/column-table.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { EventDictionaries, EventPlaces } from '../ids/dictionaries.js';

/** Writes a state as it was when it was captured. Yields regularly. */
export type Write = (to: BinaryWriter, ids: EventDictionaries) => Generator<void, void>;

type Arrays = Record<string, ColumnArray>;

/**
 * Capture the first `length` rows of every column for writing later. Items and model names become
 * dictionary indices; users keep their numbers.
 */
export function captureColumns<T extends ColumnTable>(
  table: T,
  columns: ColumnsOf<T>,
  length: number,
): Write {
  const arrays: Arrays = { ...(columns as unknown as Arrays) };
  return function* write(to, ids) {
    for (const [name, { names }] of Object.entries(table)) {
      const dictionary = names === 'items' ? ids.items : names === 'models' ? ids.names : undefined;
      if (dictionary === undefined) {
        to.growing(arrays[name], length);
      } else {
        yield* dictionary.write(to, arrays[name] as Int32Array, length, true);
      }
    }
  };
}

/** Read the output of `captureColumns`, with spare capacity. @returns the number of rows. */
export function readColumns<T extends ColumnTable>(
  table: T,
  into: ColumnsOf<T>,
  from: BinaryReader,
  places: EventPlaces,
): number {
  const arrays = into as unknown as Arrays;
  let length = 0;
  for (const [name, { array, names }] of Object.entries(table)) {
    const told = names === 'items' ? places.items : names === 'models' ? places.names : undefined;
    const read = told === undefined ? readArray(from, array) : told.column(from);
    length = read.length;
    arrays[name] = roomy(read);
  }
  return length;
}

function readArray(from: BinaryReader, array: ColumnTable[string]['array']): ColumnArray {
  if (array === Uint8Array) return from.uint8();
  if (array === Uint16Array) return from.uint16();
  if (array === Int32Array) return from.int32();
  return array === Float64Array ? from.float64() : from.float32();
}

/**
 * Copy a column that was read. The copy has a capacity of at least 64, since growing doubles it.
 */
export function roomy<A extends ColumnArray>(values: A): A {
  const column = new (values.constructor as new (length: number) => A)(Math.max(64, values.length));
  column.set(values);
  return column;
}
