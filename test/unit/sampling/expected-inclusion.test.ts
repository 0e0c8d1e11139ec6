import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  inclusionProbability,
  samplingTime,
  type WeightCells,
} from '../../../src/estimators/interventions/expected-inclusion.js';
import { interventionWeight } from '../../../src/estimators/interventions/intervention-weights.js';
import { finish } from '../../oracle/finish.js';

const solve = (cells: WeightCells, k: number) => finish(samplingTime(cells, k));

function cellsOf(pairs: [weight: number, rows: number][]): WeightCells {
  return {
    cells: pairs.length,
    weight: Float64Array.from(pairs, ([weight]) => weight),
    rows: Float64Array.from(pairs, ([, rows]) => rows),
  };
}

describe('samplingTime', () => {
  it('keeps as many rows as were asked for, over weights of very different size', () => {
    const weight = fc.double({ min: -12, max: 6, noNaN: true }).map((e) => 10 ** e);
    const cell = fc.tuple(weight, fc.integer({ min: 1, max: 1000 }));
    const share = fc.double({ min: 0.001, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 40 }), share, (pairs, part) => {
        const rows = pairs.reduce((sum, [, n]) => sum + n, 0);
        const time = solve(cellsOf(pairs), part * rows);
        const kept = pairs.reduce((sum, [w, n]) => sum + n * inclusionProbability(w, time), 0);
        expect(Math.abs(kept / (part * rows) - 1)).toBeLessThan(1e-11);
      }),
    );
  });

  it('has the closed form of a single weight', () => {
    expect(solve(cellsOf([[2, 10]]), 5)).toBeCloseTo(Math.LN2 / 2, 14);
  });

  it('keeps everything where as many rows are asked for as there are', () => {
    const time = solve(cellsOf([[2, 10]]), 10);
    expect(time).toBe(Number.POSITIVE_INFINITY);
    expect(inclusionProbability(1e-300, time)).toBe(1);
    expect(inclusionProbability(0, time)).toBe(0);
  });

  it('keeps nothing where nothing is asked for', () => {
    expect(solve(cellsOf([[2, 10]]), 0)).toBe(0);
  });
});

describe('interventionWeight', () => {
  it('is the inverse of the smoothed count to the exponent', () => {
    expect(interventionWeight(1.5, 0.5, 2)).toBe(0.25);
  });

  it('leaves a zero count out where it is not smoothed', () => {
    expect(interventionWeight(0, 0, 1)).toBe(0);
    expect(interventionWeight(0, 0.5, 1)).toBe(2);
  });
});
