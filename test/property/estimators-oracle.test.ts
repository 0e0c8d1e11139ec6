import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGGREGATIONS } from '../../src/estimators/names.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import type { Estimate } from '../../src/estimators/results/estimate.js';
import { plainWindow } from '../oracle/arbitrary.js';
import {
  type EvaluatedRow,
  evaluatedRows,
  summary,
  type UserSums,
  weightOf,
} from '../oracle/evaluated.js';
import { gsPooled, gsUser } from '../oracle/gs.js';
import { chances, intervenedPooled, intervenedUser } from '../oracle/intervened.js';
import { ipsPooled, ipsSampleSize, type OracleScale, scaleOf } from '../oracle/ips.js';
import { naivePooled, naiveUser } from '../oracle/naive.js';
import { setUser } from '../oracle/set-metrics.js';
import { snipsPooled, snipsUser } from '../oracle/snips.js';
import { stratumOf } from '../oracle/strata.js';
import { DEFAULTS, estimate, type PlainWindow } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';

const METRICS: [string, number | null][] = [
  ['recall', 1],
  ['recall', 3],
  ['dcg', null],
  ['dcg', 1],
  ['dcg', 3],
  ['mrr', null],
  ['auc', null],
];

const SETS = ['naive', 'full', 'reg', 'skew', 'wtd', 'wtd_h'] as const;
const INTERVENED = ['full', 'reg', 'skew', 'wtd', 'wtd_h'] as const;

const options: fc.Arbitrary<EstimateOptions> = fc
  .record({
    gamma: fc.constantFrom(-2, -1, 0, 0.7, 1, 2, 3.5),
    strata: fc.constantFrom(1, 2, 3, 5),
    strataScheme: fc.constantFrom(
      'popularity-width' as const,
      'propensity-width' as const,
      'popularity-rank' as const,
      'log' as const,
    ),
    cold: fc.constantFrom('smooth' as const, 'drop' as const),
    smoothing: fc.constantFrom(0, 0.5, 1),
    sampleShare: fc.constantFrom(0.05, 0.5, 0.9, 1),
    posteriorExponent: fc.constantFrom(1, 2),
    catalogueSize: fc.constantFrom(12, 13),
  })
  .map((some) => ({
    ...DEFAULTS,
    ...some,
    // Nothing to be counted as: the item is left out.
    cold: some.smoothing === 0 ? 'drop' : some.cold,
    estimators: ['naive', 'ips', 'snips', 'gs', ...INTERVENED, 'ure'],
  }));

/** Every oracle's answer for one model and metric. */
function oracleSums(
  window: PlainWindow,
  rows: EvaluatedRow[][],
  randomized: EvaluatedRow[][],
  given: EstimateOptions,
): Record<string, UserSums> {
  const weight = (item: number) => weightOf(window, item, given);
  const stratum = (item: number) => stratumOf(window, item, given);
  const scale = scaleOf(window, given);
  const chance = (name: Parameters<typeof chances>[1]) => chances(window, name, given);
  return {
    'naive user': naiveUser(rows),
    'naive pooled': naivePooled(rows),
    'snips user': snipsUser(rows, weight),
    'snips pooled': snipsPooled(rows, weight),
    'ips pooled': scale === null ? [] : ipsPooled(rows, scale, given.catalogueSize),
    'gs user': gsUser(rows, weight, stratum),
    'gs pooled': gsPooled(rows, weight, stratum),
    ...Object.fromEntries(
      INTERVENED.flatMap((name) => [
        [`${name} user`, intervenedUser(rows, chance(name))],
        [`${name} pooled`, intervenedPooled(rows, chance(name))],
      ]),
    ),
    'ure user': naiveUser(randomized),
    'ure pooled': naivePooled(randomized),
  };
}

function expectClose(actual: number, expected: number, what: string): void {
  const isClose = Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
  expect(isClose, `${what}: ${actual} should be ${expected}`).toBe(true);
}

const hasWeight = (sums: UserSums) => sums.some(({ denominator }) => denominator > 0);

const SET_METRICS = ['precision', 'ndcg', 'map'] as const;

describe('every metric of a whole set against its definition', () => {
  it('gives the expectation over all sets that can be drawn, by user, where there are sets', () => {
    fc.assert(
      fc.property(plainWindow(), options, (window, given) => {
        const asked = { ...given, metrics: SET_METRICS, ks: [1, 3] };
        const { results, refusals } = estimate(window, asked);
        const byKey = new Map(results.map((result) => [keyOf(result), result]));
        let expected = 0;
        const refused = new Set(refusals.map(({ estimator }) => estimator));
        const all = [...SETS].filter((name) => !refused.has(name));
        window.models.forEach((model, m) => {
          for (const metric of SET_METRICS) {
            for (const k of [1, 3]) {
              const rows = evaluatedRows(window, m, metric, k, given);
              if (rows.length === 0) continue;
              for (const name of all) {
                const chance = name === 'naive' ? () => 1 : chances(window, name, given);
                const sums = setUser(metric, k, rows, chance);
                if (!hasWeight(sums)) continue;
                expected++;
                const key = `${model} ${metric} ${k} ${name} user`;
                const actual = byKey.get(key);
                expect(actual, key).toBeDefined();
                const wanted = summary(sums);
                expectClose(actual!.value, wanted.value, `${key} value`);
                expectClose(actual!.ess, wanted.ess, `${key} ess`);
                expect(actual!.users, `${key} users`).toBe(wanted.users);
                if (wanted.users === 1) expect(actual!.stdErr).toBeNaN();
                else expectClose(actual!.stdErr, wanted.stdErr, `${key} stdErr`);
              }
            }
          }
        });
        expect(results.length).toBe(expected);
        expect(refusals.filter(({ metric }) => metric === 'map').length).toBeGreaterThan(1);
      }),
      { numRuns: repetitions(40, 150) },
    );
  });
});

describe('every estimator against its definition', () => {
  it('gives the value, standard error, users and sample size that the oracle works out', () => {
    fc.assert(
      fc.property(plainWindow(), options, (window, given) => {
        const { results, refusals } = estimate(window, given);
        const byKey = new Map(results.map((result) => [keyOf(result), result]));
        let expected = 0;
        const refused = new Set(
          refusals.flatMap(({ estimator, aggregation }) =>
            (aggregation === undefined ? AGGREGATIONS : [aggregation]).map(
              (form) => `${estimator} ${form}`,
            ),
          ),
        );
        window.models.forEach((model, m) => {
          for (const [metric, k] of METRICS) {
            const organic = evaluatedRows(window, m, metric, k, given);
            const randomized = evaluatedRows(window, m, metric, k, given, 'randomized');
            const all = oracleSums(window, organic, randomized, given);
            for (const [name, sums] of Object.entries(all)) {
              const rows = name.startsWith('ure') ? randomized : organic;
              if (!hasWeight(sums) || refused.has(name)) continue;
              expected++;
              const key = `${model} ${metric} ${k} ${name}`;
              const result = byKey.get(key);
              expect(result, key).toBeDefined();
              if (name === 'ips pooled')
                expectIps(result!, sums, rows, scaleOf(window, given)!, key);
              else expectSame(result!, sums, rows, key);
            }
          }
        });
        expect(results.length).toBe(expected);
      }),
      { numRuns: repetitions(50, 200) },
    );
  });
});

function keyOf({ model, metric, k, estimator, aggregation }: Estimate): string {
  return `${model} ${metric} ${k} ${estimator} ${aggregation}`;
}

/** It is no mean of gains, so that it may leave their range, and rests on its weights. */
function expectIps(
  actual: Estimate,
  sums: UserSums,
  rows: EvaluatedRow[][],
  scale: OracleScale,
  key: string,
): void {
  const wanted = summary(sums);
  expect(actual.scale, key).toBe(scale.name);
  expectClose(actual.value, wanted.value, `${key} value`);
  expectClose(actual.ess, ipsSampleSize(rows, scale), `${key} ess`);
  expect(actual.users, `${key} users`).toBe(wanted.users);
  expect(actual.events, key).toBe(rows.flat().length);
  const isNothing = rows.flat().every((row) => row.gain === 0);
  if (isNothing) expect(actual.stdErr).toBe(0);
  else if (wanted.users === 1) expect(actual.stdErr).toBeNaN();
  else expectClose(actual.stdErr, wanted.stdErr, `${key} stdErr`);
}

function expectSame(actual: Estimate, sums: UserSums, rows: EvaluatedRow[][], key: string): void {
  const wanted = summary(sums);
  expectClose(actual.value, wanted.value, `${key} value`);
  expectClose(actual.ess, wanted.ess, `${key} ess`);
  expectClose(actual.numerator / actual.denominator, wanted.value, `${key} ratio`);
  expect(actual.users, `${key} users`).toBe(wanted.users);
  expect(actual.events, key).toBe(rows.flat().length);
  const gains = rows.flat().map((row) => row.gain);
  if (Math.min(...gains) === Math.max(...gains)) expect(actual.stdErr).toBe(0);
  else if (wanted.users === 1) expect(actual.stdErr).toBeNaN();
  else expectClose(actual.stdErr, wanted.stdErr, `${key} stdErr`);
  expect(actual.lower).toBeLessThanOrEqual(actual.value);
  expect(actual.upper).toBeGreaterThanOrEqual(actual.value);
}
