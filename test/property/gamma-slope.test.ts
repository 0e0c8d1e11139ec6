import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EstimateRow } from '../../src/estimators/results/estimate.js';
import { ESTIMATORS, estimatorOf } from '../../src/estimators/rules/registry.js';
import { plainWindow } from '../oracle/arbitrary.js';
import { evaluatedRows, sum, weightOf } from '../oracle/evaluated.js';
import { DEFAULTS, estimate } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';

/** All but ips, whose values are on a scale of their own. */
const OPTIONS = {
  ...DEFAULTS,
  estimators: ESTIMATORS.filter((name) => estimatorOf(name).needs.scale === undefined),
  metrics: ['dcg', 'mrr'] as const,
  ks: [3],
};
const STEP = 1e-4;

describe('the slope of an estimate in γ', () => {
  it('equals the difference quotient for every estimator and aggregation', () => {
    fc.assert(
      fc.property(plainWindow(), fc.constantFrom(-1, 0.3, 2), (window, gamma) => {
        const at = (value: number): readonly EstimateRow[] =>
          estimate(window, { ...OPTIONS, gamma: value }).results;
        const below = at(gamma - STEP);
        const here = at(gamma);
        const above = at(gamma + STEP);
        here.forEach(({ more: { gammaSlope }, estimator, form: aggregation }, i) => {
          const quotient = (above[i].value - below[i].value) / (2 * STEP);
          const what = `${estimator} ${aggregation}: ${gammaSlope} should be ${quotient}`;
          expect(Math.abs(gammaSlope - quotient), what).toBeLessThan(1e-6);
        });
      }),
      { numRuns: repetitions(15, 60) },
    );
  });

  it('equals the difference quotient for IPS, whose denominator is fixed', () => {
    const ips = { ...OPTIONS, estimators: ['ips' as const] };
    fc.assert(
      fc.property(plainWindow(), fc.constantFrom(-0.4, 0.3, 2), (window, gamma) => {
        const at = (value: number) => estimate(window, { ...ips, gamma: value }).results;
        const below = at(gamma - STEP);
        const here = at(gamma);
        const above = at(gamma + STEP);
        here.forEach(({ more: { gammaSlope }, value }, i) => {
          const quotient = (above[i].value - below[i].value) / (2 * STEP);
          expect(Math.abs(gammaSlope - quotient)).toBeLessThan(1e-6 * (1 + value));
        });
      }),
      { numRuns: repetitions(15, 60) },
    );
  });

  it('is −½ Cov_w(λ, ln n) for pooled SNIPS', () => {
    fc.assert(
      fc.property(plainWindow(), (window) => {
        const { results } = estimate(window, OPTIONS);
        const rows = evaluatedRows(window, 0, 'mrr', null, OPTIONS).flat();
        if (rows.length === 0) return;
        const weights = rows.map(({ item }) => weightOf(window, item, OPTIONS));
        const logs = rows.map(({ item }) => Math.log(window.popularity[item] || OPTIONS.smoothing));
        const mean = (values: number[]) =>
          sum(values.map((value, r) => weights[r] * value)) / sum(weights);
        const gains = rows.map(({ gain }) => gain);
        const covariance = mean(gains.map((gain, r) => gain * logs[r])) - mean(gains) * mean(logs);
        const actual = results.find(
          (row) =>
            row.model === 'first' &&
            row.metric === 'mrr' &&
            row.estimator === 'snips' &&
            row.form === 'pooled',
        )!;
        expect(actual.more.gammaSlope).toBeCloseTo(-covariance / 2, 10);
      }),
      { numRuns: repetitions(15, 60) },
    );
  });

  it('widens the interval by the error of γ and leaves the standard error unchanged', () => {
    fc.assert(
      fc.property(plainWindow(), (window) => {
        const given = estimate(window, OPTIONS).results;
        const fitted = estimate(window, { ...OPTIONS, gammaStdErr: 0.2 }).results;
        fitted.forEach((row, i) => {
          expect(row.stdErr).toEqual(given[i].stdErr);
          expect(given[i].more.gammaStdErr).toBe(0);
          expect(row.more.gammaStdErr).toBeCloseTo(0.2 * Math.abs(given[i].more.gammaSlope), 12);
          expect(row.upper - row.lower).toBeGreaterThanOrEqual(
            given[i].upper - given[i].lower - 1e-12,
          );
        });
      }),
      { numRuns: repetitions(10, 40) },
    );
  });
});
