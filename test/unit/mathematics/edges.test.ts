import { describe, expect, it } from 'vitest';
import { logTInterval } from '../../../src/estimators/uncertainty/log-t-interval.js';
import { ratingInterval } from '../../../src/features/ratings/measured-sum.js';

describe('a standard error as small as rounding', () => {
  it('gives ratings an interval of no width, and lists none', () => {
    expect(ratingInterval(2, 1e-16, 1, Number.POSITIVE_INFINITY)).toEqual([2, 2]);
    expect(logTInterval(2, 1e-16, 5)).toEqual([Number.NaN, Number.NaN]);
  });
});
