import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { poissonRegression } from '../../../src/estimators/propensity/poisson-regression.js';

const cell = fc.record({ x: fc.integer({ min: 0, max: 6 }), size: fc.nat(20), count: fc.nat(50) });

describe('poissonRegression', () => {
  it('solves the likelihood equations, Σ (y − μ) = 0 and Σ x (y − μ) = 0', () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 3, maxLength: 20 }), (cells) => {
        const fit = poissonRegression(
          cells.map(({ x }) => x),
          cells.map(({ size }) => size),
          cells.map(({ count }) => count),
        );
        if (Number.isNaN(fit.slope)) return;
        const used = cells.filter(({ size }) => size > 0);
        const total = used.reduce((sum, { count }) => sum + count, 0);
        const residuals = used.map(
          ({ x, size, count }) => count - size * Math.exp(fit.intercept + fit.slope * x),
        );
        const balance = residuals.reduce((sum, value) => sum + value, 0);
        const moment = residuals.reduce((sum, value, j) => sum + value * used[j].x, 0);
        expect(Math.abs(balance)).toBeLessThan(1e-8 * total);
        expect(Math.abs(moment)).toBeLessThan(1e-6 * total);
      }),
    );
  });

  it('finds an exact power of the regressor without dispersion', () => {
    const fit = poissonRegression([0, 1, 2], [1, 2, 1], [3, 12, 12]);
    expect(fit.slope).toBeCloseTo(Math.LN2, 12);
    expect(fit.intercept).toBeCloseTo(Math.log(3), 12);
    expect(fit.dispersion).toBeCloseTo(0, 12);
  });

  it('gives the quasi-Poisson error of a fit that can be done by hand', () => {
    // Two values of x: the fit passes through their means, 4 and 8.
    const { slope, dispersion, stdErr } = poissonRegression(
      [0, 0, 1, 1],
      [1, 1, 1, 1],
      [2, 6, 4, 12],
    );
    expect(slope).toBeCloseTo(Math.LN2, 12);
    // (4 + 4) / 4 + (16 + 16) / 8 = 6 over 2 degrees of freedom.
    expect(dispersion).toBeCloseTo(3, 12);
    // Σ μ (x − x̄)²: x̄ = 16 / 24, 8 · 4/9 + 16 · 1/9 = 16/3.
    expect(stdErr).toBeCloseTo(Math.sqrt(3 / (16 / 3)), 12);
  });

  it('has no answer where the likelihood has no maximum', () => {
    expect(poissonRegression([0, 1, 2], [1, 1, 1], [0, 0, 5]).slope).toBeNaN();
    expect(poissonRegression([0, 1, 2], [1, 1, 1], [5, 0, 0]).slope).toBeNaN();
    expect(poissonRegression([0, 1], [1, 1], [0, 0]).slope).toBeNaN();
    expect(poissonRegression([], [], []).slope).toBeNaN();
    expect(poissonRegression([0, 1, 2], [1, 1, 1], [0, 5, 0]).slope).toBeCloseTo(0, 12);
  });

  it('does not see cells without size', () => {
    const without = poissonRegression([0, 1, 2], [1, 1, 1], [2, 4, 9]);
    expect(poissonRegression([0, 5, 1, 2], [1, 0, 1, 1], [2, 70, 4, 9])).toEqual(without);
  });
});
