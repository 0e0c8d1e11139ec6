import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { naiveBayesPropensity } from '../../../src/estimators/propensity/naive-bayes.js';

const counts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 5, maxLength: 5 });

describe('naive Bayes propensities', () => {
  it('are Bayes’ rule on the two samples', () => {
    // 8 of 100 pairs are rated: P(O) = .08, P(1 | O) = 1/4, P(1) = 3/4.
    const [one, two] = naiveBayesPropensity([2, 6], [3, 1], 100);
    expect(one).toBeCloseTo(((1 / 4) * 0.08) / (3 / 4), 15);
    expect(two).toBeCloseTo(((3 / 4) * 0.08) / (1 / 4), 15);
  });

  it('add up to all pairs over the observed ratings, whatever the random sample says', () => {
    fc.assert(
      fc.property(counts, counts, (chosen, random) => {
        const pairs = 1e6;
        const propensity = naiveBayesPropensity(chosen, random, pairs);
        const sum = chosen.reduce((total, n, r) => total + n / propensity[r], 0);
        expect(Math.abs(sum / pairs - 1)).toBeLessThan(1e-12);
      }),
    );
  });

  it('are the same for all values where ratings were chosen at random', () => {
    for (const p of naiveBayesPropensity([10, 20, 30], [1, 2, 3], 600)) {
      expect(p).toBeCloseTo(0.1, 12);
    }
  });

  it('take κ more random ratings of each value', () => {
    const smoothed = naiveBayesPropensity([2, 6, 1], [3, 1, 0], 100, 2);
    expect([...smoothed]).toEqual([...naiveBayesPropensity([2, 6, 1], [5, 3, 2], 100)]);
  });

  it('smooth the random counts alone: .03 and .18 of two and six chosen, with κ = 1', () => {
    const [one, two] = naiveBayesPropensity([2, 6], [3, 1], 100, 1);
    expect(one).toBeCloseTo(0.03, 15);
    expect(two).toBeCloseTo(0.18, 15);
    expect(2 / one + 6 / two).toBeCloseTo(100, 10);
  });

  it('stay probabilities where a small sample puts them above 1', () => {
    expect([...naiveBayesPropensity([50, 50], [99, 1], 200)][1]).toBe(1);
  });

  it('are 0 for a value that nobody chose', () => {
    expect([...naiveBayesPropensity([0, 1], [0, 4], 10)]).toEqual([0, 0.1]);
  });

  it('are refused where a chosen value is missing from the random sample and nothing smooths', () => {
    expect(() => naiveBayesPropensity([1, 1], [4, 0], 10)).toThrow(/smoothing/);
    expect(() => naiveBayesPropensity([1], [0], 10)).toThrow(/smoothing/);
    expect(() => naiveBayesPropensity([1, 1], [4], 10)).toThrow(/2 values/);
  });
});
