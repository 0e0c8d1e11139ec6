import { describe, expect, it } from 'vitest';
import { studentTQuantile } from '../../../src/estimators/mathematics/student-t.js';

describe('studentTQuantile', () => {
  it('reaches the tables at .975', () => {
    const table: [number, number][] = [
      [1, 12.7062],
      [2, 4.30265],
      [5, 2.57058],
      [10, 2.22814],
      [26, 2.05553],
      [120, 1.97993],
    ];
    for (const [df, t] of table)
      expect(Math.abs(studentTQuantile(0.975, df) / t - 1)).toBeLessThan(3e-6);
  });

  it('has the closed forms of one and two degrees of freedom', () => {
    for (const p of [0.6, 0.9, 0.975, 0.999]) {
      expect(studentTQuantile(p, 1) / Math.tan(Math.PI * (p - 0.5))).toBeCloseTo(1, 11);
      const two = (2 * p - 1) / Math.sqrt(2 * p * (1 - p));
      expect(studentTQuantile(p, 2) / two).toBeCloseTo(1, 11);
    }
  });

  it('inverts the distribution for any degrees of freedom, by integrating the density', () => {
    for (const df of [0.7, 3.3, 17.5, 400]) {
      const t = studentTQuantile(0.975, df);
      // ∫ (1 + x²/ν)^(−(ν+1)/2) dx with x = √ν tan φ is √ν ∫ cos^(ν−1) φ dφ: ratio of two integrals.
      const area = (to: number) => midpoint((angle) => Math.cos(angle) ** (df - 1), to);
      const inside = area(Math.atan(t / Math.sqrt(df)));
      expect(Math.abs(inside / halfArea(df) - 0.95)).toBeLessThan(1e-6);
    }
  });

  it('nears the normal quantile, is odd, and grows without bound as the freedom vanishes', () => {
    expect(studentTQuantile(0.975, 1e7)).toBeCloseTo(1.959964, 5);
    expect(studentTQuantile(0.025, 9)).toBe(-studentTQuantile(0.975, 9));
    expect(studentTQuantile(0.5, 9)).toBe(0);
    expect(studentTQuantile(0.975, 0.1)).toBeGreaterThan(1e12);
    expect(studentTQuantile(0.975, 1e-4)).toBe(Number.POSITIVE_INFINITY);
  });
});

function midpoint(f: (x: number) => number, to: number): number {
  const steps = 200_000;
  let sum = 0;
  for (let i = 0; i < steps; i++) sum += f(((i + 0.5) / steps) * to);
  return (sum * to) / steps;
}

/** ∫₀^{π/2} cos^(ν−1) φ dφ, with φ = π/2 − ψ^(1/ν) where the end is singular (ν < 1). */
function halfArea(df: number): number {
  if (df >= 1) return midpoint((angle) => Math.cos(angle) ** (df - 1), Math.PI / 2);
  // sin ψ / ψ smooths the singularity: ∫ sin^(ν−1) ψ dψ with ψ = s^(1/ν).
  const end = (Math.PI / 2) ** df;
  return midpoint((s) => {
    const psi = s ** (1 / df);
    return (Math.sin(psi) / psi) ** (df - 1) / df;
  }, end);
}
