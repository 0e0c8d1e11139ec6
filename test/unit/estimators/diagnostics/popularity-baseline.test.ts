import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { againstBaseline } from '../../../../src/estimators/diagnostics/against-baseline.js';
import {
  popularityRanking,
  withRanking,
} from '../../../../src/estimators/diagnostics/popularity-baseline.js';
import type { EstimateRow } from '../../../../src/estimators/results/estimate.js';
import { LIST_FULL, LIST_PARTIAL, NOT_IN_LIST } from '../../../../src/state/panes/window-part.js';
import { finish } from '../../../oracle/finish.js';
import { toPart, windowOf } from '../../../oracle/window.js';

function ranking(popularity: number[], ids: string[], absent: number[] = [], size = 0) {
  const counts = {
    items: popularity.length,
    popularity: Float64Array.from(popularity),
    interactions: Float64Array.from(popularity),
    randomized: new Float64Array(popularity.length),
    compareIds: (a: number, b: number) => (ids[a] < ids[b] ? -1 : 1),
  };
  return finish(popularityRanking(counts, (item) => !absent.includes(item), size));
}

describe('the built-in popularity model', () => {
  it('ranks the catalogue by count and ties by id, and nothing else', () => {
    const count = fc.array(fc.nat(4), { minLength: 12, maxLength: 12 });
    const names = fc.shuffledSubarray([...'abcdefghijkl'], { minLength: 12 });
    fc.assert(
      fc.property(count, names, fc.uniqueArray(fc.nat(11), { maxLength: 5 }), (n, ids, absent) => {
        const { rank, list } = ranking(n, ids, absent);
        const expected = [...n.keys()]
          .filter((item) => !absent.includes(item))
          .sort((a, b) => n[b] - n[a] || (ids[a] < ids[b] ? -1 : 1));
        expect(expected.map((item) => rank[item])).toEqual([...expected.keys()]);
        for (const item of absent) expect(rank[item]).toBe(NOT_IN_LIST);
        expect(list).toBe(LIST_FULL | expected.length);
      }),
    );
  });

  it('counts items that were never seen as candidates behind all others', () => {
    expect(ranking([1, 2], ['a', 'b'], [], 40).list).toBe(LIST_FULL | 40);
  });

  it('cuts a large catalogue before the ties that do not fit, and then gives no auc', () => {
    const size = 12_000;
    const popularity = Array.from({ length: size }, (_, i) => (i < 5000 ? 9 : i < 9000 ? 5 : 1));
    const ids = popularity.map((_, i) => String(i).padStart(5, '0'));
    const { rank, list } = ranking(popularity, ids);
    expect(list).toBe(LIST_PARTIAL | 9000);
    expect([rank[4999], rank[5000], rank[8999], rank[9000]]).toEqual([
      4999,
      5000,
      8999,
      NOT_IN_LIST,
    ]);
  });

  it('takes its place among the models of a part', () => {
    const window = windowOf(
      [1, 2],
      [
        [
          [0, 7],
          [1, 'absent'],
        ],
      ],
    );
    const part = toPart(window.users, 1);
    const both = finish(withRanking(part, ranking([1, 2], ['a', 'b']), 0));
    expect(both.ranks.map((column) => [...column])).toEqual([
      [1, 0],
      [7, NOT_IN_LIST],
    ]);
    expect([...both.lists[0]]).toEqual([LIST_FULL | 2, LIST_FULL | 2]);
    expect(both.item).toBe(part.item);
  });
});

describe('a model against the baseline', () => {
  it('is compared under the same estimator, metric, cut-off and aggregation alone', () => {
    const row = (model: string, estimator: string, value: number, k: number | null = 5) =>
      ({
        model,
        metric: 'recall',
        k,
        estimator,
        aggregation: 'user',
        value,
      }) as unknown as EstimateRow;
    const results = [
      ...[row('a', 'naive', 0.5), row('a', 'snips', 0.25), row('a', 'naive', 0.9, 10)],
      ...[row('popularity', 'naive', 0.75), row('popularity', 'snips', 0.125)],
    ];
    const found = againstBaseline(results, 'popularity');
    expect(found.map(({ model, estimator, difference }) => [model, estimator, difference])).toEqual(
      [
        ['a', 'naive', -0.25],
        ['a', 'snips', 0.125],
      ],
    );
  });
});
