import { beforeAll, describe, expect, it } from 'vitest';
import { estimateWindow } from '../../src/estimators/lanes/estimate-window.js';
import type { EstimateOptions } from '../../src/estimators/options.js';
import type { EstimateDifference, EstimateRow } from '../../src/estimators/results/estimate.js';
import type { WindowEstimates } from '../../src/estimators/results/window-estimates.js';
import { seeded } from '../oracle/random.js';
import { DEFAULTS } from '../oracle/window.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';
import {
  naiveRecall,
  simulatedCounts,
  simulatedModels,
  simulateWindow,
  trueRecall,
} from './simulated-window.js';

const OPTIONS: EstimateOptions = {
  ...DEFAULTS,
  metrics: ['recall'],
  ks: [1],
  estimators: ['naive', 'snips', 'gs', 'skew', 'wtd_h'],
};

function simulate(users: number, random: () => number, options = OPTIONS): WindowEstimates {
  const part = simulateWindow(users, random);
  return estimateWindow({ part, counts: simulatedCounts, models: simulatedModels, options });
}

type Row = EstimateRow | EstimateDifference;
const keyOf = (row: Row) =>
  `${'reference' in row ? `${row.model} - ${row.reference}` : row.model} ${row.estimator} ${row.form}`;
const rowsOf = ({ results, differences }: WindowEstimates): Row[] => [...results, ...differences];

/** Share of runs whose interval holds the limit, by number. */
function coverage(runs: readonly WindowEstimates[], limits: ReadonlyMap<string, number>) {
  const shares = new Map<string, number>();
  for (const run of runs) {
    for (const row of rowsOf(run)) {
      const limit = limits.get(keyOf(row))!;
      const isIn = row.lower <= limit && limit <= row.upper;
      shares.set(keyOf(row), (shares.get(keyOf(row)) ?? 0) + Number(isIn) / runs.length);
    }
  }
  return shares;
}

/**
 * By how much more a share may be off in the short form: two standard errors of 95 %. At 100 runs an
 * interval that is a quarter too short (covering 86 % and less) falls below the bound of 88.6 % in
 * three of four rows, and the mean over the rows, which has no slack, below its own.
 */
const chance = (runs: number) => (IS_LONG ? 0 : 2 * Math.sqrt((0.95 * 0.05) / runs));

describe('intervals of a simulated log whose truth is known', () => {
  let limits = new Map<string, number>();

  beforeAll(() => {
    // Every estimator's own limit, from a sample so large that its error is a tenth of the others'.
    const large = simulate(200_000, seeded(1));
    limits = new Map(rowsOf(large).map((row) => [keyOf(row), row.value]));
  }, 180_000);

  it('are around limits that are true for pooled SNIPS and biased for naive', () => {
    expect(limits.get('a naive pooled')!).toBeCloseTo(naiveRecall('a'), 2);
    expect(naiveRecall('a') - trueRecall('a')).toBeGreaterThan(0.15);
    expect(limits.get('a snips pooled')!).toBeCloseTo(trueRecall('a'), 2);
  });

  it.each([
    // Users for the effective sample size that is named; runs; bounds of the coverage.
    { ess: 27, users: 54, runs: repetitions(100, 2000), least: 0.92, most: 0.97 },
    { ess: 100, users: 200, runs: repetitions(100, 1500), least: 0.93, most: 0.97 },
    { ess: 1000, users: 2040, runs: repetitions(100, 600), least: 0.93, most: 0.97 },
  ])(
    'cover each estimator’s limit and each difference in 95 % of runs at ESS $ess',
    ({ ess, users, runs, least, most }) => {
      const random = seeded(ess);
      const all = Array.from({ length: runs }, () => simulate(users, random));
      const sizes = all.map(
        ({ effectiveSampleSizes }) =>
          effectiveSampleSizes.find(({ estimator }) => estimator === 'snips')!.users,
      );
      const mean = sizes.reduce((a, b) => a + b, 0) / runs;
      expect(mean / ess).toBeGreaterThan(0.95);
      expect(mean / ess).toBeLessThan(1.05);
      const shares = coverage(all, limits);
      expect(shares.size).toBe(3 * 5 * 2);
      // Over all rows chance is less: intervals that are too wide show here in few runs, too.
      const overall = [...shares.values()].reduce((a, b) => a + b, 0) / shares.size;
      expect(overall).toBeGreaterThan(least);
      expect(overall).toBeLessThan(most);
      const slack = chance(runs);
      for (const [key, share] of shares) {
        // Where two models differ on a handful of rows, 27 users are too few even for Student's t.
        const isHard = ess === 27 && key === 'b - a snips pooled';
        expect(share, key).toBeGreaterThan((isHard ? least - 0.01 : least) - slack);
        expect(share, key).toBeLessThan(most + slack);
      }
    },
    180_000,
  );

  it('cover as often with errors from the bootstrap', () => {
    const random = seeded(5);
    const runs = repetitions(50, 500);
    const options: EstimateOptions = { ...OPTIONS, interval: 'bootstrap', estimators: ['snips'] };
    const all = Array.from({ length: runs }, () => simulate(200, random, options));
    for (const [key, share] of coverage(all, limits)) {
      expect(share, key).toBeGreaterThan(0.92 - chance(runs));
      expect(share, key).toBeLessThan(0.98 + chance(runs));
    }
  }, 180_000);
});
