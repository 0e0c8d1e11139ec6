import { describe, expect, it } from 'vitest';
import {
  largePowerMoment,
  powerMoments,
  SplitCounts,
} from '../../../../src/estimators/propensity/split-fit.js';
import { powerMoment, splitMoment } from '../../../oracle/split-fit.js';

const ALPHAS = [-3, -1.5, -0.5, 0.3, 0.5, 1.2, 1.5, 2.5, 3.5];

describe('the power moment of a count', () => {
  it('equals its definition, with the zeros and signs of 1 / Γ', () => {
    for (const alpha of ALPHAS) {
      const h = powerMoments(alpha, 120);
      for (let k = 0; k <= 120; k++) {
        const expected = powerMoment(alpha, k);
        expect(Math.abs(h[k] - expected), `α ${alpha}, k ${k}`).toBeLessThan(
          1e-11 * Math.max(1, Math.abs(expected)),
        );
      }
    }
    expect(powerMoments(1.5, 1)[1]).toBeGreaterThan(0);
    expect(powerMoments(2.5, 1)[1]).toBeLessThan(0);
  });

  it('equals its series for large counts', () => {
    for (const alpha of ALPHAS) {
      expect(largePowerMoment(alpha, 300) / powerMoments(alpha, 300)[300]).toBeCloseTo(1, 11);
    }
    expect(largePowerMoment(2, 1e6)).toBeCloseTo(1e6 * (1e6 - 1), -1);
  });
});

describe('a split of counts', () => {
  it('has the expectations of its definition', () => {
    const counts = [1, 2, 3, 17, 140];
    const split = new SplitCounts(counts);
    for (const alpha of ALPHAS) {
      const { v0, v1 } = split.at(alpha);
      counts.forEach((n, j) => {
        const size = Math.max(1, n ** alpha);
        expect(Math.abs(split.u0[j] - splitMoment(n, 0))).toBeLessThan(1e-11);
        expect(Math.abs(split.u1[j] - splitMoment(n, 1))).toBeLessThan(1e-10);
        expect(Math.abs(v0[j] - splitMoment(n, 0, alpha))).toBeLessThan(1e-10 * size);
        expect(Math.abs(v1[j] - splitMoment(n, 1, alpha))).toBeLessThan(1e-9 * size);
      });
    }
    expect(split.unsized[2]).toBeCloseTo(0.027, 12);
  });

  it('is continuous where sums are replaced by their first terms', () => {
    const split = new SplitCounts([199, 200, 201, 202]);
    for (const alpha of [-1, 0.5, 2]) {
      const { v0, v1 } = split.at(alpha);
      for (const values of [split.u1, v0, v1]) {
        const before = Math.log(values[1] / values[0]);
        const across = Math.log(values[2] / values[1]);
        expect(Math.abs(across - before)).toBeLessThan(1e-4);
      }
    }
    expect(split.u0[2]).toBe(1);
  });
});
