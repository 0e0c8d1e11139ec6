import { describe, expect, it } from 'vitest';
import {
  kendallTau,
  rankingAgreements,
} from '../../../../src/estimators/diagnostics/ranking-agreement.js';
import type { EstimateRow } from '../../../../src/estimators/results/estimate.js';

const row = (model: string, estimator: string, value: number, aggregation = 'user') =>
  ({ model, metric: 'recall', k: 5, estimator, aggregation, value }) as unknown as EstimateRow;

describe("Kendall's tau-b", () => {
  it('has the value of a worked example with ties', () => {
    // Pairs: 4 concordant, 0 discordant, 1 tied in a, 1 tied in b: 4 / √(5 · 5).
    expect(kendallTau([1, 2, 2, 3], [1, 2, 3, 3])).toBeCloseTo(4 / 5, 14);
  });

  it('is 1 for the same order, -1 for the reverse, unknown for a series that is all ties', () => {
    expect(kendallTau([1, 5, 9], [0, 1, 2])).toBe(1);
    expect(kendallTau([1, 5, 9], [2, 1, 0])).toBe(-1);
    expect(kendallTau([1, 1], [0, 1])).toBeNaN();
  });

  it('gives the tau that Carraro and Bridge print for FULL without MF on Coat', () => {
    // Table 2, Coat, without MF: truth against FULL, recall scaled by the printed differences.
    const truth = [0.066, 0.068, 0.067, 0.073];
    const full = [0.066 * 2.33, 0.068 * 1.61, 0.067 * 3.29, 0.073 * 3.36];
    expect(kendallTau(truth, full)).toBeCloseTo(1 / 3, 14);
  });
});

describe('rankingAgreements', () => {
  it('names the pairs whose order turns round, for each two estimators and aggregation', () => {
    const results = [
      ...[row('a', 'naive', 3), row('b', 'naive', 2), row('c', 'naive', 1)],
      ...[row('a', 'snips', 2), row('b', 'snips', 3), row('c', 'snips', 1)],
      ...[row('a', 'naive', 1, 'pooled'), row('b', 'naive', 2, 'pooled')],
      ...[row('a', 'snips', 1, 'pooled'), row('b', 'snips', 2, 'pooled')],
    ];
    const [user, pooled] = rankingAgreements(results);
    expect(user).toMatchObject({ aggregation: 'user', estimators: ['naive', 'snips'] });
    expect(user.tau).toBeCloseTo(1 / 3, 14);
    expect(user.flips).toEqual([['a', 'b']]);
    expect(pooled).toMatchObject({ aggregation: 'pooled', tau: 1, flips: [] });
  });

  it('leaves out models that one of the two has no value for', () => {
    const results = [row('a', 'naive', 3), row('b', 'naive', 2), row('a', 'ure', 1)];
    expect(rankingAgreements(results)).toEqual([]);
  });
});
