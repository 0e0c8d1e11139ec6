import { describe, expect, it } from 'vitest';
import { aucGain } from '../../../src/estimators/metrics/auc.js';
import { rankGains } from '../../../src/estimators/metrics/metric-gain.js';
import { mrrGain } from '../../../src/estimators/metrics/mrr.js';
import { recallGain } from '../../../src/estimators/metrics/recall.js';

describe('gains by 0-based rank', () => {
  it('counts a recall hit below the cut-off only', () => {
    expect([0, 4, 5, 65535].map((z) => recallGain(z, 5))).toEqual([1, 1, 0, 0]);
  });

  it('takes the reciprocal of the rank from 1', () => {
    expect([0, 1, 3].map(mrrGain)).toEqual([1, 0.5, 0.25]);
  });

  it('gives auc the share of the list from the item down', () => {
    expect([0, 1, 3].map((z) => aucGain(z, 4))).toEqual([1, 0.75, 0.25]);
  });
});

describe('rankGains', () => {
  it('gives recall at each cut-off, dcg uncut as well, mrr uncut', () => {
    const names = rankGains(['recall', 'dcg', 'mrr'], [5, 10]).map(({ metric, k }) => [metric, k]);
    expect(names).toEqual([
      ['recall', 5],
      ['recall', 10],
      ['dcg', null],
      ['dcg', 5],
      ['dcg', 10],
      ['mrr', null],
    ]);
  });
});
