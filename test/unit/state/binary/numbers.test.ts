import { describe, expect, it } from 'vitest';
import { DamagedNumbers } from '../../../../src/errors.js';
import { NumberReader, NumberWriter } from '../../../../src/state/binary/numbers.js';

const SHAPE = 0xfeed_beef;

function written(values: readonly number[]): Uint8Array {
  const to = new NumberWriter();
  for (const value of values) to.number(value);
  return to.seal(SHAPE);
}

describe('numbers in few bytes', () => {
  it('take a byte for seven bits of a whole number, and eight bytes for another', () => {
    expect(written([0, 127, 128, 16_384]).length).toBe(1 + 1 + 1 + 2 + 3 + 9);
    expect(written([0.5, -1]).length).toBe(1 + 8 + 8 + 9);
  });

  it('are refused as those of another shape, if they are too many, and if some are left', () => {
    const bytes = written([1, 2.5, 3]);
    expect(() => new NumberReader(bytes, 1, 100)).toThrow('it is of something else');
    expect(() => new NumberReader(bytes, SHAPE, 10)).toThrow('at most 10');
    const from = new NumberReader(bytes, SHAPE, 100);
    expect(from.number(0)).toBe(1);
    expect(() => from.finish()).toThrow(DamagedNumbers);
    expect(() => from.numbers(new Float64Array(3))).toThrow('it ends too early');
  });
});
