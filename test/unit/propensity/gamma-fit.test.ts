import { describe, expect, it } from 'vitest';
import { fitGamma } from '../../../src/estimators/propensity/gamma-fit.js';

const fitted = (counts: number[], exposures: number[]) =>
  fitGamma(Float64Array.from(counts), Float64Array.from(exposures), counts.length);

describe('fitGamma', () => {
  it('drops the most popular levels, with at most 0.5 % of the items', () => {
    // 1000 seen items: up to 5 may stand above the cut. Levels 50 (2 items) and 40 (3) leave;
    // level 30 (1 item) would make it 6.
    const counts = [
      ...new Array<number>(994).fill(1).map((_, i) => 1 + (i % 20)),
      30,
      40,
      40,
      40,
      50,
      50,
    ];
    const wild = counts.map((n) => (n >= 40 ? 1 : n ** 2));
    const { ols, levels } = fitted(counts, wild);
    expect(levels).toBe(21);
    expect(ols.gamma).toBeCloseTo(2, 12);
  });
});
