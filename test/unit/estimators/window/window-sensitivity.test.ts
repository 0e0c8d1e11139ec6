import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EstimateOptions } from '../../../../src/estimators/options.js';
import { plainWindow } from '../../../oracle/arbitrary.js';
import { DEFAULTS, estimate, type PlainWindow, windowOf } from '../../../oracle/window.js';
import { repetitions } from '../../../support/repetitions.js';

const POINTS = Array.from({ length: 81 }, (_, p) => -1 + p / 40);

const options: fc.Arbitrary<Partial<EstimateOptions>> = fc
  .record({
    cold: fc.constantFrom('smooth' as const, 'drop' as const),
    smoothing: fc.constantFrom(0, 0.5, 1),
    catalogueSize: fc.constantFrom(12, 13),
  })
  .map((some) => ({
    ...some,
    cold: some.smoothing === 0 ? 'drop' : some.cold,
    estimators: ['naive', 'snips'],
  }));

/** Pooled snips by the estimator itself, at any γ. */
function snips(window: PlainWindow, asked: Partial<EstimateOptions>, gamma: number) {
  const { results } = estimate(window, { ...asked, gamma });
  return (model: string, metric: string, k: number | null) =>
    results.find(
      (row) =>
        row.model === model &&
        row.metric === metric &&
        row.k === k &&
        row.estimator === 'snips' &&
        row.form === 'pooled',
    )?.value;
}

const RUNS = repetitions(12, 300);
// 81 estimates a run; two windows still have a dozen bands each.
const BAND_RUNS = repetitions(2, 100);

describe('what the choice of γ decides in a window', () => {
  it('is the band of what snips gives at each γ, for every measure and model', () => {
    fc.assert(
      fc.property(plainWindow(), options, (window, asked) => {
        const { sensitivity, results } = estimate(window, asked);
        const at = POINTS.map((gamma) => snips(window, asked, gamma));
        const measured = new Set(results.map(({ model, metric, k }) => `${model} ${metric} ${k}`));
        const banded = sensitivity.flatMap(({ metric, k, bands }) =>
          bands.map(({ model }) => `${model} ${metric} ${k}`),
        );
        expect(new Set(banded)).toEqual(measured);
        for (const { metric, k, bands } of sensitivity) {
          for (const { model, lower, upper, naive, equal } of bands) {
            const values = at.map((of) => of(model, metric, k)!);
            expect(naive).toBeCloseTo(values[0], 11);
            expect(equal).toBeCloseTo(values[80], 11);
            expect(lower).toBeCloseTo(Math.min(...values), 11);
            expect(upper).toBeCloseTo(Math.max(...values), 11);
          }
        }
      }),
      { numRuns: BAND_RUNS, seed: 4 },
    );
  });

  it('is where the values of two models, by the estimator, change places', () => {
    let seen = 0;
    fc.assert(
      fc.property(plainWindow({ minCount: 1 }), options, (window, asked) => {
        const { sensitivity } = estimate(window, asked);
        for (const { metric, k, flips } of sensitivity) {
          for (const { below, above, gamma } of flips) {
            const ahead = (own: number) => {
              const of = snips(window, asked, own);
              return of(above, metric, k)! - of(below, metric, k)!;
            };
            expect(Math.abs(ahead(gamma))).toBeLessThan(1e-7);
            expect(ahead(gamma - 1e-4)).toBeLessThan(0);
            expect(ahead(gamma + 1e-4)).toBeGreaterThan(0);
            seen++;
          }
        }
      }),
      { numRuns: RUNS, seed: 9 },
    );
    expect(seen).toBeGreaterThan(0);
  });

  it('does not depend on how users are divided, nor on the slices', () => {
    fc.assert(
      fc.property(plainWindow(), options, (window, asked) => {
        const whole = estimate(window, asked).sensitivity;
        const divided = estimate(window, asked, (user) => user % 3, 2).sensitivity;
        expect(divided.map(({ bands }) => bands)).toEqual(
          whole.map(({ bands }) =>
            bands.map(({ model, ...values }) => {
              const close = Object.entries(values).map(([name, value]) => [
                name,
                expect.closeTo(value, 11),
              ]);
              return { model, ...Object.fromEntries(close) };
            }),
          ),
        );
      }),
      { numRuns: RUNS, seed: 5 },
    );
  });
});

describe('the rare items that nothing of a list reaches', () => {
  it('take from pooled snips what their share of the weight is, and gain nothing', () => {
    let seen = 0;
    fc.assert(
      fc.property(plainWindow(), options, (window, asked) => {
        const { sensitivity } = estimate(window, asked);
        const { gamma } = { ...DEFAULTS, ...asked };
        const whole = snips(window, asked, gamma);
        const countOf = (item: number) => window.popularity[item] || (asked.smoothing ?? 0.5);
        for (const { metric, k, tails } of sensitivity) {
          for (const { model, below, weight, expected } of tails) {
            const users = window.users.map((user) => ({
              ...user,
              rows: user.rows.filter(({ item }) => countOf(item) >= below),
            }));
            const above = snips({ ...window, users }, asked, gamma)(model, metric, k)!;
            expect(whole(model, metric, k)).toBeCloseTo((1 - weight) * above, 11);
            expect(expected > 0).toBe(weight > 0);
            seen += Number(weight > 0);
          }
        }
      }),
      { numRuns: RUNS, seed: 6 },
    );
    expect(seen).toBeGreaterThan(0);
  });

  it('are those below the least popular item of a hit, with the hits expected there', () => {
    const recall = { metrics: ['recall' as const], ks: [1], estimators: ['snips' as const] };
    const { tails } = estimate(twoModels(), { ...recall, gamma: 1 }).sensitivity[0];
    expect(tails).toEqual([
      { model: 'head', below: 100, weight: expect.closeTo(10 / 10.9, 12), expected: 5 },
      { model: 'tail', below: 1, weight: 0, expected: 0 },
    ]);
  });
});

/** Items counted once and 100 times; one model has the hits of the head, the other of the tail. */
function twoModels(): PlainWindow {
  const window = windowOf(
    [1, 100],
    Array.from({ length: 100 }, (_, u) => [[u < 10 ? 0 : 1, 0]]),
  );
  window.models = ['head', 'tail'];
  window.users.forEach(({ rows: [row] }, u) => {
    row.lists = [row.lists[0], row.lists[0]];
    // 45 of 90 rows of the head against 9 of 10 rows of the tail: level at 100^−β = 1/5.
    row.ranks = u < 10 ? ['absent', u < 9 ? 0 : 'absent'] : [u % 2 === 0 ? 0 : 'absent', 'absent'];
  });
  return window;
}

describe('flips of two models', () => {
  const recall = { metrics: ['recall' as const], ks: [1], estimators: ['snips' as const] };

  it('are found beyond [−1, 1] up to the γ in use and its interval, where the bands do not go', () => {
    const window = twoModels();
    // 45 · 100^−β = 9 at β = ln 5 / ln 100.
    const gamma = (2 * Math.log(5)) / Math.log(100) - 1;
    expect(estimate(window, recall).sensitivity[0].flips).toEqual([
      { below: 'head', above: 'tail', gamma: expect.closeTo(gamma, 7), isOfLeaders: true },
    ]);
    // The same at 2.9^−β = 1/5, where β is above 1.
    window.popularity = [1, 2.9];
    const beyond = (2 * Math.log(5)) / Math.log(2.9) - 1;
    expect(beyond).toBeGreaterThan(1);
    const at = (own: Partial<EstimateOptions>) =>
      estimate(window, { ...recall, ...own }).sensitivity[0];
    expect(at({ gamma: 0.5 }).flips).toEqual([]);
    expect(at({ gamma: 0.5, gammaStdErr: 1 }).flips).toHaveLength(1);
    expect(at({ gamma: 3 }).flips[0].gamma).toBeCloseTo(beyond, 7);
    expect(at({ gamma: 3 }).bands).toEqual(at({ gamma: 0.5 }).bands);
  });

  it('are not given for a model whose estimate is withheld, nor is its band', () => {
    const window = twoModels();
    for (const { rows } of window.users) rows[0].cause = 'elsewhere';
    const all = { ...recall, feedback: 'withhold' as const };
    expect(estimate(window, all).sensitivity).toEqual([]);
    const cautious = { ...recall, feedback: 'caution' as const };
    expect(estimate(window, cautious).sensitivity[0].bands).toHaveLength(2);
  });
});
