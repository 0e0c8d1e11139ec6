import { describe, expect, it } from 'vitest';
import {
  beyondRounding,
  isAbove,
  isBelow,
  isEqual,
} from '../../../src/estimators/mathematics/edges.js';
import { ratingInterval } from '../../../src/features/ratings/measured-sum.js';
import { logTInterval } from '../../../src/features/values/log-t-interval.js';

describe('a limit that sums meet but for rounding', () => {
  it('is neither above nor below them', () => {
    expect([isBelow(0.1 + 0.7, 0.8), isAbove(1 + 1e-15, 1), isEqual(3 - 1e-12, 3)]).toEqual([
      false,
      false,
      true,
    ]);
    expect([isBelow(0.79, 0.8), isAbove(1.01, 1), isEqual(2.9, 3)]).toEqual([true, true, false]);
  });

  it('is not met by what is unknown', () => {
    expect([isBelow(Number.NaN, 1), isAbove(Number.NaN, 1)]).toEqual([false, false]);
    expect(beyondRounding(Number.NaN, 1)).toBeNaN();
  });
});

describe('an error of which rounding is left', () => {
  it('gives a rating no width, and lists no interval', () => {
    expect(ratingInterval(2, 1e-16, 1, Number.POSITIVE_INFINITY)).toEqual([2, 2]);
    expect(logTInterval(2, 1e-16, 5)).toEqual([Number.NaN, Number.NaN]);
  });

  it('leaves errors that are small, or unknown, what they are', () => {
    expect(ratingInterval(2, 1e-9, 100, Number.POSITIVE_INFINITY)[0]).toBeLessThan(2);
    expect(ratingInterval(2, Number.NaN, 100, 5)).toEqual([0, 5]);
    expect(logTInterval(2, 1e-9, 5)[0]).toBeLessThan(2);
  });
});
