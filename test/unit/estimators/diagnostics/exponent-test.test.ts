import { describe, expect, it } from 'vitest';
import { exponentTest } from '../../../../src/estimators/diagnostics/exponent-test.js';
import { seeded } from '../../../oracle/random.js';
import { coatRatings, hasCoat, ratingsPerItem } from '../../../reference/coat.js';

function poisson(mean: number, random: () => number): number {
  let [count, product] = [0, random()];
  while (product > Math.exp(-mean)) {
    product *= random();
    count++;
  }
  return count;
}

describe('the test of the exponent', () => {
  it('covers the exponent that made the traffic in about 95 of 100 runs', () => {
    const random = seeded(5);
    let covered = 0;
    for (let run = 0; run < 200; run++) {
      const popularity = Float64Array.from({ length: 400 }, (_, i) => 1 + (i % 40));
      const organic = popularity.map((n) => 5 + poisson(3 * n ** 0.3, random));
      const randomized = popularity.map((n, i) => poisson(organic[i] * n ** -0.8, random));
      const { beta, stdErr } = exponentTest(organic, randomized, popularity, 1.5);
      if (Math.abs(beta - 0.8) < 1.96 * stdErr) covered++;
    }
    // 190 ± 3.1.
    expect(Math.abs(covered - 190)).toBeLessThanOrEqual(10);
  });

  it('finds the slope of two levels exactly, and its distance from the one in use', () => {
    const popularity = Float64Array.of(1, 4, 2);
    const test = exponentTest(
      Float64Array.of(10, 40, 20),
      Float64Array.of(10, 10, 10),
      popularity,
      1.5,
    );
    expect(test.beta).toBeCloseTo(1, 10);
    expect(test).toMatchObject({ levels: 3, organic: 70, randomized: 30, used: 1.5 });
  });

  it('does not know it without randomised positives or from a single level', () => {
    const two = Float64Array.of(1, 2);
    expect(exponentTest(two, new Float64Array(2), two, 1).beta).toBeNaN();
    expect(exponentTest(two, two, Float64Array.of(3, 3), 1).beta).toBeNaN();
  });

  it.skipIf(!hasCoat)('calls for .61 ± .05 on Coat', () => {
    const liked = (name: 'train' | 'test') =>
      Float64Array.from(ratingsPerItem(coatRatings(name), (r) => r >= 4));
    const { beta, stdErr } = exponentTest(liked('train'), liked('test'), liked('train'), 1.5);
    expect(Math.abs(beta - 0.61)).toBeLessThan(0.005);
    expect(Math.abs(stdErr - 0.05)).toBeLessThan(0.01);
  });
});
