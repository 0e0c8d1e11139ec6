/**
 * Takes numbers in their order, to bytes or from them. One method of an owner then says for both
 * ways what it consists of: `this.rows = through.number(this.rows)`.
 */
export interface NumberCodec {
  /** Answers the number that stands there: the very same when it is written. */
  number(value: number): number;
  /** All of them, in place. */
  numbers(values: Float64Array): void;
}
