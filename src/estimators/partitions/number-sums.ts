import type { NumberCodec } from '../../state/binary/numbers.js';
import { NumberedSums } from './rounds.js';

const SHAPE = 0x6e75_6d73;

/** A few sums. */
export class NumberSums extends NumberedSums<NumberSums> {
  readonly values: Float64Array;

  readonly #order: 'any' | 'partitions';

  /** @param size how many. @param order `any` of whole numbers. */
  constructor(size: number, order: 'any' | 'partitions' = 'partitions') {
    super(SHAPE + size, order);
    this.#order = order;
    this.values = new Float64Array(size);
  }

  ofOthers(): NumberSums {
    return new NumberSums(this.values.length, this.#order);
  }

  merge({ values }: NumberSums): void {
    for (let i = 0; i < values.length; i++) this.values[i] += values[i];
  }

  pass(through: NumberCodec): void {
    through.numbers(this.values);
  }
}
