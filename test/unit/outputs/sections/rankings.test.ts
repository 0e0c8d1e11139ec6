import { describe, expect, it } from 'vitest';
import { rankingAgreements } from '../../../../src/estimators/diagnostics/ranking-agreement.js';
import type {
  EstimateDifference,
  EstimateRow,
} from '../../../../src/estimators/results/estimate.js';
import {
  bestModels,
  flipsFromUncorrected,
  tauWithUncorrected,
} from '../../../../src/outputs/sections/rankings.js';
import { makeSnapshot } from '../../../fixtures/snapshot.js';

const MEASURE = { metric: 'recall', k: 10, aggregation: 'user' } as const;

function row(model: string, estimator: EstimateRow['estimator'], value: number): EstimateRow {
  return { ...makeSnapshot().windows[0]!.results[0]!, ...MEASURE, model, estimator, value };
}

const results = [
  row('a', 'naive', 0.3),
  row('b', 'naive', 0.2),
  row('c', 'naive', 0.1),
  row('a', 'snips', 0.1),
  row('b', 'snips', 0.3),
  row('c', 'snips', 0.05),
];

function difference(estimator: EstimateRow['estimator'], lower: number, upper: number) {
  const first = makeSnapshot().windows[0]!.differences[0]!;
  return { ...first, ...MEASURE, model: 'b', reference: 'a', estimator, lower, upper };
}

describe('the best model', () => {
  it('is the one with the greatest value under that estimator', () => {
    expect(bestModels(results, MEASURE, 'naive')).toEqual(['a']);
    expect(bestModels(results, MEASURE, 'snips')).toEqual(['b']);
    expect(bestModels(results, { ...MEASURE, k: 5 }, 'snips')).toEqual([]);
  });

  it('is every model that ties, and none if there is only one model', () => {
    const tied = [row('a', 'gs', 0.2), row('b', 'gs', 0.2)];
    expect(bestModels(tied, MEASURE, 'gs')).toEqual(['a', 'b']);
    expect(bestModels(tied.slice(1), MEASURE, 'gs')).toEqual([]);
  });
});

describe('pairs that flip', () => {
  const flips = (given: readonly EstimateRow[], differences: readonly EstimateDifference[]) =>
    flipsFromUncorrected(rankingAgreements(given), differences, MEASURE);
  const pair = { ...MEASURE, preferred: 'a', other: 'b', estimator: 'snips' };

  it('are given in the order of naive, even if another estimator comes first', () => {
    const reversed = [...results.slice(3), ...results.slice(0, 3)];
    expect(flips(results, [])).toEqual([{ ...pair, isClear: false }]);
    expect(flips(reversed, [])).toEqual([{ ...pair, isClear: false }]);
  });

  it('are clear if the difference excludes 0 under both estimators', () => {
    const naive = difference('naive', -0.2, -0.05);
    expect(flips(results, [naive, difference('snips', 0.1, 0.3)])[0]!.isClear).toBe(true);
    expect(flips(results, [naive, difference('snips', -0.1, 0.3)])[0]!.isClear).toBe(false);
    expect(flips(results, [difference('snips', 0.1, 0.3)])[0]!.isClear).toBe(false);
  });

  it('come with Kendall’s τ, which is 1/3 if one of three pairs flips', () => {
    const agreements = rankingAgreements(results);
    expect(tauWithUncorrected(agreements, MEASURE, 'snips')).toBeCloseTo(1 / 3, 12);
    expect(tauWithUncorrected(agreements, MEASURE, 'naive')).toBeUndefined();
  });
});
