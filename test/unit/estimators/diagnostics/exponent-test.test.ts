import { describe, expect, it } from 'vitest';
import { exponentTest } from '../../../../src/estimators/diagnostics/exponent-test.js';

const CALIBRATED = {
  status: 'ok' as const,
  beta: 0.8,
  stdErr: 0.1,
  lower: 0.5,
  upper: 1.1,
  df: 4,
  effectiveItems: 5,
  unsizedShare: 0,
  items: 40,
  organic: 900,
  randomized: 90,
};

describe('the test of the exponent', () => {
  it('has a deviation of 1.96 at the ends of the 95 % interval', () => {
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
});
