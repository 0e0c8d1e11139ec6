import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedMeanCoefficients } from '../../../src/estimators/interventions/intervened.js';
import { expectedShare, successes } from '../../oracle/poisson-binomial.js';
import { seeded } from '../../oracle/random.js';

function coefficients(chances: number[]): { a: Float64Array; present: number } {
  const size = chances.length;
  const a = new Float64Array(size);
  const needed = new Uint8Array(size).fill(1);
  const present = expectedMeanCoefficients(Float64Array.from(chances), 0, size, needed, a);
  return { a, present };
}

function expectExact(chances: number[], some: number[]): void {
  const { a, present } = coefficients(chances);
  for (const i of some) {
    const expected = expectedShare(chances, i);
    const error = expected === 0 ? Math.abs(a[i]) : Math.abs(a[i] / expected - 1);
    expect(error, `n ${chances.length}, element ${i}`).toBeLessThan(1e-12);
  }
  expect(Math.abs(present - (1 - successes(chances)[0]))).toBeLessThan(1e-13);
}

describe('expectedMeanCoefficients', () => {
  it('equals the exact recursion over subset sizes for up to 24 probabilities', () => {
    const chance = fc.oneof(
      fc.double({ min: 1e-100, max: 1, noNaN: true }),
      fc.constantFrom(0, 1, 1e-9, 1 - 1e-9),
    );
    fc.assert(
      fc.property(fc.array(chance, { minLength: 1, maxLength: 24 }), (chances) => {
        expectExact(chances, [...chances.keys()]);
      }),
      { numRuns: 300 },
    );
  });

  it('equals it for users of up to 200 rows and probabilities of every size', () => {
    const random = seeded(3);
    for (const size of [3, 7, 30, 64, 65, 90, 150, 200]) {
      for (const scale of [1e-6, 0.01, 0.2, 0.6, 1]) {
        const chances = Array.from({ length: size }, () => scale * random());
        expectExact(chances, [0, size >> 1, size - 1]);
      }
      expectExact(new Array<number>(size).fill(1), [0]);
    }
  });

  it('equals it for a user of 1,500 rows', () => {
    const random = seeded(4);
    expectExact(
      Array.from({ length: 1500 }, () => random()),
      [0, 1499],
    );
    expectExact(new Array<number>(1500).fill(0.03), [0]);
  });

  it('sums to the probability that any row is present, even if it is tiny', () => {
    for (const chance of [1e-12, 1e-3, 0.4]) {
      const { a, present } = coefficients([chance, chance / 2, chance / 3, chance / 5]);
      const sum = a.reduce((x, y) => x + y, 0);
      expect(Math.abs(sum / present - 1)).toBeLessThan(1e-13);
    }
  });

  it('gives 0 for a coefficient that is not requested', () => {
    const a = new Float64Array(3).fill(9);
    const pi = Float64Array.of(0.5, 0.5, 0.5);
    expect(expectedMeanCoefficients(pi, 0, 3, Uint8Array.of(0, 1, 0), a)).toBe(0.875);
    expect([a[0], a[2]]).toEqual([0, 0]);
    expect(a[1]).toBeCloseTo(0.875 / 3, 14);
    expect(expectedMeanCoefficients(pi, 1, 1, Uint8Array.of(1, 1, 1), a)).toBe(0);
  });
});
