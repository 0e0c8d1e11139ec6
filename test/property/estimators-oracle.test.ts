import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measures } from '../../src/estimators/metrics/metric-gain.js';
import { ADDITIVE_METRICS, METRICS, ofSets } from '../../src/estimators/metrics/registry.js';
import { AGGREGATIONS } from '../../src/estimators/names.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import type { EstimateRow } from '../../src/estimators/results/estimate.js';
import { ESTIMATORS } from '../../src/estimators/rules/registry.js';
import { plainWindow } from '../oracle/arbitrary.js';
import type { Chance, EstimatorOracle, OracleRows } from '../oracle/estimator-oracle.js';
import { ORACLES } from '../oracle/estimators.js';
import { evaluatedRows, summary, type UserSums } from '../oracle/evaluated.js';
import { METRIC_ORACLES } from '../oracle/metrics.js';
import { setUser } from '../oracle/set-metrics.js';
import { DEFAULTS, estimate } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';

const KS = [1, 3];

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
    estimators: ESTIMATORS,
    metrics: ADDITIVE_METRICS,
    ks: KS,
  }));

const SET_METRICS = ofSets(METRICS).map(([name]) => name);
const EVERY = ESTIMATORS.map((name) => [name, ORACLES[name]!] as const);

function expectClose(actual: number, expected: number, what: string, tolerance = 1e-9): void {
  const isClose = Math.abs(actual - expected) <= tolerance * Math.max(1, Math.abs(expected));
  expect(isClose, `${what}: ${actual} should be ${expected}`).toBe(true);
}

const hasWeight = (sums: UserSums) => sums.some(({ denominator }) => denominator > 0);

describe('every name in the registry', () => {
  it.each(ESTIMATORS)('%s has its definition among the oracles', (name) => {
    expect(ORACLES[name]).toBeDefined();
  });

  it.each(METRICS)('%s has its definition among the oracles', (name) => {
    expect(METRIC_ORACLES[name]).toBeDefined();
  });
});

describe('every metric of a user’s whole set', () => {
  it('is the per-user expectation over all sets that can be drawn', () => {
    fc.assert(
      fc.property(plainWindow(), options, (window, given) => {
        const asked = { ...given, metrics: SET_METRICS, ks: KS };
        const found = estimate(window, asked);
        const byKey = new Map(found.results.map((result) => [keyOf(result), result]));
        let expected = 0;
        const refused = new Set(found.refusals.map(({ estimator }) => estimator));
        const chances = new Map<string, Chance>();
        for (const [name, { chance }] of EVERY) {
          if (refused.has(name)) continue;
          expect(chance, `${name} is given, and has no sets`).toBeDefined();
          chances.set(name, chance!({ window, options: given, found }));
        }
        window.models.forEach((model, m) => {
          for (const { metric, k } of measures(SET_METRICS, KS)) {
            const rows = evaluatedRows(window, m, metric, k, given);
            if (rows.length === 0) continue;
            for (const [name, chance] of chances) {
              const sums = setUser(metric, k!, rows, chance);
              if (!hasWeight(sums)) continue;
              expected++;
              const key = `${model} ${metric} ${k} ${name} user`;
              const actual = byKey.get(key);
              expect(actual, key).toBeDefined();
              const wanted = summary(sums);
              const { tolerance } = ORACLES[actual!.estimator]!;
              expectClose(actual!.value, wanted.value, `${key} value`, tolerance);
              expectClose(actual!.ess, wanted.ess, `${key} ess`, tolerance);
              expect(actual!.counts.users, `${key} users`).toBe(wanted.users);
              if (wanted.users === 1) expect(actual!.stdErr).toBeNaN();
              else expectClose(actual!.stdErr, wanted.stdErr, `${key} stdErr`, tolerance);
            }
          }
        });
        expect(found.results.length).toBe(expected);
        for (const own of SET_METRICS) {
          expect(found.refusals.filter(({ metric }) => metric === own).length).toBeGreaterThan(1);
        }
      }),
      { numRuns: repetitions(8, 150) },
    );
  });
});

describe('every estimator', () => {
  it('gives the value, standard error, users and sample size of its oracle', () => {
    fc.assert(
      fc.property(plainWindow(), options, (window, given) => {
        const found = estimate(window, given);
        const byKey = new Map(found.results.map((result) => [keyOf(result), result]));
        let expected = 0;
        const refused = new Set(
          found.refusals.flatMap(({ estimator, aggregation }) =>
            (aggregation === undefined ? AGGREGATIONS : [aggregation]).map(
              (form) => `${estimator} ${form}`,
            ),
          ),
        );
        window.models.forEach((model, m) => {
          for (const { metric, k } of measures(ADDITIVE_METRICS, KS)) {
            const rowsOf = {
              organic: evaluatedRows(window, m, metric, k, given),
              randomized: evaluatedRows(window, m, metric, k, given, 'randomized'),
            };
            for (const [name, oracle] of EVERY) {
              const rows = rowsOf[oracle.traffic ?? 'organic'];
              for (const form of AGGREGATIONS) {
                if (refused.has(`${name} ${form}`)) continue;
                const what = { window, options: given, found, rows };
                const sums = oracle[form]!(what);
                if (!hasWeight(sums)) continue;
                expected++;
                const key = `${model} ${metric} ${k} ${name} ${form}`;
                const result = byKey.get(key);
                expect(result, key).toBeDefined();
                expectSame(result!, sums, oracle, what, key);
              }
            }
          }
        });
        expect(found.results.length).toBe(expected);
      }),
      { numRuns: repetitions(10, 200) },
    );
  });
});

function keyOf({ model, metric, k, estimator, form: aggregation }: EstimateRow): string {
  return `${model} ${metric} ${k} ${estimator} ${aggregation}`;
}

function expectSame(
  actual: EstimateRow,
  sums: UserSums,
  oracle: EstimatorOracle,
  given: OracleRows,
  key: string,
): void {
  const wanted = summary(sums);
  const { tolerance } = oracle;
  expectClose(actual.value, wanted.value, `${key} value`, tolerance);
  expect(actual.counts.users, `${key} users`).toBe(wanted.users);
  expect(actual.counts.rows, key).toBe(given.rows.flat().length);
  const gains = given.rows.flat().map((row) => row.gain);
  // Of what is not a mean of gains the number of rows varies, if they gain anything.
  const isConstant =
    Math.min(...gains) === Math.max(...gains) && (!oracle.noMean || gains[0] === 0);
  if (isConstant) expect(actual.stdErr).toBe(0);
  else if (wanted.users === 1) expect(actual.stdErr).toBeNaN();
  else expectClose(actual.stdErr, wanted.stdErr, `${key} stdErr`, tolerance);
  if (oracle.noMean) {
    // It may leave the range of the gains, and rests on its weights.
    expectClose(actual.ess, oracle.noMean.ess(given), `${key} ess`);
    expect(given.found.absoluteScale?.scale, key).toBe(oracle.noMean.scale(given));
    return;
  }
  expectClose(actual.ess, wanted.ess, `${key} ess`, tolerance);
  expectClose(
    actual.sums.numerator / actual.sums.denominator,
    wanted.value,
    `${key} ratio`,
    tolerance,
  );
  expect(actual.lower).toBeLessThanOrEqual(actual.value);
  expect(actual.upper).toBeGreaterThanOrEqual(actual.value);
}
