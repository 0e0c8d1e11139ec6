import { describe, expect, it } from 'vitest';
import {
  kornGraubard,
  type WeightedMean,
} from '../../../../src/estimators/uncertainty/korn-graubard.js';

const Z = 1.959963984540054;

/** 100 users of one row each, x of them hit. */
const binomial = (x: number, some: Partial<WeightedMean> = {}): WeightedMean => ({
  value: x / 100,
  stdErr: Math.sqrt(((x / 100) * (1 - x / 100)) / 99),
  gammaStdErr: 0,
  userEss: 100,
  rowEss: 100,
  hits: x,
  misses: 100 - x,
  squaredGain: 1,
  isConstant: x === 0 || x === 100,
  isCertain: false,
  ...some,
});

describe('kornGraubard', () => {
  it('is Clopper and Pearson’s interval for few hits, and Wilson’s otherwise', () => {
    // Tables: 3 of 100 and, by Wilson, 40 of 100.
    const [low, high] = kornGraubard(binomial(3, { stdErr: 0 }), Z);
    expect([low, high]).toEqual([expect.closeTo(0.00623, 5), expect.closeTo(0.08518, 5)]);
    const [lower, upper] = kornGraubard(binomial(40, { stdErr: 0 }), Z);
    expect([lower, upper]).toEqual([expect.closeTo(0.30938, 4), expect.closeTo(0.498, 4)]);
  });

  it('is one-sided at 0 and 1, unless every hit was certain', () => {
    expect(kornGraubard(binomial(0), Z)).toEqual([0, expect.closeTo(0.03622, 5)]);
    expect(kornGraubard(binomial(100), Z)).toEqual([expect.closeTo(0.96378, 5), 1]);
    expect(kornGraubard(binomial(100, { isCertain: true }), Z)).toEqual([1, 1]);
    // That an item outside of such a list was found shows that a hit was not certain.
    expect(kornGraubard(binomial(0, { isCertain: true }), Z)[1]).toBeGreaterThan(0.03);
  });

  it('assumes at least the error of independent rows while hits are few', () => {
    const few = binomial(5, { stdErr: 1e-4 });
    expect(kornGraubard(few, Z)).toEqual(kornGraubard(binomial(5, { stdErr: 0 }), Z));
    const many = { ...few, hits: 120, misses: 120 };
    expect(kornGraubard(many, Z)[1]).toBeLessThan(0.0503);
    // Rows of one user are one row while hits are few.
    const clustered = binomial(5, { stdErr: 0, userEss: 20 });
    expect(kornGraubard(clustered, Z)[1]).toBeGreaterThan(0.2);
    expect(kornGraubard({ ...clustered, hits: 12 }, Z)).toEqual(
      kornGraubard(binomial(5, { stdErr: 0 }), Z),
    );
  });
});
