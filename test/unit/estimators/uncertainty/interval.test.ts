import { describe, expect, it } from 'vitest';
import { effectiveSampleSize } from '../../../../src/estimators/uncertainty/effective-sample-size.js';
import { intervalFactor, logitInterval } from '../../../../src/estimators/uncertainty/interval.js';

const logit = (p: number) => Math.log(p / (1 - p));

describe('logitInterval', () => {
  it('is symmetric around the value on the logit scale, at the delta method’s width', () => {
    const [lower, upper] = logitInterval(0.2, 0.04, 2);
    expect(logit(upper) - logit(0.2)).toBeCloseTo((2 * 0.04) / (0.2 * 0.8), 12);
    expect(logit(0.2) - logit(lower)).toBeCloseTo((2 * 0.04) / (0.2 * 0.8), 12);
  });

  it('stays inside [0, 1] where the plain interval would leave it', () => {
    const [lower, upper] = logitInterval(0.01, 0.02, 2);
    expect(lower).toBeGreaterThan(0);
    expect(upper).toBeLessThan(1);
    expect(logitInterval(0.01, 0.02, 1e9)).toEqual([0, 1]);
  });

  it('has no width without error, also at 0 and 1', () => {
    for (const value of [0, 0.3, 1]) expect(logitInterval(value, 0, 2)).toEqual([value, value]);
  });

  it('is all of [0, 1] where the error or the freedom is unknown', () => {
    expect(logitInterval(0.3, Number.NaN, 2)).toEqual([0, 1]);
    expect(logitInterval(0.3, 0.1, intervalFactor(1))).toEqual([0, 1]);
  });
});

describe('intervalFactor', () => {
  it('is Student’s t at one degree of freedom less than the effective sample size', () => {
    expect(intervalFactor(11)).toBeCloseTo(2.228139, 5);
  });
});

describe('effectiveSampleSize', () => {
  it('counts equal weights fully and unequal ones less', () => {
    expect(effectiveSampleSize(6, 12)).toBe(3);
    expect(effectiveSampleSize(4, 10)).toBe(1.6);
    expect(effectiveSampleSize(0, 0)).toBe(0);
  });
});
