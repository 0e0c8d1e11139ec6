import { describe, expect, it } from 'vitest';
import { betaQuantile } from '../../../src/estimators/mathematics/distributions.js';

describe('betaQuantile', () => {
  it('is mirrored if its parameters are swapped, and stays within 0 and 1', () => {
    expect(betaQuantile(0.2, 2.5, 7)).toBeCloseTo(1 - betaQuantile(0.8, 7, 2.5), 12);
    expect(betaQuantile(0, 2, 3)).toBe(0);
    expect(betaQuantile(1, 2, 3)).toBe(1);
    // .025^1e6 is not a number above 0.
    expect(betaQuantile(0.025, 1e-6, 1)).toBeLessThan(1e-15);
  });
});
