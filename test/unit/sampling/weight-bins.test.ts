import { describe, expect, it } from 'vitest';
import {
  samplingTime,
  samplingTimeOf,
} from '../../../src/estimators/interventions/expected-inclusion.js';
import { hash53 } from '../../../src/estimators/interventions/sampling-key.js';
import { WeightBins } from '../../../src/estimators/interventions/weight-bins.js';

function binned(weights: readonly number[]): WeightBins {
  const bins = new WeightBins();
  for (const weight of weights) bins.add(weight, 1);
  return bins;
}

function exactly(weights: readonly number[]) {
  const rows = new Float64Array(weights.length).fill(1);
  return { cells: weights.length, weight: Float64Array.from(weights), rows };
}

describe('binned moments of weights', () => {
  const SPREAD = Array.from({ length: 20_000 }, (_, n) => 10 ** (8 * (hash53(1, 0, n) / 2 ** 53)));

  for (const share of [0.001, 0.1, 0.5, 0.9, 0.999]) {
    it(`give the sampling time of the single weights, ${share} of the rows`, () => {
      const k = share * SPREAD.length;
      const exact = samplingTime(exactly(SPREAD), k);
      const time = samplingTimeOf(binned(SPREAD), k);
      expect(Math.abs(time / exact - 1)).toBeLessThan(2e-12);
    });
  }
});
