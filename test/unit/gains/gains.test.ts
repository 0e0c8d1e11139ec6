import { describe, expect, it } from 'vitest';
import { aucGain } from '../../../src/estimators/metrics/auc.js';
import { dcgGain } from '../../../src/estimators/metrics/dcg.js';
import { rankGains } from '../../../src/estimators/metrics/metric-gain.js';
import { mrrGain } from '../../../src/estimators/metrics/mrr.js';
import { recallGain } from '../../../src/estimators/metrics/recall.js';

describe('gains by 0-based rank', () => {
  it('counts a recall hit below the cut-off only', () => {
    expect([0, 4, 5, 65535].map((z) => recallGain(z, 5))).toEqual([1, 1, 0, 0]);
  });

  it('discounts by the binary logarithm of the rank from 2, and cuts where asked', () => {
    expect([0, 2, 6, 14].map((z) => dcgGain(z))).toEqual([1, 1 / 2, 1 / 3, 1 / 4]);
    expect([2, 3].map((z) => dcgGain(z, 3))).toEqual([0.5, 0]);
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

  it('tabulates each gain up to its cut-off', () => {
    const [recall, dcg] = rankGains(['recall', 'dcg'], [3]);
    expect([...recall.table]).toEqual([1, 1, 1]);
    expect(dcg.table[6]).toBe(1 / 3);
    expect(dcg.table.length).toBe(10_000);
  });

  it('counts a repeated cut-off once and leaves auc to the list', () => {
    expect(rankGains(['recall', 'auc'], [3, 3]).length).toBe(1);
  });
});
