import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { againstBaseline } from '../../../../src/estimators/diagnostics/against-baseline.js';
import { popularityRanking } from '../../../../src/estimators/lanes/derived-parts.js';
import type { EstimateRow } from '../../../../src/estimators/results/estimate.js';
import { LIST_FULL, NOT_IN_LIST } from '../../../../src/state/panes/window-part.js';

function ranking(popularity: number[], ids: string[], absent: number[] = [], size = 0) {
  const counts = {
    items: popularity.length,
    popularity: Float64Array.from(popularity),
    interactions: Float64Array.from(popularity),
    randomized: new Float64Array(popularity.length),
    compareIds: (a: number, b: number) => (ids[a] < ids[b] ? -1 : 1),
  };
  return popularityRanking(counts, (item) => !absent.includes(item), size);
}

describe('the built-in popularity model', () => {
  it('ranks only items in the catalogue, by count and then by id', () => {
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
});

describe('a model against the baseline', () => {
  it('is compared only under the same estimator, metric, cut-off and aggregation', () => {
    const row = (model: string, estimator: string, value: number, k: number | null = 5) =>
      ({
        model,
        metric: 'recall',
        k,
        estimator,
        form: 'user',
        status: 'given',
        reasons: [],
        value,
      }) as unknown as EstimateRow;
    const results = [
      row('a', 'naive', 0.5),
      row('a', 'snips', 0.25),
      row('a', 'naive', 0.9, 10),
      row('popularity', 'naive', 0.75),
      row('popularity', 'snips', 0.125),
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
