import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EstimateOptions } from '../../../../src/estimators/options.js';
import { plainWindow } from '../../../oracle/arbitrary.js';
import { DEFAULTS, estimate, type PlainWindow } from '../../../oracle/window.js';
import { repetitions } from '../../../support/repetitions.js';

const options: fc.Arbitrary<Partial<EstimateOptions>> = fc
  .record({
    cold: fc.constantFrom('smooth' as const, 'drop' as const),
    smoothing: fc.constantFrom(0, 0.5, 1),
    catalogueSize: fc.constantFrom(12, 13),
  })
  .map((some) => ({
    ...some,
    cold: some.smoothing === 0 ? 'drop' : some.cold,
    estimators: ['naive', 'snips'],
  }));

/** Pooled snips by the estimator itself, at any γ. */
function snips(window: PlainWindow, asked: Partial<EstimateOptions>, gamma: number) {
  const { results } = estimate(window, { ...asked, gamma });
  return (model: string, metric: string, k: number | null) =>
    results.find(
      (row) =>
        row.model === model &&
        row.metric === metric &&
        row.k === k &&
        row.estimator === 'snips' &&
        row.form === 'pooled',
    )?.value;
}

const RUNS = repetitions(12, 300);
// 81 estimates a run; two windows still have a dozen bands each.

describe('rare items without hits in the lists', () => {
  it('lower pooled snips by their share of the weight', () => {
    let seen = 0;
    fc.assert(
      fc.property(plainWindow(), options, (window, asked) => {
        const { sensitivity } = estimate(window, asked);
        const { gamma } = { ...DEFAULTS, ...asked };
        const whole = snips(window, asked, gamma);
        const countOf = (item: number) => window.popularity[item] || (asked.smoothing ?? 0.5);
        for (const { metric, k, tails } of sensitivity) {
          for (const { model, below, weight, expected } of tails) {
            const users = window.users.map((user) => ({
              ...user,
              rows: user.rows.filter(({ item }) => countOf(item) >= below),
            }));
            const above = snips({ ...window, users }, asked, gamma)(model, metric, k)!;
            expect(whole(model, metric, k)).toBeCloseTo((1 - weight) * above, 11);
            expect(expected > 0).toBe(weight > 0);
            seen += Number(weight > 0);
          }
        }
      }),
      { numRuns: RUNS, seed: 6 },
    );
    expect(seen).toBeGreaterThan(0);
  });
});

describe('an interval of γ from hardly any items', () => {
  it.each([1e9, Number.POSITIVE_INFINITY])(
    'of half-width %d is searched only from −5 to 5',
    (gammaHalfWidth) => {
      const [window] = fc.sample(plainWindow(), { numRuns: 1, seed: 6 });
      const asked = { gamma: 0.5, estimators: ['naive', 'snips'] as const };
      const found = estimate(window, { ...asked, gammaHalfWidth }).sensitivity;
      expect(found.length).toBeGreaterThan(0);
      expect(found).toEqual(estimate(window, { ...asked, gammaHalfWidth: 5.5 }).sensitivity);
      expect(() => estimate(window, { ...asked, gamma: 1e9 })).not.toThrow();
    },
  );
});
