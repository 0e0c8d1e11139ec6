import { describe, expect, it } from 'vitest';
import { betaQuantile } from '../../../src/estimators/mathematics/beta-quantile.js';

/** P(X ≥ x) of a binomial, term by term: I_p(x, n − x + 1). */
function binomialTail(n: number, x: number, p: number): number {
  let tail = 0;
  let term = (1 - p) ** n;
  for (let j = 0; j <= n; j++) {
    if (j >= x) tail += term;
    term *= ((n - j) / (j + 1)) * (p / (1 - p));
  }
  return tail;
}

describe('betaQuantile', () => {
  it('is the limit at which a binomial reaches its count with the given probability', () => {
    for (const [n, x] of [
      [10, 1],
      [27, 3],
      [100, 9],
      [40, 36],
    ] as const) {
      for (const p of [0.025, 0.5, 0.975]) {
        expect(binomialTail(n, x, betaQuantile(p, x, n - x + 1))).toBeCloseTo(p, 10);
      }
    }
  });

  it('has the closed forms of one parameter of 1, whole or not', () => {
    for (const b of [0.02, 0.7, 3, 1e3, 1e6]) {
      const upper = -Math.expm1(Math.log(0.025) / b);
      expect(Math.abs(betaQuantile(0.975, 1, b) / upper - 1)).toBeLessThan(1e-9);
      expect(Math.abs(betaQuantile(0.025, b, 1) - 0.025 ** (1 / b))).toBeLessThan(1e-12);
    }
  });

  it('turns round with its parameters, and keeps to the ends', () => {
    expect(betaQuantile(0.2, 2.5, 7)).toBeCloseTo(1 - betaQuantile(0.8, 7, 2.5), 12);
    expect(betaQuantile(0, 2, 3)).toBe(0);
    expect(betaQuantile(1, 2, 3)).toBe(1);
    // .025^1e6 is not a number above 0.
    expect(betaQuantile(0.025, 1e-6, 1)).toBeLessThan(1e-15);
  });
});
