import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { weightDistribution } from '../../../src/estimators/weight-distribution.js';
import { plainWindow } from '../../oracle/arbitrary.js';
import { finish } from '../../oracle/finish.js';
import { toPart } from '../../oracle/window.js';

describe('weightDistribution', () => {
  it('puts every positive row of weight into the bin of its weight over the mean', () => {
    fc.assert(
      fc.property(plainWindow(), fc.double({ min: 0.5, max: 3, noNaN: true }), (window, beta) => {
        const weightOf = (item: number) => (item % 5 === 4 ? 0 : (item + 1) ** -beta);
        const rows = window.users.flatMap((user) => user.rows.filter((row) => row.positive));
        const weights = rows.map(({ item }) => weightOf(item)).filter((weight) => weight > 0);
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        const mean = total / weights.length;
        const halves = [0, 1].map((half) => window.users.filter((_, u) => u % 2 === half));
        const parts = halves.map((users) => toPart(users, 2));
        const weight = Float64Array.from(window.interactions, (_, item) => weightOf(item));
        const bins = finish(weightDistribution(parts, weight, 3));
        expect(bins.reduce((sum, bin) => sum + bin.rows, 0)).toBe(weights.length);
        for (const { from, rows: count, weightShare } of bins) {
          // A hair of slack at the edges: the mean of a sum in another order may differ in its last digit.
          const inside = (slack: number) =>
            weights.filter(
              (weight) =>
                weight / mean >= from * (1 - slack) && weight / mean < 2 * from * (1 + slack),
            );
          expect(count).toBeGreaterThanOrEqual(inside(-1e-12).length);
          expect(count).toBeLessThanOrEqual(inside(1e-12).length);
          if (inside(-1e-12).length !== inside(1e-12).length) continue;
          const held = inside(0).reduce((sum, weight) => sum + weight, 0);
          expect(weightShare).toBeCloseTo(held / total, 12);
        }
      }),
    );
  });

  it('has no bins where no row has weight', () => {
    expect(finish(weightDistribution([], new Float64Array(3), 8))).toEqual([]);
  });
});
