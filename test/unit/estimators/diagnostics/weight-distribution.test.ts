import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  positivesByLevel,
  weightDistribution,
} from '../../../../src/estimators/diagnostics/weight-distribution.js';
import type { WeightBin } from '../../../../src/estimators/results/window-estimates.js';
import type { WindowPart } from '../../../../src/state/panes/window-part.js';
import { plainWindow } from '../../../oracle/arbitrary.js';
import { toPart } from '../../../oracle/window.js';

function binsOf(part: WindowPart, weight: Float64Array): WeightBin[] {
  const levels = { ofItem: Int32Array.from(weight.keys()), counts: weight };
  const rowsOf = positivesByLevel(part, levels);
  return weightDistribution(rowsOf, weight);
}

describe('weightDistribution', () => {
  it('puts each weighted positive row into the bin of its weight over the mean', () => {
    fc.assert(
      fc.property(plainWindow(), fc.double({ min: 0.5, max: 3, noNaN: true }), (window, beta) => {
        const weightOf = (item: number) => (item % 5 === 4 ? 0 : (item + 1) ** -beta);
        const rows = window.users.flatMap((user) => user.rows.filter((row) => row.positive));
        const weights = rows.map(({ item }) => weightOf(item)).filter((weight) => weight > 0);
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        const mean = total / weights.length;
        const weight = Float64Array.from(window.interactions, (_, item) => weightOf(item));
        const bins = binsOf(toPart(window.users, 2), weight);
        expect(bins.reduce((sum, bin) => sum + bin.rows, 0)).toBe(weights.length);
        for (const { from, rows: count, weightShare } of bins) {
          // Slack at the edges: a ratio that is short of one by a part in 10^9 counts as on it.
          const inside = (slack: number) =>
            weights.filter(
              (weight) =>
                weight / mean >= from * (1 - slack) && weight / mean < 2 * from * (1 + slack),
            );
          expect(count).toBeGreaterThanOrEqual(inside(-2e-9).length);
          expect(count).toBeLessThanOrEqual(inside(2e-9).length);
          if (inside(-2e-9).length !== inside(2e-9).length) continue;
          const held = inside(0).reduce((sum, weight) => sum + weight, 0);
          expect(weightShare).toBeCloseTo(held / total, 12);
        }
      }),
    );
  });
});
