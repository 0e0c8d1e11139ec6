import { DamagedNumbers } from '../../errors.js';
import { NumberReader } from '../../state/binary/number-reader.js';
import { NumberWriter } from '../../state/binary/number-writer.js';

const MOST_BYTES = 1 << 28;

/** Columns many of whose numbers are 0: runs of these are written by their length. */
export function encodeColumns(shape: number, columns: readonly Float64Array[]): Uint8Array {
  const to = new NumberWriter();
  for (const column of columns) {
    for (let at = 0; at < column.length; ) {
      const begin = endOfRun(column, at, true);
      const end = endOfRun(column, begin, false);
      to.number(begin - at);
      to.number(end - begin);
      for (at = begin; at < end; at++) to.number(column[at]);
    }
  }
  return to.seal(shape + columns.length);
}

/** Reads them into columns of 0 that are as long. */
export function decodeColumns(
  bytes: Uint8Array,
  shape: number,
  columns: readonly Float64Array[],
): void {
  const from = new NumberReader(bytes, shape + columns.length, MOST_BYTES);
  for (const column of columns) {
    for (let at = 0; at < column.length; ) {
      const begin = at + from.number(0);
      const end = begin + from.number(0);
      if (!(end > at && end <= column.length)) throw new DamagedNumbers('a column has another end');
      for (at = begin; at < end; at++) column[at] = from.number(0);
    }
  }
  from.finish();
}

function endOfRun(column: Float64Array, from: number, isOfZeros: boolean): number {
  let at = from;
  while (at < column.length && (column[at] === 0) === isOfZeros) at++;
  return at;
}
