import { describe, expect, it } from 'vitest';
import { rangeOf } from '../../../../src/page/charts/range.js';

const around = (value: number, half: number) => ({
  value,
  lower: value - half,
  upper: value + half,
});

function line(points: readonly ReturnType<typeof around>[]) {
  const of = (name: 'value' | 'lower' | 'upper') => points.map((point) => point[name]);
  return { values: of('value'), band: { lower: of('lower'), upper: of('upper') } };
}

describe('the range of a chart', () => {
  const steady = Array.from({ length: 30 }, () => around(0.3, 0.01));

  it('ignores a wide first interval and its value', () => {
    const [low, high] = rangeOf([line([around(0.7, 0.3), ...steady])])!;
    expect([low, high]).toEqual([0.29, 0.31]);
  });

  it('contains every value that is as precise as others, and the newest', () => {
    const dropped = [...steady, around(0.1, 0.01)];
    expect(rangeOf([line(dropped)])).toEqual([0.1, 0.31]);
    expect(rangeOf([line([...steady, around(0.7, 0.3)])])![1]).toBe(0.7);
  });

  it('spans all values if there are no intervals, and is undefined without values', () => {
    expect(rangeOf([{ values: [null, 2, undefined, -1] }, { values: [5] }])).toEqual([-1, 5]);
    expect(rangeOf([{ values: [null, undefined] }])).toBeUndefined();
    expect(rangeOf([])).toBeUndefined();
  });

  it('contains intervals of the same width', () => {
    expect(rangeOf([line([around(0, 1)])])).toEqual([-1, 1]);
  });
});
