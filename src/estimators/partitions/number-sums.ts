import { NumberReader, NumberWriter } from '../../state/binary/numbers.js';
import type { PartitionSums } from './rounds.js';

const SHAPE = 0x6e75_6d73;

/** A few sums. */
export class NumberSums implements PartitionSums<NumberSums> {
  readonly values: Float64Array;

  /** @param size how many. */
  constructor(size: number) {
    this.values = new Float64Array(size);
  }

  ofOthers(): NumberSums {
    return new NumberSums(this.values.length);
  }

  merge({ values }: NumberSums): void {
    for (let i = 0; i < values.length; i++) this.values[i] += values[i];
  }

  encode(): Uint8Array {
    const to = new NumberWriter();
    to.numbers(this.values);
    return to.seal(SHAPE + this.values.length);
  }

  decode(bytes: Uint8Array): NumberSums {
    const sums = this.ofOthers();
    const from = new NumberReader(bytes, SHAPE + this.values.length, 64 + 10 * this.values.length);
    from.numbers(sums.values);
    from.finish();
    return sums;
  }
}
