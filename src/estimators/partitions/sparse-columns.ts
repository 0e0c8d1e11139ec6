import { DamagedNumbers } from '../../errors.js';
import { NumberReader, NumberWriter } from '../../state/binary/numbers.js';
import type { PartitionSums } from './rounds.js';

const SHAPE = 0x6d6f_7374;

/** The largest of some numbers each; −Infinity where there is none. */
export class LargestNumbers implements PartitionSums<LargestNumbers> {
  readonly values: Float64Array;

  /** @param size how many. */
  constructor(size: number) {
    this.values = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
  }

  add(...numbers: readonly number[]): void {
    for (const [at, each] of numbers.entries()) this.values[at] = Math.max(this.values[at], each);
  }

  ofOthers(): LargestNumbers {
    return new LargestNumbers(this.values.length);
  }

  merge({ values }: LargestNumbers): void {
    this.add(...values);
  }

  encode(): Uint8Array {
    return encodeColumns(SHAPE, [this.values]);
  }

  decode(bytes: Uint8Array): LargestNumbers {
    const largest = this.ofOthers();
    decodeColumns(bytes, SHAPE, [largest.values.fill(0)]);
    return largest;
  }
}

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
