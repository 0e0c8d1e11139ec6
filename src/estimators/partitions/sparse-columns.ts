import { DamagedNumbers } from '../../errors.js';
import type { NumberCodec } from '../../state/binary/numbers.js';
import { NumberedSums } from './rounds.js';

const SHAPE = 0x6d6f_7374;

/** The largest of some numbers each; −Infinity where there is none. */
export class LargestNumbers extends NumberedSums<LargestNumbers> {
  readonly values: Float64Array;

  /** @param size how many. */
  constructor(size: number) {
    super(SHAPE + size, 'any');
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

  pass(through: NumberCodec): void {
    through.numbers(this.values);
  }
}

/** Writes columns many of whose numbers are 0, runs of these by their length, or reads them into columns of 0. */
export function passColumns(through: NumberCodec, columns: readonly Float64Array[]): void {
  for (const column of columns) {
    for (let at = 0; at < column.length; ) {
      const begin = at + through.number(through.reads ? 0 : endOfRun(column, at, true) - at);
      const end =
        begin + through.number(through.reads ? 0 : endOfRun(column, begin, false) - begin);
      if (!(end > at && end <= column.length)) throw new DamagedNumbers('a column has another end');
      for (at = begin; at < end; at++) column[at] = through.number(column[at]);
    }
  }
}

function endOfRun(column: Float64Array, from: number, isOfZeros: boolean): number {
  let at = from;
  while (at < column.length && (column[at] === 0) === isOfZeros) at++;
  return at;
}
