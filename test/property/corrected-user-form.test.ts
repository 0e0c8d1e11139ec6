import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EstimateOptions } from '../../src/estimators/options.js';
import { plainWindow } from '../oracle/arbitrary.js';
import { type EvaluatedRow, evaluatedRows, sum, summary, weightOf } from '../oracle/evaluated.js';
import { DEFAULTS, estimate, type PlainWindow } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';

const OPTIONS: EstimateOptions = {
  ...DEFAULTS,
  metrics: ['recall', 'mrr'],
  ks: [3],
  estimators: ['naive', 'snips', 'gs'],
  gamma: 1.3,
};
const CORRECTED: EstimateOptions = { ...OPTIONS, userForm: 'corrected' };

/** R_u + n/(n − 1) (Σ w²λ − R_u Σ w²) / W². */
function correctedValue(rows: readonly EvaluatedRow[], window: PlainWindow): number {
  const weights = rows.map(({ item }) => weightOf(window, item, OPTIONS));
  const over = (f: (w: number, gain: number) => number) =>
    sum(rows.map(({ gain }, r) => f(weights[r], gain)));
  const total = over((w) => w);
  const ratio = over((w, gain) => w * gain) / total;
  const n = rows.length;
  if (n < 2) return ratio;
  const bias = over((w, gain) => w * w * gain) - ratio * over((w) => w * w);
  return ratio + ((n / (n - 1)) * bias) / total ** 2;
}

const isCorrected = (row: { estimator: string; form: string }) =>
  row.estimator === 'snips' && row.form === 'user';

describe('the corrected mean over users', () => {
  it('equals its definition, with the uncorrected mean beside it', () => {
    let moved = 0;
    fc.assert(
      fc.property(plainWindow(), fc.nat(2), (window, parts) => {
        const plain = estimate(window, OPTIONS).results;
        const found = estimate(window, CORRECTED, (user) => user % (parts + 1)).results;
        found.forEach((row, at) => {
          if (!isCorrected(row)) {
            expect(row.value).toBeCloseTo(plain[at].value, 12);
            expect(row.more.uncorrected).toBeUndefined();
            return;
          }
          const m = window.models.indexOf(row.model);
          const users = evaluatedRows(window, m, row.metric, row.k, OPTIONS);
          const gains = users.flat().map(({ gain }) => gain);
          const wanted = summary(
            users.map((rows) => ({ numerator: correctedValue(rows, window), denominator: 1 })),
          );
          const clipped = Math.min(Math.max(...gains), Math.max(Math.min(...gains), wanted.value));
          expect(row.value).toBeCloseTo(clipped, 11);
          if (row.stdErr > 0) expect(row.stdErr).toBeCloseTo(wanted.stdErr, 8);
          expect(row.more.uncorrected).toBeCloseTo(plain[at].value, 12);
          if (Math.abs(row.value - plain[at].value) > 1e-3) moved++;
        });
      }),
      { numRuns: repetitions(25, 100) },
    );
    expect(moved).toBeGreaterThan(20);
  });

  it('has the right slope in γ if the mean is not clipped', () => {
    const at = (window: PlainWindow, gamma: number) =>
      estimate(window, { ...CORRECTED, gamma }).results.filter(isCorrected);
    fc.assert(
      fc.property(plainWindow(), fc.constantFrom(-1, 0.3, 2), (window, gamma) => {
        const [below, here, above] = [-1e-4, 0, 1e-4].map((step) => at(window, gamma + step));
        here.forEach(({ more: { gammaSlope }, value, sums: { numerator, denominator } }, i) => {
          if (Math.abs(numerator / denominator - value) > 1e-12) return;
          if ([below, above].some((rows) => rows[i].value === 0 || rows[i].value === 1)) return;
          const quotient = (above[i].value - below[i].value) / 2e-4;
          expect(Math.abs(gammaSlope - quotient)).toBeLessThan(1e-5);
        });
      }),
      { numRuns: repetitions(15, 60) },
    );
  });

  it('reports the median user’s effective number of rows to 1 %', () => {
    let seen = 0;
    fc.assert(
      fc.property(plainWindow(), fc.nat(2), (window, parts) => {
        const { results } = estimate(window, CORRECTED, (user) => user % (parts + 1));
        for (const row of results.filter(isCorrected)) {
          const m = window.models.indexOf(row.model);
          const sizes = evaluatedRows(window, m, row.metric, row.k, OPTIONS)
            .map((rows) => rows.map(({ item }) => weightOf(window, item, OPTIONS)))
            .map((weights) => sum(weights) ** 2 / sum(weights.map((w) => w * w)))
            .sort((a, b) => a - b);
          const median = sizes[Math.ceil(sizes.length / 2) - 1];
          expect(Math.abs(row.more.withinUserEss! / median - 1)).toBeLessThan(0.01);
          seen++;
        }
      }),
      { numRuns: repetitions(15, 60) },
    );
    expect(seen).toBeGreaterThan(repetitions(20, 50));
  });

  it('equals the plain mean if all weights are equal or users have one row', () => {
    fc.assert(
      fc.property(plainWindow(), (window) => {
        const even = estimate(window, { ...CORRECTED, gamma: -1 }).results;
        const plain = estimate(window, { ...OPTIONS, gamma: -1 }).results;
        for (const [at, { value }] of even.entries()) {
          expect(value).toBeCloseTo(plain[at].value, 12);
        }
        const single = {
          ...window,
          users: window.users.map((user) => ({ ...user, rows: user.rows.slice(0, 1) })),
        };
        const alone = estimate(single, CORRECTED).results;
        const naive = estimate(single, OPTIONS).results;
        for (const [at, { value }] of alone.entries()) expect(value).toBe(naive[at].value);
      }),
      { numRuns: repetitions(10, 40) },
    );
  });
});
