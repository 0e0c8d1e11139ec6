import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pairDesign } from '../../../../src/estimators/propensity/pair-design.js';
import {
  fitFigures,
  weightFigures,
} from '../../../../src/estimators/propensity/propensity-figures.js';
import { comparedPropensities } from '../../../../src/estimators/propensity/used-propensities.js';
import '../../../support/property-runs.js';

const chances = fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), {
  minLength: 3,
  maxLength: 12,
});

describe('figures of learned propensities', () => {
  it('have an effective sample size equal to the sample size if weights are equal', () => {
    expect(weightFigures([0.2, 0.2, 0.2], 15)).toEqual({
      inversePropensity: 1,
      largest: 5,
      ess: 3,
    });
  });

  it('have margins by user and item in which sampled negatives count several times', () => {
    // Two users, two items, the first pair observed; with q = .5 each other pair stands for two.
    const design = { ...pairDesign([[0], []], 2), rate: 0.5 };
    const { margins } = fitFigures(design, [0.5, 0.1, 0.2, 0.3]);
    expect(margins.total).toBeCloseTo(-0.5 + 0.2 + 0.4 + 0.6, 14);
    expect(margins.users).toBeCloseTo(1, 14);
    expect(margins.items).toBeCloseTo(0.8, 14);
  });

  it('give the mean P and the observed share for each tenth of pairs', () => {
    const design = pairDesign(
      [Array.from({ length: 20 }, (_, item) => item).filter((i) => i % 3 === 0)],
      20,
    );
    const propensity = Array.from({ length: 20 }, (_, pair) => (20 - pair) / 40);
    const { reliability } = fitFigures(design, propensity);
    expect(reliability).toHaveLength(10);
    expect(reliability[0]).toEqual({ pairs: 2, expected: (1 / 40 + 2 / 40) / 2, observed: 0.5 });
    expect(reliability[9].observed).toBe(0.5);
  });

  it('find no difference between proportional propensities', () => {
    fc.assert(
      fc.property(chances, fc.double({ min: 0.1, max: 1, noNaN: true }), (one, factor) => {
        const rating = one.map((_, r) => 1 + (r % 5));
        const other = one.map((p) => p * factor);
        const { means, margin } = comparedPropensities(rating, one, other);
        expect(means[1]).toBeCloseTo(means[0], 9);
        expect(margin).toBeLessThan(1e-9);
      }),
    );
  });

  it('report that two propensities disagree in a large sample, but not for noise', () => {
    const rating = Array.from({ length: 2000 }, (_, r) => 1 + (r % 5));
    const even = rating.map(() => 0.1);
    const byRating = rating.map((y) => 0.05 * y);
    expect(comparedPropensities(rating, byRating, even).doDisagree).toBe(true);
    const noise = rating.map((_, r) => ((r * 7919) % 2 === 0 ? 0.1 : 0.11));
    expect(comparedPropensities(rating, noise, even).doDisagree).toBe(false);
  });
});
