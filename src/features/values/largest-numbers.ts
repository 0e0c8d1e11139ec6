import type { PartitionSums } from '../../estimators/partitions/rounds.js';
import { decodeColumns, encodeColumns } from '../../estimators/partitions/sparse-columns.js';

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
