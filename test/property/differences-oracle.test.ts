import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EstimateOptions } from '../../src/estimators/options.js';
import { plainWindow } from '../oracle/arbitrary.js';
import { evaluatedRows, sum, weightOf } from '../oracle/evaluated.js';
import { DEFAULTS, estimate, type PlainWindow } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';

const OPTIONS: EstimateOptions = {
  ...DEFAULTS,
  metrics: ['dcg'],
  ks: [3],
  estimators: ['naive', 'snips'],
  gamma: 1.3,
};

/** Σ wλ and Σ w of each user of the window, 0 for those whom the model does not rank. */
function pooledSums(window: PlainWindow, model: number, weighted: boolean) {
  const sums = window.users.map(() => ({ n: 0, d: 0 }));
  for (const row of evaluatedRows(window, model, 'dcg', 3, OPTIONS).flat()) {
    const weight = weighted ? weightOf(window, row.item, OPTIONS) : 1;
    sums[row.user].n += weight * row.gain;
    sums[row.user].d += weight;
  }
  return sums;
}

/** The paired difference and its error, straight from the influence functions. */
function difference(window: PlainWindow, weighted: boolean) {
  const [first, second] = [0, 1].map((m) => {
    const sums = pooledSums(window, m, weighted);
    const total = sum(sums.map(({ d }) => d));
    const value = sum(sums.map(({ n }) => n)) / total;
    return {
      value,
      influence: sums.map(({ n, d }) => (n - value * d) / total),
      used: sums.map(({ d }) => d > 0),
      ess: total ** 2 / sum(sums.map(({ d }) => d * d)),
    };
  });
  const users = window.users.filter((_, u) => first.used[u] || second.used[u]).length;
  const ess = Math.min(first.ess, second.ess);
  const squares = sum(first.influence.map((own, u) => (second.influence[u] - own) ** 2));
  const stdErr = Math.sqrt(((users - 1) / users) * squares) / (1 - 1 / ess);
  return { value: second.value - first.value, stdErr, ess, users };
}

describe('differences between models', () => {
  it('are differences of values with the error of paired influence functions', () => {
    fc.assert(
      fc.property(plainWindow(), fc.nat(2), (window, parts) => {
        const { differences } = estimate(window, OPTIONS, (user) => user % (parts + 1));
        for (const estimator of ['naive', 'snips'] as const) {
          const actual = differences.find(
            (row) => row.estimator === estimator && row.form === 'pooled' && row.k === 3,
          );
          const expected = difference(window, estimator === 'snips');
          if (actual === undefined) {
            expect(expected.value).toBeNaN();
            continue;
          }
          expect(actual).toMatchObject({ model: 'second', reference: 'first' });
          expect(actual.counts.users).toBe(expected.users);
          expect(Math.abs(actual.value - expected.value)).toBeLessThan(1e-12);
          expect(actual.ess / expected.ess).toBeCloseTo(1, 9);
          if (expected.ess < 1 + 1e-6) continue;
          const scale = 1 / (1 - 1 / expected.ess);
          expect(Math.abs(actual.stdErr - expected.stdErr)).toBeLessThan(2e-7 * scale);
        }
      }),
      { numRuns: repetitions(37, 150) },
    );
  });

  it('are exactly zero between a model and its copy, and change sign with the reference', () => {
    fc.assert(
      fc.property(plainWindow(), (window) => {
        const doubled: PlainWindow = {
          ...window,
          models: ['a', 'b', 'c'],
          users: window.users.map(({ rows, ...user }) => ({
            ...user,
            rows: rows.map((row) => ({
              ...row,
              ranks: [row.ranks[0], row.ranks[0], row.ranks[1]],
              lists: [row.lists[0], row.lists[0], row.lists[1]],
            })),
          })),
        };
        const given = estimate(doubled, OPTIONS).differences;
        for (const { value, stdErr, ess } of given.filter(({ model }) => model === 'b')) {
          expect(value).toBe(0);
          if (ess > 1 + 1e-6) expect(stdErr).toBe(0);
        }
        const swapped = estimate(doubled, { ...OPTIONS, reference: 'c' }).differences;
        const own = given.filter(({ model }) => model === 'c');
        const other = swapped.filter(({ model }) => model === 'a');
        expect(own.length).toBe(other.length);
        own.forEach(({ value, lower, counts: { users } }, at) => {
          expect(value).toBeCloseTo(-other[at].value, 12);
          expect(lower).toBeCloseTo(-other[at].upper, 6);
          expect(users).toBe(other[at].counts.users);
        });
      }),
      { numRuns: repetitions(15, 60) },
    );
  });

  it('are not given against a model without lists', () => {
    fc.assert(
      fc.property(plainWindow(), (window) => {
        expect(estimate(window, { ...OPTIONS, reference: 'nobody' }).differences).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });
});
