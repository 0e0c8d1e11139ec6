import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ADDITIVE_METRICS, METRICS } from '../../src/estimators/metrics/registry.js';
import type { EstimatorName } from '../../src/estimators/names.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import type { EstimateRow } from '../../src/estimators/results/estimate.js';
import { GUARANTEES } from '../../src/estimators/uncertainty/guarantees.js';
import { plainWindow, withRanks } from '../oracle/arbitrary.js';
import { ORACLES } from '../oracle/estimators.js';
import { evaluatedRows } from '../oracle/evaluated.js';
import { DEFAULTS, estimate, isOf, type PlainWindow } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';

/** Of all that is named here little is broken for one window and holds for the next. */
const runs = { numRuns: repetitions(4, 18) };

/** What holds for every estimator of the registry, whatever its weights are. */
export function estimatorContract(name: EstimatorName): void {
  const asked: EstimateOptions = {
    ...DEFAULTS,
    estimators: [name],
    metrics: METRICS,
    ks: [1, 3],
    gammaStdErr: 0.3,
    guarantees: GUARANTEES,
  };
  const traffic = ORACLES[name]?.traffic ?? 'organic';
  const isMean = ORACLES[name]?.noMean === undefined;

  /** Results whose estimator was measured on rows at all: a test that never sees one says nothing. */
  function forEach(check: (window: PlainWindow, results: readonly EstimateRow[]) => void): void {
    let seen = 0;
    fc.assert(
      fc.property(plainWindow(), (window) => {
        const { results } = estimate(window, asked);
        seen += results.length;
        check(window, results);
      }),
      runs,
    );
    expect(seen).toBeGreaterThan(0);
  }

  describe(`the estimator ${name}`, () => {
    if (isMean) {
      it('lies between the smallest and largest gain of its rows', () => {
        forEach((window, results) => {
          for (const { model, metric, k, value } of results) {
            const m = window.models.indexOf(model);
            const gains = evaluatedRows(window, m, metric, k, asked, traffic)
              .flat()
              .map(({ gain }) => gain);
            const isSet = !ADDITIVE_METRICS.includes(metric);
            expect(value).toBeGreaterThanOrEqual(isSet ? 0 : Math.min(...gains) - 1e-12);
            expect(value).toBeLessThanOrEqual(isSet ? 1 : Math.max(...gains) + 1e-12);
          }
        });
      });
    }

    it('returns a constant gain without error, and 0 if there is no gain', () => {
      fc.assert(
        fc.property(plainWindow(), fc.nat(11), (window, rank) => {
          const found = estimate(
            withRanks(window, () => rank),
            { ...asked, metrics: ['mrr'] },
          );
          for (const { value, stdErr } of isMean ? found.results : []) {
            expect(value).toBe(1 / (rank + 1));
            expect(stdErr).toBe(0);
          }
          const none = estimate(
            withRanks(window, () => 'absent'),
            { ...asked, metrics: ['mrr'] },
          );
          for (const { value, stdErr } of none.results) expect([value, stdErr]).toEqual([0, 0]);
        }),
        runs,
      );
    });

    it('is the same however users are partitioned', () => {
      fc.assert(
        fc.property(plainWindow(), fc.array(fc.nat(3), { minLength: 9 }), (window, part) => {
          const whole = estimate(window, asked).results;
          const split = estimate(window, asked, (user) => part[user]).results;
          expectSame(split, whole);
        }),
        runs,
      );
    });

    it('has binomial intervals around its value', () => {
      const binomial: EstimateOptions = { ...asked, interval: 'korn-graubard' };
      fc.assert(
        fc.property(plainWindow(), (window) => {
          for (const { value, lower, upper } of estimate(window, binomial).results) {
            expect(lower).toBeGreaterThanOrEqual(0);
            expect(lower).toBeLessThanOrEqual(value);
            // What is not a mean may exceed 1, where its interval ends.
            expect(upper).toBeGreaterThanOrEqual(isMean ? value : Math.min(1, value));
            if (isMean) expect(upper).toBeLessThanOrEqual(1);
          }
        }),
        runs,
      );
    });

    it('gives no estimate for a window without users or without rows of its traffic', () => {
      fc.assert(
        fc.property(plainWindow(), (window) => {
          const nobody = { ...window, users: [] };
          expect(estimate(nobody, asked).results).toEqual([]);
          const others = window.users.map((user) => ({
            ...user,
            rows: user.rows.filter((row) => !isOf(row, traffic)),
          }));
          expect(estimate({ ...window, users: others }, asked).results).toEqual([]);
        }),
        runs,
      );
    });

    it('is finite, with ordered bounds and an error from two users on', () => {
      forEach((_, results) => {
        for (const row of results) {
          const { value, lower, upper, ess, counts, stdErr, more } = row;
          const { gammaSlope, gammaStdErr } = more;
          const { users } = counts;
          const numbers = [value, lower, upper, ess, gammaSlope, gammaStdErr];
          for (const number of numbers) expect(number).toSatisfy(Number.isFinite);
          if (users > 1 && ess > 1 + 1e-6) expect(stdErr).toBeGreaterThanOrEqual(0);
          for (const bound of row.guarantees) {
            expect(bound.lower).toBeLessThanOrEqual(bound.upper);
          }
        }
      });
    });
  });
}

/** Errors are square roots of what rounding leaves of a difference. */
const WITHIN = {
  value: 1e-12,
  ess: 1e-9,
  numerator: 1e-9,
  denominator: 1e-9,
  users: 0,
  rows: 0,
  stdErr: 1e-7,
  samplingStdErr: 1e-7,
  gammaSlope: 1e-9,
} as const;

function expectSame(actual: readonly EstimateRow[], expected: readonly EstimateRow[]): void {
  const keyOf = (row: EstimateRow) =>
    `${row.model} ${row.metric} ${row.k} ${row.estimator} ${row.form}`;
  expect(actual.map(keyOf)).toEqual(expected.map(keyOf));
  actual.forEach((own, r) => {
    const other = expected[r];
    for (const [field, tolerance] of Object.entries(WITHIN)) {
      const of = (row: EstimateRow) => flat(row)[field as keyof typeof WITHIN];
      expectClose(of(own), of(other), tolerance, `${keyOf(own)} ${field}`);
    }
    expect(own.guarantees.map((each) => each.name)).toEqual(
      other.guarantees.map((each) => each.name),
    );
    own.guarantees.forEach(({ lower, upper }, g) => {
      expectClose(lower, other.guarantees[g].lower, 1e-6, `${keyOf(own)} lower bound`);
      expectClose(upper, other.guarantees[g].upper, 1e-6, `${keyOf(own)} upper bound`);
    });
  });
}

/** Its numbers, wherever they stand in it. */
function flat(row: EstimateRow) {
  const { value, ess, stdErr, lower, upper, counts, sums, more } = row;
  return { value, ess, stdErr, lower, upper, ...counts, ...sums, ...more };
}

function expectClose(
  actual: number | undefined,
  expected: number | undefined,
  tolerance: number,
  what: string,
): void {
  if (expected === undefined || Number.isNaN(expected)) {
    expect(actual, what).toBe(expected);
    return;
  }
  const isClose = Math.abs(actual! - expected) <= tolerance * Math.max(1, Math.abs(expected));
  expect(isClose, `${what}: ${actual} should be ${expected}`).toBe(true);
}
