import { describe, expect, it } from 'vitest';
import {
  kendallTau,
  rankingAgreements,
} from '../../../../src/estimators/diagnostics/ranking-agreement.js';
import type { EstimateRow } from '../../../../src/estimators/results/estimate.js';

const row = (model: string, estimator: string, value: number, form = 'user') =>
  ({ model, metric: 'recall', k: 5, estimator, form, value }) as unknown as EstimateRow;

describe("Kendall's tau-b", () => {
  it('has the value of a worked example with ties', () => {
    // Pairs: 4 concordant, 0 discordant, 1 tied in a, 1 tied in b: 4 / √(5 · 5).
    expect(kendallTau([1, 2, 2, 3], [1, 2, 3, 3])).toBeCloseTo(4 / 5, 14);
  });
});

describe('rankingAgreements', () => {
  it('names the pairs whose order reverses, for each pair of estimators and aggregation', () => {
    const results = [
      row('a', 'naive', 3),
      row('b', 'naive', 2),
      row('c', 'naive', 1),
      row('a', 'snips', 2),
      row('b', 'snips', 3),
      row('c', 'snips', 1),
      row('a', 'naive', 1, 'pooled'),
      row('b', 'naive', 2, 'pooled'),
      row('a', 'snips', 1, 'pooled'),
      row('b', 'snips', 2, 'pooled'),
    ];
    const [user, pooled] = rankingAgreements(results);
    expect(user).toMatchObject({ aggregation: 'user', estimators: ['naive', 'snips'] });
    expect(user.tau).toBeCloseTo(1 / 3, 14);
    expect(user.flips).toEqual([['a', 'b']]);
    expect(pooled).toMatchObject({ aggregation: 'pooled', tau: 1, flips: [] });
  });
});
