import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitGamma } from '../../../src/estimators/propensity/gamma-fit.js';
import { seeded } from '../../oracle/random.js';

/** Eq. 22 as it is printed: every ordered pair of different levels. */
function allPairs(levels: { n: number; f: number }[]): number {
  let [above, below] = [0, 0];
  for (const x of levels) {
    for (const y of levels) {
      if (x.n === y.n) continue;
      above += Math.log(y.f / x.f) * Math.log(y.n / x.n);
      below += Math.log(y.n / x.n) ** 2;
    }
  }
  return above / below;
}

function levelsOfItems(counts: number[], exposures: number[]): { n: number; f: number }[] {
  return [...new Set(counts.filter((n) => n > 0))]
    .map((n) => {
      const own = exposures.filter((_, i) => counts[i] === n);
      return { n, f: own.reduce((a, b) => a + b, 0) / own.length };
    })
    .filter(({ f }) => f > 0);
}

const fitted = (counts: number[], exposures: number[]) =>
  fitGamma(Float64Array.from(counts), Float64Array.from(exposures), counts.length);

describe('fitGamma', () => {
  it('equals eq. 22 over all pairs of levels', () => {
    const item = fc.record({ n: fc.nat(30), exposures: fc.nat(50) });
    fc.assert(
      fc.property(fc.array(item, { minLength: 3, maxLength: 60 }), (items) => {
        const counts = items.map(({ n }) => n);
        const exposures = items.map((one) => one.exposures);
        const levels = levelsOfItems(counts, exposures);
        if (levels.length < 2) return;
        const expected = allPairs(levels);
        const { ols } = fitted(counts, exposures);
        expect(Math.abs(ols.gamma - expected)).toBeLessThan(
          1e-10 * Math.max(1, Math.abs(expected)),
        );
      }),
    );
  });

  it('finds an exact power law with no error left', () => {
    const counts = [1, 2, 3, 5, 8, 13];
    const { ols, status, levels } = fitted(
      counts,
      counts.map((n) => 7 * n ** 1.5),
    );
    expect(ols.gamma).toBeCloseTo(1.5, 12);
    expect(ols.r2).toBeCloseTo(1, 12);
    expect(ols.stdErr).toBeLessThan(1e-12);
    expect(status).toBe('ok');
    expect(levels).toBe(6);
  });

  it('gives the textbook standard error and R² of the line', () => {
    // y = 0, 1, 1, 2, 2 in units of ln 2 at x = 0..4: slope 1/2, residuals -.2 .3 -.2 .3 -.2.
    const { ols } = fitted([1, 2, 4, 8, 16], [1, 2, 2, 4, 4]);
    expect(ols.gamma).toBeCloseTo(0.5, 12);
    expect(ols.stdErr).toBeCloseTo(Math.sqrt(0.3 / 3 / 10), 12);
    expect(ols.r2).toBeCloseTo(1 - 0.3 / 2.8, 12);
  });

  it('leaves levels without exposures out of the line and counts them', () => {
    const { levels, zeroLevels } = fitted([1, 2, 3, 4, 5, 0], [1, 0, 3, 0, 5, 9]);
    expect({ levels, zeroLevels }).toEqual({ levels: 3, zeroLevels: 2 });
  });

  it('cuts levels above the smallest one that no more than 0.5 % of the items exceed', () => {
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

  it('keeps all levels where one more item at the top would be too many', () => {
    const counts = [...new Array<number>(998).fill(1), 2, 4, 8, 16, 32, 64];
    // T(0) = 1004: 5 items may leave, the sixth (level 2) stays.
    expect(fitted(counts, counts).levels).toBe(2);
  });

  it('says too_few_levels below five levels or below a range of ln 4', () => {
    expect(fitted([1, 2, 3, 4], [1, 2, 3, 4]).status).toBe('too_few_levels');
    expect(fitted([10, 11, 12, 13, 14], [1, 2, 3, 4, 5]).status).toBe('too_few_levels');
    expect(fitted([1, 2, 3, 3.5, 4], [1, 2, 3, 3.5, 4]).status).toBe('ok');
    expect(fitted([], []).status).toBe('too_few_levels');
    expect(fitted([], []).ols.gamma).toBeNaN();
  });

  it('says poor_fit for scattered levels, but not for a flat curve that is well known', () => {
    const counts = Array.from({ length: 12 }, (_, i) => i + 1);
    expect(
      fitted(
        counts,
        counts.map((n) => (n % 2 === 0 ? 1 : 50)),
      ).status,
    ).toBe('poor_fit');
    const flat = fitted(
      counts,
      counts.map((n) => 1000 + (n % 2)),
    );
    expect(flat.ols.r2).toBeLessThan(0.5);
    expect(flat.status).toBe('ok');
  });

  it('draws the exposure curve on bins of powers of two', () => {
    const { curve } = fitted([1, 2, 3, 4, 8, 0], [5, 1, 4, 0, 2, 7]);
    expect(curve).toEqual([
      { level: 1, meanLevel: 1, exposuresPerItem: 5 },
      { level: 2, meanLevel: expect.closeTo(Math.sqrt(6), 12), exposuresPerItem: 2.5 },
      { level: 4, meanLevel: 4, exposuresPerItem: 0 },
      { level: 8, meanLevel: 8, exposuresPerItem: 2 },
    ]);
  });
});

describe('fitGamma on simulated exposure', () => {
  /** Draws `events` items by weight. */
  function draw(random: () => number, weights: number[], events: number): number[] {
    const ends: number[] = [];
    for (const w of weights) ends.push((ends.at(-1) ?? 0) + w);
    const counts = new Array<number>(weights.length).fill(0);
    for (let e = 0; e < events; e++) {
      const at = random() * ends[ends.length - 1];
      let [low, high] = [0, ends.length - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (ends[middle] < at) low = middle + 1;
        else high = middle;
      }
      counts[low]++;
    }
    return counts;
  }

  it('recovers the exponent from lagged counts', () => {
    const random = seeded(11);
    const taste = Array.from({ length: 4000 }, (_, i) => 1 / (i + 10) ** 0.8);
    const lagged = draw(random, taste, 60_000);
    for (const gamma of [0.7, 1.5, 2.5]) {
      const exposures = draw(
        random,
        lagged.map((n) => n ** gamma),
        400_000,
      );
      const { ols, status } = fitted(lagged, exposures);
      expect(status).toBe('ok');
      expect(Math.abs(ols.gamma - gamma)).toBeLessThan(0.12);
    }
  });

  it('is spurious on counts of the same window and near 0 on lagged ones', () => {
    // Exposure is independent of popularity; every exposure is clicked at random.
    const random = seeded(5);
    const taste = Array.from({ length: 3000 }, () => 0.1 + random());
    const display = Array.from({ length: 3000 }, () => 0.1 + random());
    const lagged = draw(random, taste, 60_000);
    const exposures = draw(random, display, 60_000);
    const same = exposures.map((n) => {
      let clicks = 0;
      for (let e = 0; e < n; e++) if (random() < 0.5) clicks++;
      return clicks;
    });
    expect(fitted(same, exposures).ols.gamma).toBeGreaterThan(0.6);
    expect(Math.abs(fitted(lagged, exposures).ols.gamma)).toBeLessThan(0.1);
  });
});

describe('the intercept', () => {
  it('is ln f(1) of both fits where exposures follow a power exactly', () => {
    const counts = Float64Array.of(1, 2, 3, 5, 8);
    const { ols, poisson } = fitGamma(
      counts,
      counts.map((n) => 3 * n * n),
      5,
    );
    expect(ols.intercept).toBeCloseTo(Math.log(3), 10);
    expect(poisson.intercept).toBeCloseTo(Math.log(3), 10);
  });
});
