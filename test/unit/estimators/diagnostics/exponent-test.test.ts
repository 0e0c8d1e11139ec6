import { describe, expect, it } from 'vitest';
import { exponentTest } from '../../../../src/estimators/diagnostics/exponent-test.js';
import { calibration } from '../../../../src/estimators/propensity/calibration.js';
import { coatRatings, ratingsPerItem } from '../../../reference/coat.js';
import { needsData } from '../../../support/published-data.js';

const CALIBRATED = {
  ...{ status: 'ok' as const, beta: 0.8, stdErr: 0.1, lower: 0.5, upper: 1.1, df: 4 },
  ...{ effectiveItems: 5, unsizedShare: 0, items: 40, organic: 900, randomized: 90 },
};

describe('the test of the exponent', () => {
  it('has the ends of the 95 % interval at 1.96, however few items carry it', () => {
    for (const [used, deviation] of [
      [1.1, 1.96],
      [0.5, 1.96],
      [0.8, 0],
      [1.4, 3.92],
    ]) {
      expect(exponentTest(CALIBRATED, used).deviation).toBeCloseTo(deviation, 12);
    }
    expect(exponentTest(CALIBRATED, 1)).toMatchObject({ beta: 0.8, used: 1, randomized: 90 });
  });

  it('says nothing where counts are too small for an answer', () => {
    const none = calibration(Float64Array.of(1, 2), new Float64Array(2), 2);
    expect(exponentTest(none, 1).deviation).toBeNaN();
  });

  it('refutes 1.5 on Coat, and not .6', needsData('coat'), () => {
    const liked = (name: 'train' | 'test') =>
      Float64Array.from(ratingsPerItem(coatRatings(name), (r) => r >= 4));
    const [organic, randomized] = [liked('train'), liked('test')];
    const found = calibration(organic, randomized, organic.length);
    expect(exponentTest(found, 1.5).deviation).toBeGreaterThan(3);
    expect(exponentTest(found, 0.6).deviation).toBeLessThan(1.96);
  });
});
