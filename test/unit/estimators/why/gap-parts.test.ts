import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrganicJob } from '../../../../src/estimators/lanes/lane-job.js';
import type { EstimatorName, Metric } from '../../../../src/estimators/names.js';
import type { EstimateOptions } from '../../../../src/estimators/options.js';
import { gapParts } from '../../../../src/features/why/gap-parts.js';
import type { NamedNumber } from '../../../../src/features/why/side.js';
import { placementsOf } from '../../../../src/features/why/why.js';
import { plainWindow } from '../../../oracle/arbitrary.js';
import { ORACLES } from '../../../oracle/estimators.js';
import { evaluatedRows, sum, type UserSums } from '../../../oracle/evaluated.js';
import { DEFAULTS, estimate, isOf, type PlainWindow, windowOf } from '../../../oracle/window.js';

const ESTIMATORS = ['naive', 'snips', 'gs', 'skew', 'wtd_h'] as const;
const OPTIONS: EstimateOptions = { ...DEFAULTS, estimators: ESTIMATORS };

/** The rows of a window as its estimates take them, and the estimates. */
function estimated(window: PlainWindow, options: Partial<EstimateOptions> = {}) {
  const kept: OrganicJob[] = [];
  const asked = { ...OPTIONS, ...options };
  const found = estimate(window, asked, undefined, (job) => kept.push(job));
  return { job: kept[0]!, found };
}

function gapOf(window: PlainWindow, first: NamedNumber, second: NamedNumber, most = 100) {
  const { job } = estimated(window);
  return gapParts(job, [first, second], most);
}

/** N_u and D_u of a number by the oracle; `gains` says which rows keep their gain. */
function sums(
  window: PlainWindow,
  { model, metric, k, estimator, aggregation }: NamedNumber,
  found: ReturnType<typeof estimated>['found'],
  gains: (row: { user: number; item: number }) => boolean = () => true,
): UserSums {
  const rows = evaluatedRows(window, window.models.indexOf(model), metric, k, OPTIONS).map((own) =>
    own.map((row) => (gains(row) ? row : { ...row, gain: 0 })),
  );
  return ORACLES[estimator]![aggregation]!({ rows, window, options: OPTIONS, found });
}

const ratio = (of: UserSums) =>
  sum(of.map(({ numerator }) => numerator)) / sum(of.map(({ denominator }) => denominator));

const number = fc.record({
  model: fc.constantFrom('first', 'second'),
  estimator: fc.constantFrom<EstimatorName>(...ESTIMATORS),
  measure: fc.constantFrom<[Metric, number | null]>(
    ['recall', 1],
    ['recall', 3],
    ['dcg', null],
    ['dcg', 3],
    ['mrr', null],
    ['auc', null],
  ),
  aggregation: fc.constantFrom('user' as const, 'pooled' as const),
});

describe('the parts of a gap', () => {
  it('equal the difference of both numbers if only the part has gains', () => {
    fc.assert(
      fc.property(plainWindow(), number, number, (window, first, { model, estimator }) => {
        const { measure, ...a } = first;
        const [metric, k] = measure;
        const numbers = [
          { ...a, metric, k },
          { ...a, metric, k, model, estimator },
        ] as const;
        const { job, found } = estimated(window);
        const parts = gapParts(job, numbers, 100);
        const values = numbers.map((own) => {
          const row = found.results.find(
            (r) =>
              r.model === own.model &&
              r.metric === metric &&
              r.k === k &&
              r.estimator === own.estimator &&
              r.form === own.aggregation,
          );
          return row?.value;
        });
        if (values.includes(undefined)) {
          expect(parts).toBe(undefined);
          return;
        }
        expect(parts!.values[0]).toBeCloseTo(values[0]!, 12);
        expect(parts!.values[1]).toBeCloseTo(values[1]!, 12);
        const partOf = (gains: Parameters<typeof sums>[3]) =>
          numbers.map((own) => ratio(sums(window, own, found, gains)));
        for (const { item, contribution, parts: own } of parts!.items) {
          const [p, q] = partOf((row) => row.item === item);
          expect(own[0]).toBeCloseTo(p, 7);
          expect(own[1]).toBeCloseTo(q, 7);
          expect(contribution).toBeCloseTo(p - q, 7);
        }
        expect(sum(parts!.items.map(({ contribution }) => contribution))).toBeCloseTo(
          parts!.gap,
          9,
        );
        for (const { by, groups } of parts!.groups) {
          for (const { from, to, contribution } of groups) {
            const [p, q] = partOf(({ user }) => {
              const own = measureOf(window, user, by);
              return own >= from && own < to;
            });
            expect(contribution).toBeCloseTo(p - q, 7);
          }
        }
      }),
    );
  });

  it('name the items that contribute most, and sum up the rest', () => {
    const window = windowOf(
      [9, 4, 2, 1],
      [
        [
          [0, 0],
          [1, 0],
        ],
        [
          [0, 0],
          [2, 0],
        ],
        [[3, 0]],
        [[1, 'absent']],
      ],
    );
    const number = { model: 'm', metric: 'recall', k: 1, aggregation: 'pooled' } as const;
    const first = { ...number, estimator: 'naive' } as const;
    const second = { ...number, estimator: 'snips' } as const;
    const all = gapOf(window, first, second)!;
    const some = gapOf(window, first, second, 2)!;
    expect(some.items).toEqual(all.items.slice(0, 2));
    const sizes = all.items.map(({ contribution }) => Math.abs(contribution));
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(some.rest.items).toBe(all.items.length - 2);
    const named = sum(some.items.map(({ contribution }) => contribution));
    expect(named + some.rest.contribution).toBeCloseTo(some.gap, 12);
  });
});

describe('the placement of an item', () => {
  it('gives per model the number of lists with it and its ranks', () => {
    const window = windowOf(
      [4, 1],
      [[[0, 0]], [[0, 4]], [[0, 'absent']], [[1, 2]], [[0, 2]], [[0, 3]]],
    );
    const { job } = estimated(window);
    const placed = (item: number) => placementsOf(job.part, job.models, item);
    expect(placed(0)).toEqual([{ model: 'm', rows: 5, listed: 4, bestRank: 1, medianRank: 3 }]);
    expect(placed(7)).toEqual([
      { model: 'm', rows: 0, listed: 0, bestRank: null, medianRank: null },
    ]);
  });
});

function measureOf(window: PlainWindow, user: number, by: 'activity' | 'taste'): number {
  const { count, rows } = window.users[user];
  if (by === 'activity') return count;
  const own = rows.filter((row) => row.positive && isOf(row, 'organic'));
  const total = sum(window.popularity);
  // An item is popular if those that are more popular hold less than half.
  const popular = own.filter(({ item }) => {
    const more = window.popularity.filter((n) => n > window.popularity[item]);
    return sum(more) < total / 2;
  });
  return own.length === 0 ? 0 : popular.length / own.length;
}
