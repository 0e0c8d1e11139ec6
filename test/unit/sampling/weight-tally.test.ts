import { describe, expect, it } from 'vitest';
import {
  inclusionProbability,
  samplingTime,
} from '../../../src/estimators/interventions/expected-inclusion.js';
import { hash53 } from '../../../src/estimators/interventions/sampling-key.js';
import { WeightTally } from '../../../src/estimators/interventions/weight-tally.js';

const weights = Array.from({ length: 20_000 }, (_, n) => 10 ** (6 * (hash53(1, 0, n) / 2 ** 53)));

describe('a tally of weights', () => {
  it('keeps the number of rows and their sum, in ascending cells', () => {
    const tally = new WeightTally();
    for (const weight of weights) tally.add(weight);
    tally.add(0);
    const { cells, weight, rows } = tally.cells();
    expect(tally.zeros).toBe(1);
    expect(rows.reduce((a, b) => a + b)).toBe(weights.length);
    const sum = weight.reduce((total, w, c) => total + w * rows[c], 0);
    expect(sum / weights.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    for (let c = 1; c < cells; c++) expect(weight[c]).toBeGreaterThan(weight[c - 1]);
  });

  it('gives the sampling time of the single weights', () => {
    const tally = new WeightTally();
    for (const weight of weights) tally.add(weight);
    const single = {
      cells: weights.length,
      weight: Float64Array.from(weights),
      rows: new Float64Array(weights.length).fill(1),
    };
    const exact = samplingTime(single, 9000);
    const binned = samplingTime(tally.cells(), 9000);
    expect(Math.abs(binned / exact - 1)).toBeLessThan(1e-8);
    const kept = weights.reduce((sum, w) => sum + inclusionProbability(w, binned), 0);
    expect(kept).toBeCloseTo(9000, 4);
  });
});
