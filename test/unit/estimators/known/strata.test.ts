import { describe, expect, it } from 'vitest';
import type { StrataScheme } from '../../../../src/estimators/options.js';
import { stratify } from '../../../../src/estimators/window/strata.js';
import { finish } from '../../../oracle/finish.js';

function strataOf(popularity: number[], scheme: StrataScheme, strata: number, ids?: string[]) {
  const names = ids ?? popularity.map((_, i) => String(i));
  const counts = {
    items: popularity.length,
    popularity: Float64Array.from(popularity),
    interactions: Float64Array.from(popularity),
    randomized: new Float64Array(popularity.length),
    compareIds: (a: number, b: number) => (names[a] < names[b] ? -1 : 1),
  };
  return [...finish(stratify(counts, scheme, strata, 1.5))];
}

describe('stratify', () => {
  it('cuts the range of popularity into equal widths', () => {
    expect(strataOf([1, 2, 3, 5, 9], 'popularity-width', 2)).toEqual([0, 0, 0, 1, 1]);
  });

  it('cuts the range of the propensity into equal widths', () => {
    // n^1.5 = 1, 8, 27, 64: the width is 21, boundaries at 22 and 43.
    expect(strataOf([1, 4, 9, 16], 'propensity-width', 3)).toEqual([0, 0, 1, 2]);
  });

  it('cuts the range of the logarithm into equal widths', () => {
    expect(strataOf([1, 3, 5, 20, 100], 'log', 2)).toEqual([0, 0, 0, 1, 1]);
  });

  it('cuts the order by popularity into equal numbers, most popular first', () => {
    expect(strataOf([1, 9, 4, 7], 'popularity-rank', 2)).toEqual([1, 0, 1, 0]);
  });

  it('orders ties by id where a boundary runs through them', () => {
    expect(strataOf([5, 5, 5, 9], 'popularity-rank', 2, ['c', 'a', 'b', 'z'])).toEqual([
      1, 0, 1, 0,
    ]);
  });

  it('puts items without a count with the least popular', () => {
    expect(strataOf([0, 1, 9], 'popularity-width', 2)).toEqual([0, 0, 1]);
    expect(strataOf([0, 1, 9], 'popularity-rank', 2)).toEqual([1, 1, 0]);
    // With five strata for two items the least popular one stands in the third.
    expect(strataOf([0, 1, 9], 'popularity-rank', 5)).toEqual([2, 2, 0]);
  });

  it('makes one stratum of equal counts and of none', () => {
    const schemes = ['popularity-width', 'propensity-width', 'popularity-rank', 'log'] as const;
    for (const scheme of schemes) {
      expect(strataOf([4, 4, 0, 4], scheme, 3)).toEqual([0, 0, 0, 0]);
      expect(strataOf([0, 0], scheme, 3)).toEqual([0, 0]);
    }
  });
});
