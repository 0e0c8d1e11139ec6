import { describe, expect, it } from 'vitest';
import { servedCounts, shareStrata } from '../../../../../src/features/values/arms/share-strata.js';
import { clickedRanks } from '../../../../../src/features/values/examination-by-arms.js';
import { fitExamination } from '../../../../../src/features/values/fit-examination.js';
import { RankPatterns } from '../../../../../src/features/values/rank-patterns.js';
import { FOUR_REQUESTS, HALF_AND_HALF } from '../../../../support/golden-arms.js';
import { servedLog } from '../../../../support/value-log.js';

/** Clicks at the rank of the row, with the other rank by column; one cluster per click. */
function pairs(clicks: readonly (readonly number[])[], shares = [1 / 2, 1 / 2]): RankPatterns {
  const patterns = new RankPatterns(clicks.length, 100);
  let cluster = 0;
  for (const [k, row] of clicks.entries()) {
    for (const [j, count] of row.entries()) {
      const chances = new Float64Array(clicks.length);
      chances[Math.min(k, j)] = shares[0];
      chances[Math.max(k, j)] = shares[1];
      for (let n = 0; n < count; n++) patterns.add(chances, k, cluster++);
    }
  }
  return patterns;
}

describe('the examination probability', () => {
  it('is fitted as 1, 1/2, 1/4 to clicks on pairs of ranks, with errors', () => {
    const { theta, covariance, largestStdErr, identified, clicks } = fitExamination(
      pairs([
        [0, 4, 4],
        [2, 0, 2],
        [1, 1, 0],
      ]),
    );
    expect(theta[0]).toBe(1);
    expect(theta[1]).toBeCloseTo(1 / 2, 12);
    expect(theta[2]).toBeCloseTo(1 / 4, 12);
    expect(covariance.values[4]).toBeCloseTo(33 / 56, 12);
    expect(covariance.values[8]).toBeCloseTo(45 / 56, 12);
    expect(largestStdErr).toBeCloseTo(Math.sqrt(45 / 56), 12);
    expect([identified, clicks]).toEqual([3, 14]);
  });

  it('is counted by clicked rank and by the ranks that arms give the item', () => {
    const log = servedLog(FOUR_REQUESTS, HALF_AND_HALF);
    const strata = shareStrata(servedCounts(log), log.shares, true);
    const { chances, clicks } = clickedRanks(log, strata, 2);
    const seen = chances.map((each, p) => [[...each], [...clicks[p]]]);
    expect(seen).toEqual([
      // y: only first in A's list; z: only first in B's; y: second in A's list, first in B's.
      [
        [1 / 2, 0],
        [2, 0],
      ],
      [
        [1 / 2, 1 / 2],
        [0, 1],
      ],
    ]);
  });

  it('spreads the share of a randomly drawn list evenly over ranks', () => {
    const drawn = {
      lists: [
        ['x', 'y'],
        ['z', 'x'],
      ],
      arm: 1,
      candidates: 4,
      rewards: { x: 1 },
    };
    const log = servedLog([drawn, { ...drawn, arm: 0 }], {
      models: ['A', 'random'],
      shares: [[3 / 4, 1 / 4]],
      arms: [{ list: 0 }, { list: 1, isUniform: true }],
    });
    const strata = shareStrata(servedCounts(log), log.shares, false);
    const { chances, clicks } = clickedRanks(log, strata, 2);
    // 3/4 at rank 0 in A's list, and 1/4 · 1/4 at either by chance.
    expect(chances.map((each) => [...each])).toEqual([[3 / 4 + 1 / 16, 1 / 16]]);
    expect([...clicks[0]]).toEqual([1, 1]);
  });
});
