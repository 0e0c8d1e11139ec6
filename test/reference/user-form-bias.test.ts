import { describe, expect, it } from 'vitest';
import { estimateWindow } from '../../src/estimators/lanes/estimate-window.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import { seeded } from '../oracle/random.js';
import { DEFAULTS } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';
import { drawRareWindow, RARE_MODELS, type RareWorld, rareCounts } from './rare-hits-window.js';

const zipf = (s: number) => Array.from({ length: 100 }, (_, i) => Math.ceil(300 * (i + 1) ** -s));
/** Model a hits what is popular, model b what is not. */
const RATES: RareWorld['rates'] = [
  (n) => (0.6 * Math.log(n + 1)) / Math.log(301),
  (n) => 0.4 * (1 - Math.log(n) / Math.log(400)),
];

/** Items are observed in proportion to n^β, and are all alike relevant. */
function worldOf(
  skew: number | readonly number[],
  gamma: number,
  rows: RareWorld['rows'],
  users: number,
): RareWorld {
  const popularity = typeof skew === 'number' ? zipf(skew) : skew;
  return {
    users,
    rows,
    popularity,
    exponent: (gamma + 1) / 2,
    rates: RATES,
    spread: 0.5,
    shared: 0,
  };
}

const truths = ({ popularity, rates }: RareWorld) =>
  rates.map((rate) => popularity.reduce((sum, n) => sum + rate(n), 0) / popularity.length);

/** By model: the mean relative error, its standard error, and the share of intervals that hold. */
function errorsOf(world: RareWorld, gamma: number, userForm: 'plain' | 'corrected', runs: number) {
  const random = seeded(17);
  const options: EstimateOptions = {
    ...DEFAULTS,
    metrics: ['recall'],
    ks: [1],
    estimators: ['snips'],
    gamma,
    userForm,
    interval: 'korn-graubard',
  };
  const found = truths(world).map(() => ({ bias: 0, variance: 0, held: 0, size: Number.NaN }));
  for (let run = 0; run < runs; run++) {
    const part = drawRareWindow(world, random);
    const { results } = estimateWindow({
      part,
      counts: rareCounts(world),
      models: RARE_MODELS,
      options,
    });
    for (const row of results.filter(({ form: aggregation }) => aggregation === 'user')) {
      const m = RARE_MODELS.indexOf(row.model);
      const truth = truths(world)[m];
      found[m].bias += (row.value / truth - 1) / runs;
      found[m].variance += (row.stdErr / truth / runs) ** 2;
      found[m].held += Number(row.lower <= truth && truth <= row.upper) / runs;
      found[m].size = row.more.withinUserEss ?? Number.NaN;
    }
  }
  return found;
}

/** Coverage in the short form by three standard errors less. */
const RUNS = repetitions(20, 400);
const LEAST = 0.87 - (RUNS < 100 ? 3 * Math.sqrt((0.93 * 0.07) / RUNS) : 0);

describe('the mean over users by corrected snips', () => {
  it.each([
    { skew: 0.7, gamma: 1, rows: [10, 20] as const },
    { skew: 0.7, gamma: 2, rows: [20, 60] as const },
    { skew: 1, gamma: 1, rows: [20, 60] as const },
    { skew: 1, gamma: 2, rows: [30, 60] as const },
  ])(
    'is within 3 % of the truth from five effective rows on: Zipf $skew, γ = $gamma',
    ({ skew, gamma, rows }) => {
      const world = worldOf(skew, gamma, rows, 200);
      for (const { bias, variance, held, size } of errorsOf(world, gamma, 'corrected', RUNS)) {
        expect(size).toBeGreaterThan(5);
        expect(Math.abs(bias)).toBeLessThan(0.03 + 2 * Math.sqrt(variance));
        expect(held).toBeGreaterThanOrEqual(LEAST);
      }
    },
    180_000,
  );

  it('is within 3 % of the truth also if popularity has two tiers', () => {
    const tiers = Array.from({ length: 100 }, (_, i) => (i < 20 ? 300 : 20));
    const world = worldOf(tiers, 1.5, [20, 60], 200);
    for (const { bias, variance, held, size } of errorsOf(world, 1.5, 'corrected', RUNS)) {
      expect(size).toBeGreaterThan(5);
      expect(Math.abs(bias)).toBeLessThan(0.03 + 2 * Math.sqrt(variance));
      expect(held).toBeGreaterThanOrEqual(LEAST);
    }
  });

  it('has less than half the bias of the plain form', () => {
    const world = worldOf(1, 2, [30, 60], 2000);
    const runs = repetitions(3, 40);
    const plain = errorsOf(world, 2, 'plain', runs);
    const corrected = errorsOf(world, 2, 'corrected', runs);
    expect(plain[0].bias).toBeGreaterThan(0.035);
    expect(Math.abs(corrected[0].bias)).toBeLessThan(plain[0].bias / 2);
  });

  it('stays biased below five effective rows, which it reports', () => {
    const world = worldOf(1, 2, [10, 20], 1500);
    const [a] = errorsOf(world, 2, 'corrected', repetitions(2, 20));
    expect(a.size).toBeLessThan(5);
    expect(a.bias).toBeGreaterThan(0.08);
  });
});

describe('the mean over users by gs', () => {
  it('has a ratio bias with few rows per user that pooled gs does not have', () => {
    const apart = (rows: RareWorld['rows'], runs: number) => {
      const world = worldOf(1, 2, rows, 300);
      const random = seeded(23);
      const options: EstimateOptions = {
        ...DEFAULTS,
        metrics: ['recall'],
        ks: [1],
        estimators: ['gs'],
        gamma: 2,
        strataScheme: 'log',
      };
      const sums = { user: 0, pooled: 0 };
      for (let run = 0; run < runs; run++) {
        const part = drawRareWindow(world, random);
        const { results } = estimateWindow({
          part,
          counts: rareCounts(world),
          models: RARE_MODELS,
          options,
        });
        for (const { model, form: aggregation, value } of results) {
          if (model === RARE_MODELS[0]) sums[aggregation] += value / runs;
        }
      }
      return (sums.user - sums.pooled) / truths(world)[0];
    };
    const runs = repetitions(8, 100);
    expect(apart([10, 20], runs)).toBeGreaterThan(0.08);
    expect(Math.abs(apart([30, 60], runs))).toBeLessThan(0.06);
    // It does not come of gs, nor of weights: there is no ratio of few rows in large users.
    expect(Math.abs(apart([400, 500], repetitions(2, 20)))).toBeLessThan(0.02);
  });
});
