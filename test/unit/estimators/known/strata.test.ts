import { describe, expect, it } from 'vitest';
import { stratify } from '../../../../src/estimators/lanes/strata.js';
import type { StrataScheme } from '../../../../src/estimators/options.js';

function strataOf(popularity: number[], scheme: StrataScheme, strata: number, ids?: string[]) {
  const names = ids ?? popularity.map((_, i) => String(i));
  const counts = {
    items: popularity.length,
    popularity: Float64Array.from(popularity),
    interactions: Float64Array.from(popularity),
    randomized: new Float64Array(popularity.length),
    compareIds: (a: number, b: number) => (names[a] < names[b] ? -1 : 1),
  };
  return [...stratify(counts, scheme, strata, 1.5)];
}

describe('stratify', () => {
  it('puts items without a count in the stratum of the least popular', () => {
    expect(strataOf([0, 1, 9], 'popularity-width', 2)).toEqual([0, 0, 1]);
    expect(strataOf([0, 1, 9], 'popularity-rank', 2)).toEqual([1, 1, 0]);
    // With five strata for two items the least popular one stands in the third.
    expect(strataOf([0, 1, 9], 'popularity-rank', 5)).toEqual([2, 2, 0]);
  });
});
