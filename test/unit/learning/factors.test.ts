import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Factors,
  gradientOf,
  objective,
  startingFactors,
} from '../../../src/commands/train/factors.js';
import {
  ConjugateSweeps,
  evenWeights,
  FACTOR_DEFAULTS,
  factorsInSteps,
  fitFactors,
  lineSearch,
  Sweeps,
} from '../../../src/commands/train/fit-factors.js';
import { type Dense, type DenseFactors, factorObjective } from '../../oracle/learning.js';
import { cellsOf, sparseRatings } from '../../support/sparse-ratings.js';

const SIZE = 2;
const square = (error: number) => error ** 2;

/** Ratings with two users and items at least, and propensities of every pair. */
const aProblem = fc
  .record({
    matrix: fc.array(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 5, maxLength: 5 }), {
      minLength: 4,
      maxLength: 6,
    }),
    lambda: fc.constantFrom(0.001, 0.05, 1),
    seed: fc.integer({ min: 0, max: 1000 }),
  })
  .map(({ matrix, lambda, seed }) => {
    const cells = matrix.map((row, u) => row.map((rating, i) => (u === i ? 3 : rating)));
    const propensity = cells.map((row, u) => row.map((_, i) => (1 + ((3 * u + i) % 5)) / 5));
    const ratings = sparseRatings(cells);
    const weight = cellsOf(ratings, (u, i) => 1 / propensity[u][i]);
    return { cells, propensity, seed, problem: { ratings, weight, lambda } };
  });

function dense({ size, user, item, offset }: Factors): DenseFactors {
  const rows = (side: Float64Array) =>
    Array.from({ length: side.length / (size + 1) }, (_, row) =>
      Array.from(side.subarray(row * (size + 1), (row + 1) * (size + 1))),
    );
  const split = (side: Float64Array) => ({
    factors: rows(side).map((row) => row.slice(0, size)),
    offsets: rows(side).map((row) => row[size]),
  });
  const u = split(user);
  const i = split(item);
  return { v: u.factors, w: i.factors, a: u.offsets, b: i.offsets, c: offset };
}

/** The objective by its definition, of factors moved by some vector. */
function defined(
  factors: Factors,
  cells: Dense,
  propensity: Dense,
  lambda: number,
  move: (k: number) => number = () => 0,
): number {
  const shape = { users: cells.length, items: cells[0].length };
  const moved = new Factors(
    shape,
    factors.size,
    factors.values.map((x, k) => x + move(k)),
  );
  return factorObjective(dense(moved), cells, propensity, lambda, square);
}

describe('a factorisation', () => {
  it('has the objective and gradient of its definition', () => {
    fc.assert(
      fc.property(aProblem, ({ cells, propensity, seed, problem }) => {
        const factors = startingFactors(problem.ratings, SIZE, seed, 3);
        const { lambda } = problem;
        const value = defined(factors, cells, propensity, lambda);
        expect(objective(factors, problem, 'squared')).toBeCloseTo(value, 10);
        const absolute = factorObjective(dense(factors), cells, propensity, lambda, Math.abs);
        expect(objective(factors, problem, 'absolute')).toBeCloseTo(absolute, 10);
        const step = 1e-5;
        gradientOf(factors, problem).forEach((slope, k) => {
          const at = (by: number) =>
            defined(factors, cells, propensity, lambda, (n) => (n === k ? by : 0));
          expect(slope).toBeCloseTo((at(step) - at(-step)) / (2 * step), 5);
        });
      }),
    );
  });

  it('never gets worse by a sweep or a conjugate step', () => {
    fc.assert(
      fc.property(aProblem, ({ seed, problem }) => {
        for (const step of [
          (factors: Factors) => new Sweeps(problem).run(factors),
          (() => {
            const sweeps = new ConjugateSweeps(problem);
            return (factors: Factors) => sweeps.step(factors);
          })(),
        ]) {
          const factors = startingFactors(problem.ratings, SIZE, seed, 3);
          let value = objective(factors, problem, 'squared');
          for (let n = 0; n < 6; n++) {
            step(factors);
            const next = objective(factors, problem, 'squared');
            expect(next).toBeLessThanOrEqual(value * (1 + 1e-12));
            value = next;
          }
        }
      }),
    );
  });

  it('is minimised along a direction by the line search', () => {
    fc.assert(
      fc.property(aProblem, ({ cells, propensity, seed, problem }) => {
        const factors = startingFactors(problem.ratings, SIZE, seed, 3);
        const direction = gradientOf(factors, problem).map((slope) => -slope);
        const { length, objective: value } = lineSearch(factors, direction, problem);
        const at = (s: number) =>
          defined(factors, cells, propensity, problem.lambda, (k) => s * direction[k]);
        expect(value).toBeCloseTo(at(length), 9);
        expect(value).toBeLessThanOrEqual(at(0.9 * length) + 1e-12);
        expect(value).toBeLessThanOrEqual(at(1.1 * length) + 1e-12);
        const uphill = direction.map((slope) => -slope);
        expect(lineSearch(factors, uphill, problem).length).toBe(0);
      }),
    );
  });

  it('converges where the gradient is 0', () => {
    fc.assert(
      fc.property(aProblem, ({ seed, problem }) => {
        const { ratings, weight, lambda } = problem;
        const options = { ...FACTOR_DEFAULTS, size: SIZE, lambda, seed, tolerance: 1e-14 };
        const { factors, isConverged } = fitFactors(ratings, weight, {
          ...options,
          maxSweeps: 5000,
        });
        expect(isConverged).toBe(true);
        for (const slope of gradientOf(factors, problem))
          expect(Math.abs(slope)).toBeLessThan(1e-4);
      }),
    );
  });

  it('with equal propensities has the plain mean squared error as its objective', () => {
    const ratings = sparseRatings([
      [5, 1, 0],
      [4, 0, 2],
    ]);
    const factors = startingFactors(ratings, 0, 1, 3);
    const problem = { ratings, weight: evenWeights(ratings), lambda: 0.1 };
    expect(objective(factors, problem, 'squared')).toBeCloseTo((4 + 4 + 1 + 1) / 4, 12);
  });

  it('with absolute error predicts the median if λ is large', () => {
    const ratings = sparseRatings([
      [1, 1, 5, 0],
      [1, 4, 5, 1],
    ]);
    const fit = fitFactors(ratings, evenWeights(ratings), {
      size: 0,
      lambda: 1e6,
      seed: 1,
      loss: 'absolute',
      maxSweeps: 1,
      tolerance: 1e-6,
    });
    // 1, 1, 1, 1, 4, 5, 5: the mean is 2.57.
    expect(Math.abs(fit.factors.offset - 1)).toBeLessThan(0.01);
    expect(fit.objective).toBeCloseTo((3 + 4 + 4) / 7, 1);
  });

  it('stops when a sweep gains too little, and reports if it did not converge', () => {
    const ratings = sparseRatings([
      [5, 1, 2],
      [4, 3, 2],
      [1, 5, 0],
    ]);
    const weight = evenWeights(ratings);
    const options = { ...FACTOR_DEFAULTS, size: 2, lambda: 0.01, seed: 1, tolerance: 1e-12 };
    const seen: number[] = [];
    const work = factorsInSteps(ratings, weight, { ...options, maxSweeps: 3 });
    let step = work.next();
    for (; step.done !== true; step = work.next()) seen.push(step.value.done);
    expect([step.value.isConverged, step.value.sweeps, seen]).toEqual([false, 3, [1, 2, 3]]);
    expect(fitFactors(ratings, weight, { ...options, maxSweeps: 2000 }).isConverged).toBe(true);
  });

  it.each([
    ['no rating', [[0, 0]], {}, /no rating/],
    ['one user', [[1, 2]], {}, /one user/],
    ['one item', [[1], [2]], {}, /one item/],
    [
      'a negative λ',
      [
        [1, 2],
        [2, 1],
      ],
      { lambda: -1 },
      /lambda must be a number above 0, not -1/,
    ],
    [
      'more factors than users',
      [
        [1, 2],
        [2, 1],
      ],
      { size: 3 },
      /3 factors .* from 0 to 2/,
    ],
  ])('is refused for %s', (_, matrix, given, message) => {
    const ratings = sparseRatings(matrix);
    const options = { ...FACTOR_DEFAULTS, size: 1, lambda: 0.1, seed: 1, ...given };
    expect(() => fitFactors(ratings, evenWeights(ratings), options)).toThrow(message);
  });

  it('is refused for a propensity of 0', () => {
    const ratings = sparseRatings([
      [1, 2],
      [2, 1],
    ]);
    const options = { ...FACTOR_DEFAULTS, size: 1, lambda: 0.1, seed: 1 };
    const weight = Float64Array.of(1, 1 / 0, 1, 1);
    expect(() => fitFactors(ratings, weight, options)).toThrow(
      /propensity 0: expected one above 0/,
    );
  });
});
