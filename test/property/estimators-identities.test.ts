import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EstimatorName } from '../../src/estimators/names.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import type { EstimateRow } from '../../src/estimators/results/estimate.js';
import { ESTIMATORS, estimatorOf } from '../../src/estimators/rules/registry.js';
import { plainWindow, withRanks } from '../oracle/arbitrary.js';
import { evaluatedRows } from '../oracle/evaluated.js';
import { DEFAULTS, estimate, isOf, type PlainWindow } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';

/** Values by model, metric, cut-off and aggregation, for one estimator. */
function valuesOf(
  window: PlainWindow,
  estimator: EstimatorName,
  options: Partial<EstimateOptions> = {},
): Map<string, EstimateRow> {
  const { results } = estimate(window, { ...options, estimators: [estimator] });
  return new Map(results.map((r) => [`${r.model} ${r.metric} ${r.k} ${r.form}`, r]));
}

function expectEqual(
  actual: Map<string, EstimateRow>,
  expected: Map<string, EstimateRow>,
  keep: (key: string) => boolean = () => true,
): void {
  for (const [key, { value }] of expected) {
    if (!keep(key)) continue;
    expect(Math.abs(actual.get(key)!.value - value), key).toBeLessThan(1e-12);
  }
  expect(actual.size).toBe(expected.size);
}

/** What is an identity is broken for most windows once it is broken at all: ten see it. */
const runs = { numRuns: repetitions(10, 100) };

describe('identities of the estimators', () => {
  it('make GS with one stratum the naive estimator', () => {
    fc.assert(
      fc.property(plainWindow(), (window) => {
        expectEqual(valuesOf(window, 'gs', { strata: 1 }), valuesOf(window, 'naive'));
      }),
      runs,
    );
  });

  it('make GS the SNIPS estimator if no stratum holds two different items', () => {
    // Twelve distinct counts and as many rank strata: every item stands alone.
    const distinct = fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], {
      minLength: 12,
    });
    fc.assert(
      fc.property(plainWindow(), distinct, (window, popularity) => {
        const own = { ...window, popularity };
        const alone = { strata: 12, strataScheme: 'popularity-rank' as const };
        expectEqual(valuesOf(own, 'gs', alone), valuesOf(own, 'snips'));
      }),
      runs,
    );
  });

  it('make GS the SNIPS estimator if the propensity is constant within strata', () => {
    const counts = fc.array(fc.constantFrom(2, 7, 12), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(plainWindow(), counts, (window, popularity) => {
        const own = { ...window, popularity };
        expectEqual(valuesOf(own, 'gs', { strata: 3 }), valuesOf(own, 'snips'));
      }),
      runs,
    );
  });

  it('make naive, SNIPS and GS equal if γ is −1', () => {
    fc.assert(
      fc.property(plainWindow(), (window) => {
        const naive = valuesOf(window, 'naive', { gamma: -1 });
        expectEqual(valuesOf(window, 'snips', { gamma: -1 }), naive);
        expectEqual(valuesOf(window, 'gs', { gamma: -1 }), naive);
      }),
      runs,
    );
  });

  it('make the per-user forms of naive, SNIPS and GS equal if users have one row', () => {
    const isUserForm = (key: string) => key.endsWith('user');
    fc.assert(
      fc.property(plainWindow({ maxRows: 1 }), (window) => {
        const naive = valuesOf(window, 'naive');
        expectEqual(valuesOf(window, 'snips'), naive, isUserForm);
        expectEqual(valuesOf(window, 'gs'), naive, isUserForm);
      }),
      runs,
    );
  });

  it('drop cold items if smoothing is 0', () => {
    fc.assert(
      fc.property(plainWindow(), (window) => {
        const nothing = { smoothing: 0, estimators: ['snips', 'gs', 'ips', 'wtd_h'] as const };
        const smoothed = estimate(window, { ...nothing, cold: 'smooth' });
        expect(smoothed.results).toEqual(estimate(window, { ...nothing, cold: 'drop' }).results);
      }),
      { numRuns: repetitions(8, 50) },
    );
  });

  it('keep every ratio within the range of its gains and its interval within [0, 1]', () => {
    fc.assert(
      fc.property(plainWindow(), (window) => {
        for (const result of estimate(window).results) {
          const model = window.models.indexOf(result.model);
          const {
            metric,
            k,
            sums: { numerator, denominator },
            value,
            lower,
            upper,
          } = result;
          const gains = evaluatedRows(window, model, metric, k, DEFAULTS)
            .flat()
            .map(({ gain }) => gain);
          expect(numerator / denominator).toBeGreaterThan(Math.min(...gains) - 1e-12);
          expect(numerator / denominator).toBeLessThan(Math.max(...gains) + 1e-12);
          expect(value).toBeCloseTo(numerator / denominator, 12);
          expect(lower).toBeGreaterThanOrEqual(0);
          expect(value).toBeGreaterThanOrEqual(lower);
          expect(value).toBeLessThanOrEqual(upper);
          expect(upper).toBeLessThanOrEqual(1);
        }
      }),
      runs,
    );
  });

  it('return a constant gain with no error and an interval of width 0', () => {
    fc.assert(
      fc.property(plainWindow(), fc.nat(11), (window, rank) => {
        const constant = withRanks(window, () => rank);
        for (const { metric, k, value, stdErr, lower, upper } of estimate(constant).results) {
          if (metric === 'recall') expect(value).toBe(rank < k! ? 1 : 0);
          if (metric === 'mrr') expect(value).toBe(1 / (rank + 1));
          expect(stdErr).toBe(0);
          expect([lower, upper]).toEqual([value, value]);
        }
      }),
      runs,
    );
  });

  it('make pooled SNIPS with in-window counts and β = 1 the macro average over items', () => {
    fc.assert(
      fc.property(plainWindow({ minCount: 1 }), (window) => {
        const own = withRanks(window, (row, m) => (row.ranks[m] === 'unranked' ? 0 : row.ranks[m]));
        const rows = own.users
          .flatMap((user) => user.rows)
          .filter((row) => row.positive && isOf(row, 'organic'));
        const counts = own.popularity.map((_, i) => rows.filter((row) => row.item === i).length);
        const listed = rows.map((row) => ({ ...row, lists: [{ length: 12, candidates: 0 }] }));
        if (rows.length === 0) return;
        const users = listed.map((row) => ({ count: 1, rows: [row] }));
        const macro = counts.flatMap((n, i) => {
          const hits = listed.filter((row) => row.item === i && Number(row.ranks[0]) < 3).length;
          return n === 0 ? [] : [hits / n];
        });
        const { results } = estimate(
          { ...own, models: ['first'], popularity: counts, users },
          { metrics: ['recall'], ks: [3], estimators: ['snips'], gamma: 1 },
        );
        const pooled = results.find((r) => r.form === 'pooled');
        const expected = macro.reduce((a, b) => a + b, 0) / macro.length;
        expect(pooled!.value).toBeCloseTo(expected, 12);
      }),
      runs,
    );
  });
});

describe('metrics of a user’s whole set', () => {
  it('do not change other metrics, and their model differences are differences of values', () => {
    const metrics = ['recall', 'ndcg', 'map', 'precision'] as const;
    fc.assert(
      fc.property(plainWindow(), (window) => {
        const alone = estimate(window, { metrics: ['recall'] });
        const all = estimate(window, { metrics });
        const additive = <T extends { metric: string }>(rows: readonly T[]) =>
          rows.filter(({ metric }) => metric === 'recall');
        expect(additive(all.results)).toEqual(alone.results);
        expect(additive(all.differences)).toEqual(alone.differences);
        const found = (model: string, { metric, k, estimator, form: aggregation }: EstimateRow) =>
          all.results.find(
            (r) =>
              r.model === model &&
              r.metric === metric &&
              r.k === k &&
              r.estimator === estimator &&
              r.form === aggregation,
          )!.value;
        for (const row of all.differences) {
          const own = row as unknown as EstimateRow;
          const wanted = found(row.model, own) - found(row.reference, own);
          expect(row.value).toBeCloseTo(wanted, 12);
        }
      }),
      { numRuns: repetitions(8, 50) },
    );
  });

  it('give naive precision@k as recall@k divided by k if users have one row', () => {
    fc.assert(
      fc.property(plainWindow({ maxRows: 1 }), (window) => {
        const options = { metrics: ['recall', 'precision', 'ndcg', 'map'] as const, ks: [3] };
        const { results } = estimate(window, { ...options, estimators: ['naive'] });
        const of = (metric: string) =>
          results.filter((r) => r.metric === metric && r.form === 'user');
        of('recall').forEach(({ value }, i) => {
          expect(of('precision')[i].value).toBeCloseTo(value / 3, 12);
          // One relevant item: at best first, with a dcg of 1.
          expect(of('map')[i].value).toBeLessThanOrEqual(of('ndcg')[i].value + 1e-12);
        });
      }),
      { numRuns: repetitions(8, 50) },
    );
  });
});

describe('rows found only by randomised traffic', () => {
  const ORGANIC = ESTIMATORS.filter((name) => {
    const { randomized, scale } = estimatorOf(name).needs;
    return randomized === undefined && scale === undefined;
  });

  it('do not change estimates from organic traffic', () => {
    fc.assert(
      fc.property(plainWindow(), (window) => {
        const without = {
          ...window,
          users: window.users.map((user) => ({
            ...user,
            rows: user.rows
              .filter((row) => isOf(row, 'organic'))
              .map((row) => ({ ...row, traffic: ['organic' as const] })),
          })),
        };
        const estimators = [...ORGANIC];
        const all = estimate(window, { estimators });
        const organic = estimate(without, { estimators });
        expect(all.results).toEqual(organic.results);
        expect(all.differences).toEqual(organic.differences);
        expect(all.models).toEqual(organic.models);
      }),
      runs,
    );
  });
});

describe('partitioning the users of a window', () => {
  it('does not change estimates', () => {
    fc.assert(
      fc.property(plainWindow(), fc.array(fc.nat(3), { minLength: 9 }), (window, part) => {
        const whole = estimate(window);
        const split = estimate(window, {}, (user) => part[user]);
        expect(split.counts).toEqual(whole.counts);
        expect(split.models).toEqual(whole.models);
        expect(split.results.length).toBe(whole.results.length);
        split.results.forEach((own, r) => {
          const other = whole.results[r];
          for (const field of ['value', 'stdErr', 'lower', 'upper', 'ess'] as const) {
            if (Number.isNaN(other[field])) expect(own[field]).toBeNaN();
            else expect(Math.abs(own[field] - other[field]), field).toBeLessThan(1e-12);
          }
        });
      }),
      runs,
    );
  });
});
