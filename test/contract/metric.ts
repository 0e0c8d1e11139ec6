import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measures } from '../../src/estimators/metrics/metric-gain.js';
import { type Metric, metricOf } from '../../src/estimators/metrics/registry.js';
import type { EstimateRow } from '../../src/estimators/results/estimate.js';
import { ESTIMATORS, estimatorOf } from '../../src/estimators/rules/registry.js';
import { LIST_FULL } from '../../src/state/panes/window-part.js';
import { plainWindow } from '../oracle/arbitrary.js';
import { estimate, type PlainWindow } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';

const ITEMS = 12;
const KS = [1, 3];
const runs = { numRuns: repetitions(6, 30) };

/** What holds for every metric of the registry. */
export function metricContract(name: Metric): void {
  const entry = metricOf(name);
  const asked = { metrics: [name], ks: KS, estimators: ESTIMATORS };

  /** Values of naive by user for one user with some relevant items of a list of 12, by cut-off. */
  function valuesAt(ranks: readonly (number | 'absent')[]): Map<number | null, number> {
    const { results } = estimate(userWith(ranks), { ...asked, estimators: ['naive'] });
    const own = results.filter(({ form: aggregation }) => aggregation === 'user');
    return new Map(own.map(({ k, value }) => [k, value]));
  }

  describe(`the metric ${name}`, () => {
    it('is given at the cut-offs of the registry', () => {
      const forms = measures([name], KS).map(({ k }) => k);
      expect([...valuesAt([0]).keys()]).toEqual(forms);
      expect(forms.length).toBeGreaterThan(0);
    });

    it('is greatest at the first rank, never rises with the rank, and is 0 outside the list', () => {
      for (const [k, first] of valuesAt([0])) {
        expect(first).toBeGreaterThan(0);
        expect(first).toBeLessThanOrEqual(1);
        let before = first;
        for (let rank = 1; rank < ITEMS; rank++) {
          const value = valuesAt([rank]).get(k)!;
          expect(value).toBeLessThanOrEqual(before);
          expect(value).toBeGreaterThanOrEqual(0);
          if (k !== null && rank >= k) expect(value).toBe(0);
          before = value;
        }
        expect(valuesAt(['absent']).get(k)).toBe(0);
      }
    });

    it('is within 0 and 1 under every estimator that is a weighted mean', () => {
      let seen = 0;
      fc.assert(
        fc.property(plainWindow(), (window) => {
          for (const { value, estimator } of estimate(window, asked).results) {
            seen++;
            expect(value).toBeGreaterThanOrEqual(0);
            // What divides by absolute propensities is not a mean.
            if (estimatorOf(estimator).needs.scale === undefined) {
              expect(value).toBeLessThanOrEqual(1);
            } else expect(value).toSatisfy(Number.isFinite);
          }
        }),
        runs,
      );
      expect(seen).toBeGreaterThan(0);
    });

    it('is never both refused and given under an estimator', () => {
      fc.assert(
        fc.property(plainWindow({ minCount: 1 }), (window) => {
          const { results, refusals } = estimate(window, asked);
          const given = new Set(results.map((row: EstimateRow) => row.estimator));
          for (const { estimator, metric, aggregation } of refusals) {
            if (aggregation !== undefined) continue;
            expect(metric === undefined || metric === name).toBe(true);
            expect(given.has(estimator), `${estimator} is refused and given`).toBe(false);
          }
          if (entry.kind !== 'set') {
            expect(refusals.filter(({ metric }) => metric === name)).toEqual([]);
          }
        }),
        runs,
      );
    });
  });
}

function userWith(ranks: readonly (number | 'absent')[]): PlainWindow {
  const popularity = Array<number>(ITEMS).fill(1);
  return {
    models: ['m'],
    popularity,
    interactions: popularity,
    ids: [...'abcdefghijkl'],
    users: [
      {
        count: ranks.length,
        rows: ranks.map((rank, item) => ({
          item,
          positive: true,
          ranks: [rank],
          lists: [{ length: ITEMS, candidates: LIST_FULL }],
        })),
      },
    ],
  };
}
