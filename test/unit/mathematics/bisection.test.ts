import { describe, expect, it } from 'vitest';
import { bisect } from '../../../src/estimators/mathematics/bisection.js';

describe('bisection', () => {
  it('finds a root of a rising and of a falling function', () => {
    expect(bisect((x) => x * x - 2, 0, 2)).toBeCloseTo(Math.SQRT2, 11);
    expect(bisect((x) => 2 - x * x, 0, 2)).toBeCloseTo(Math.SQRT2, 11);
  });

  it('returns an end at which the function is zero', () => {
    expect(bisect((x) => x, 0, 1)).toBe(0);
    expect(bisect((x) => x - 1, 0, 1)).toBe(1);
  });
});
