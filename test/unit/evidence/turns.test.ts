import { describe, expect, it } from 'vitest';
import { STRETCHES, TurnSums } from '../../../src/estimators/evidence/turns.js';
import { Random } from '../../../src/estimators/mathematics/random.js';

/** Draws by stretch, of arms by these shares. */
function tested(draws: readonly { stretch: number; arm: number }[], shares: readonly number[]) {
  const sums = new TurnSums();
  for (const { stretch, arm } of draws) {
    sums.add(stretch, arm, shares.length, (a) => shares[a]!);
  }
  return sums.test();
}

describe('the test for alternating arms', () => {
  it('matches the products of all pairs within a stretch', () => {
    const random = new Random(1, 'turns');
    const shares = [0.2, 0.3, 0.5];
    const draws = Array.from({ length: 300 }, () => ({
      stretch: random.below(40),
      arm: random.below(3),
    }));
    const mean = shares.reduce((sum, own, a) => sum + own * a, 0);
    const variance = shares.reduce((sum, own, a) => sum + own * (a - mean) ** 2, 0);
    let alike = 0;
    let pairs = 0;
    for (const [n, one] of draws.entries()) {
      for (const [m, other] of draws.entries()) {
        if (n === m || one.stretch !== other.stretch) continue;
        alike += (one.arm - mean) * (other.arm - mean);
        pairs++;
      }
    }
    const { share, expected } = tested(draws, shares);
    expect(expected).toBeCloseTo(0.38, 12);
    expect(share).toBeCloseTo(0.38 + (0.62 * alike) / (pairs * variance), 9);
  });

  it('is a χ² test if all draws are in one stretch', () => {
    // 15 of 20: z² = 5, so that p is that of χ² with one degree.
    const draws = Array.from({ length: 20 }, (_, n) => ({ stretch: 7, arm: n < 15 ? 1 : 0 }));
    // V leaves out what a draw is alike with itself: z² − 1 is of 20 · 19 pairs in place of 20².
    const squares = 1 + 4 * Math.sqrt(20 / 19);
    expect(tested(draws, [0.5, 0.5]).p).toBeCloseTo(2 * (1 - normal(Math.sqrt(squares))), 6);
  });

  it('detects that each stretch has one arm, and finds nothing in single draws', () => {
    const turns = Array.from({ length: 1000 }, (_, n) => {
      const stretch = n % STRETCHES;
      return { stretch, arm: stretch % 2 };
    });
    const found = tested(turns, [0.5, 0.5]);
    expect(found.p).toBeLessThan(1e-12);
    expect(found.share).toBeCloseTo(1, 12);
    const alone = Array.from({ length: STRETCHES }, (_, stretch) => ({ stretch, arm: 1 }));
    expect(tested(alone, [0.5, 0.5])).toMatchObject({ p: 1, share: 0.5, expected: 0.5 });
  });
});

/** Φ, by its series. */
function normal(z: number): number {
  let term = z;
  let sum = z;
  for (let n = 1; n < 60; n++) {
    term *= (-z * z) / (2 * n);
    sum += term / (2 * n + 1);
  }
  return 0.5 + sum / Math.sqrt(2 * Math.PI);
}
