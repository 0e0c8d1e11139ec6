import { expect, it } from 'vitest';
import { balanceZ } from '../../../../../src/features/values/arm-checks.js';
import { ArmSums } from '../../../../../src/features/values/arms/arm-sums.js';
import { zScore } from '../../../../../src/features/values/z-score.js';

it('treats an error at rounding level as zero', () => {
  expect([zScore(0.3, 0.1), zScore(1e-16, 1e-17), zScore(-0.2, 1e-17), zScore(0, 0)]).toEqual([
    expect.closeTo(3, 12),
    0,
    Number.NEGATIVE_INFINITY,
    0,
  ]);
  expect(zScore(0.2, Number.NaN)).toBeNaN();
});

it('gives an infinite balance z if all users differ equally up to rounding', () => {
  const off = (control: readonly number[]) => {
    const sums = new ArmSums({ strata: 1, arms: 1, clusters: 3, models: 1, ranks: 1 });
    sums.requests.fill(1);
    sums.listedRequests.fill(1);
    sums.control.set(control);
    sums.target.fill(0.1);
    return balanceZ(sums, 0, true);
  };
  expect(off([0.3, 0.3, 0.1 + 0.2])).toBe(Number.POSITIVE_INFINITY);
  expect(off([0.1, 0.1, 0.1])).toBe(0);
});
