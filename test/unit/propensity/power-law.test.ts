import { describe, expect, it } from 'vitest';
import {
  importanceWeight,
  propensityExponent,
  unnormalizedPropensity,
} from '../../../src/estimators/propensity/power-law.js';

describe('the power-law propensity', () => {
  it('has the exponent (gamma + 1) / 2, also away from gamma 2', () => {
    expect([-1, 0, 1, 2, 3].map(propensityExponent)).toEqual([0, 0.5, 1, 1.5, 2]);
    expect(unnormalizedPropensity(9, 0.5)).toBe(3);
  });

  it('weighs an item by the inverse of its propensity, whatever the size of its count', () => {
    const popularity = Float64Array.of(1, 4, 4, 5000, 2.25);
    const weights = popularity.map(importanceWeight(1.5, { cold: 'smooth', smoothing: 0.5 }));
    popularity.forEach((n, item) => {
      expect(weights[item]).toBeCloseTo(1 / (n * Math.sqrt(n)), 15);
    });
  });

  it('smooths only items without a count', () => {
    const weightOf = importanceWeight(2, { cold: 'smooth', smoothing: 0.5 });
    expect([0, 1].map(weightOf)).toEqual([4, 1]);
  });

  it('leaves cold items out where they are dropped or the smoothing is 0', () => {
    const drop = importanceWeight(1, { cold: 'drop', smoothing: 0.5 });
    const none = importanceWeight(1, { cold: 'smooth', smoothing: 0 });
    expect([0, 4].map(drop)).toEqual([0, 0.25]);
    expect([0, 4].map(none)).toEqual([0, 0.25]);
  });
});
