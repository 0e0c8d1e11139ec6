import { describe, expect, it } from 'vitest';
import { incompleteBeta, logGamma } from '../../../src/estimators/mathematics/incomplete-beta.js';
import { normalTail, normalUpperQuantile } from '../../../src/estimators/mathematics/normal.js';
import { studentTTail } from '../../../src/estimators/mathematics/student-t.js';
import { upperGamma } from '../../../src/estimators/mathematics/upper-gamma.js';
import { normalCdf } from '../../oracle/normal.js';

/** Simpson's rule. */
function integral(f: (x: number) => number, from: number, to: number, steps = 20_000): number {
  const width = (to - from) / steps;
  let sum = f(from) + f(to);
  for (let s = 1; s < steps; s++) sum += (s % 2 === 1 ? 4 : 2) * f(from + s * width);
  return (sum * width) / 3;
}

describe('tails agree with the integrals of their densities', () => {
  it('of the standard normal, and its quantile is the inverse down to the least numbers', () => {
    for (const z of [-3, -0.5, 0, 0.5, 1.959964, 4]) {
      expect(normalTail(z)).toBeCloseTo(1 - normalCdf(z), 10);
    }
    expect(normalTail(10) / 7.619853024160527e-24).toBeCloseTo(1, 10);
    for (const p of [0.5, 0.3, 0.025, 1e-10, 1e-100, 1e-300]) {
      expect(normalTail(normalUpperQuantile(p)) / p).toBeCloseTo(1, 8);
    }
    expect(normalUpperQuantile(0)).toBe(38);
  });

  it('of gamma and χ²', () => {
    for (const [a, x] of [
      [1, 2],
      [0.5, 3],
      [4.5, 2],
      [4.5, 20],
    ] as const) {
      const density = (t: number) => t ** (a - 1) * Math.exp(-t - logGamma(a));
      expect(upperGamma(a, x)).toBeCloseTo(integral(density, x, x + 60), 8);
    }
    // The 5 % point of χ² with 9 degrees of freedom.
    expect(upperGamma(4.5, 16.919 / 2)).toBeCloseTo(0.05, 5);
    expect(upperGamma(3, 0)).toBe(1);
  });

  it("of Student's t and of beta", () => {
    expect(studentTTail(2.228138852, 10)).toBeCloseTo(0.05, 9);
    expect(studentTTail(0, 3)).toBe(1);
    const [a, b] = [2.5, 4];
    const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b));
    const density = (t: number) => front * t ** (a - 1) * (1 - t) ** (b - 1);
    for (const x of [0.1, 0.4, 0.8]) {
      expect(incompleteBeta(x, 1 - x, a, b)).toBeCloseTo(integral(density, 0, x), 6);
    }
  });
});
