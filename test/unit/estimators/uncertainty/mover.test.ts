import { describe, expect, it } from 'vitest';
import { moverInterval } from '../../../../src/estimators/uncertainty/interval.js';

const around = (value: number, below: number, above: number) => ({
  value,
  lower: value - below,
  upper: value + above,
});

describe('moverInterval', () => {
  it('adds independent distances in quadrature, separately on each side', () => {
    const [lower, upper] = moverInterval(around(0.5, 0.03, 0.1), around(0.2, 0.05, 0.04), 0);
    expect(lower).toBeCloseTo(0.3 - 0.05, 12);
    expect(upper).toBeCloseTo(0.3 + Math.hypot(0.1, 0.05), 12);
  });

  it('equals the paired interval if both sides are symmetric', () => {
    const [lower, upper] = moverInterval(around(0.5, 0.1, 0.1), around(0.2, 0.1, 0.1), 0.5);
    expect([lower, upper]).toEqual([expect.closeTo(0.2, 12), expect.closeTo(0.4, 12)]);
  });
});
