import { describe, expect, it } from 'vitest';
import { responseLevels } from '../../../../src/estimators/propensity/response-levels.js';
import { splitFit } from '../../../../src/estimators/propensity/split-fit.js';
import { poisson } from '../../../oracle/poisson.js';
import { seeded } from '../../../oracle/random.js';
import { splitFitByDefinition } from '../../../oracle/split-fit.js';

describe('levels with the sums of their responses', () => {
  it('hold the sums of every power, in ascending order of counts', () => {
    const counts = [5000, 2, 0, 1, 2, 5000, 9000];
    const responses = [1, 1, 7, 5, 3, 2, 0];
    const { count, items, sums } = responseLevels(counts, responses, 7);
    expect([...count]).toEqual([1, 2, 5000, 9000]);
    expect([...items]).toEqual([1, 2, 2, 1]);
    expect(sums.map((sum) => [...sum])).toEqual([
      [5, 4, 3, 0],
      [25, 10, 5, 0],
      [125, 28, 9, 0],
      [625, 82, 17, 0],
    ]);
  });

  it('grow beyond their initial number', () => {
    const counts = Array.from({ length: 6000 }, (_, i) => i + 1);
    const { count, sums } = responseLevels(counts, counts, 6000);
    expect(count.length).toBe(6000);
    expect(sums[0]).toEqual(count);
  });
});

describe('the fit on split counts', () => {
  it('equals its definition item by item', () => {
    const random = seeded(3);
    for (const alpha of [-0.5, 0.4, 1, 1.8]) {
      const sizes = Array.from({ length: 60 }, (_, i) => 60 / (1 + i) ** 0.7);
      const counts = sizes.map((size) => poisson(size, random));
      const responses = sizes.map((size) => poisson(5 * (size / 10) ** alpha, random));
      const fit = splitFit(responseLevels(counts, responses, 60), -3, 2.5);
      const expected = splitFitByDefinition(counts, responses, [-3, 2.5]);
      expect(fit.alpha).toBeCloseTo(expected.alpha, 8);
      expect(fit.stdErr / expected.stdErr).toBeCloseTo(1, 7);
      expect(fit.effectiveItems / expected.effectiveItems).toBeCloseTo(1, 7);
      expect(fit.unsizedShare).toBeCloseTo(expected.unsizedShare, 8);
      expect(fit.df).toBe(Math.max(1, fit.effectiveItems - 1));
    }
  });

  it('does not mistake a sign change of the sizes for a root', () => {
    // At n = 1 sizes are negative for 1 < α < 2; where all responses stand at the top no α is enough.
    const counts = [...new Array(300).fill(1), 2];
    const responses = [...new Array(300).fill(0), 50];
    const fit = splitFit(responseLevels(counts, responses, 301), -3, 2.5);
    expect(fit.isTooSparse).toBe(true);
    expect(fit.alpha).toBeNaN();
    expect(fit.stdErr).toBeNaN();
  });
});
